/** Recorded sessions as the replays need them: those of the corpus, with more in front of them, or within a small window. */
import { estimateText } from "../../../src/core/transcript/estimate.ts";
import { textMessage, type Message, type Part, type Transcript } from "../../../src/core/transcript/message.ts";
import { readRecording } from "../../../provider/src/replay.ts";
import { corpusText } from "../../support/corpus.ts";

const PROMPT_LINE =
  "Rule %: before you change a file, read it whole; after you changed it, run what tests it; say what you found, not what you hope.\n";

export function recordingOf(file: string): Transcript {
  return readRecording(corpusText(file), file);
}

/** The session with a system prompt of about that many tokens. */
export function withPrompt(recording: Transcript, tokens: number): Transcript {
  const lines = Math.ceil(tokens / estimateText(PROMPT_LINE));
  const text = Array.from({ length: lines }, (_, at) => PROMPT_LINE.replace("%", String(at + 1))).join("");
  return { ...recording, system: [textMessage("system", text)] };
}

/**
 * The session as it would have gone in a small window: nobody can say, and no model can answer, more than a part of it at
 * once. What tools give stays as large as it was: that is for precis to bear.
 */
export function saidBriefly(recording: Transcript, tokensMax: number): Transcript {
  return { ...recording, messages: recording.messages.map((message) => brief(message, tokensMax)) };
}

function brief(message: Message, tokensMax: number): Message {
  if (message.role === "tool") return message;
  const parts = message.parts.map((part) => briefPart(part, Math.floor(tokensMax / message.parts.length)));
  return { role: message.role, parts };
}

function briefPart(part: Part, tokensMax: number): Part {
  switch (part.kind) {
    case "text":
    case "reasoning":
      return { ...part, text: cut(part.text, tokensMax) };
    case "tool-call":
      if (estimateText(part.arguments) <= tokensMax) return part;
      return { ...part, arguments: JSON.stringify({ beginning: cut(part.arguments, Math.floor(tokensMax / 2)) }) };
    default:
      return part;
  }
}

function cut(text: string, tokensMax: number): string {
  const tokens = estimateText(text);
  return tokens <= tokensMax ? text : text.slice(0, Math.max(1, Math.floor((text.length * tokensMax) / tokens)));
}
