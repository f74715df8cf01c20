/**
 * How clients ask a model for a summary of their own conversation. Such a request is let through as it is: what comes
 * back replaces the conversation, so a compaction of ours would be the summary's only source.
 */
import type { Message, Part, Transcript } from "../../core/transcript/message.ts";

interface ClientPrompt {
  readonly client: string;
  /** Where the client puts it: at the beginning of a text of the last message, or of the system prompt. */
  readonly place: "last" | "system";
  /** A few words that nothing else begins with, as the client's own prompt has them. */
  readonly words: string;
}

/** Read from each client's source or seen in its requests, 2026-11. */
const ASKINGS: readonly ClientPrompt[] = [
  {
    client: "Claude Code",
    place: "last",
    words: "Your task is to create a detailed summary of the conversation so far",
  },
  { client: "Claude Code", place: "system", words: "AI assistant tasked with summarizing conversations" },
  { client: "Codex", place: "last", words: "performing a CONTEXT CHECKPOINT COMPACTION" },
  { client: "OpenCode", place: "system", words: "anchored context summarization assistant" },
  { client: "OpenCode", place: "system", words: "You are a context summarization agent" },
  { client: "OpenCode", place: "last", words: "Provide a detailed prompt for continuing our conversation above" },
  { client: "pi", place: "system", words: "You are a context summarization assistant" },
  { client: "Goose", place: "system", words: "Create a structured context checkpoint summary" },
  { client: "pi", place: "last", words: "Create a structured context checkpoint summary" },
  { client: "Gemini CLI", place: "system", words: "component that summarizes internal chat history" },
  { client: "Gemini CLI", place: "system", words: "responsible for distilling chat history into a structured XML" },
  { client: "Cline", place: "last", words: '<explicit_instructions type="summarize_task">' },
  { client: "Cline", place: "last", words: '<explicit_instructions type="condense">' },
  { client: "Cline", place: "last", words: "The current conversation is rapidly running out of context" },
  { client: "Hermes", place: "last", words: "summarization agent creating a context checkpoint" },
];

/** Some clients say first that no tool may be called; pi puts the conversation before its request, and is known by its system prompt. */
const LAST_CHARS = 1_200;
const SYSTEM_CHARS = 300;

export interface ClientCompaction {
  readonly client: string;
}

/** The client whose own compaction this request is; undefined for all other requests. */
export function clientCompaction({ system, messages }: Transcript): ClientCompaction | undefined {
  // A client may put what its system has to say behind every message, this one too.
  const last = messages.findLast(({ role }) => role !== "system");
  const texts = {
    last: last?.role === "user" ? openings(last.parts, LAST_CHARS) : [],
    system: system.flatMap((message: Message) => openings(message.parts, SYSTEM_CHARS)),
  };
  const found = ASKINGS.find(({ place, words }) => texts[place].some((text) => text.includes(words)));
  return found === undefined ? undefined : { client: found.client };
}

function openings(parts: readonly Part[], chars: number): readonly string[] {
  return parts.flatMap((part) => (part.kind === "text" ? part.text.slice(0, chars) : []));
}
