/** A client's own request for a summary, told from requests that only speak of one. */
import { describe, expect, it } from "vitest";
import { textMessage, type Message, type Transcript } from "../../../src/core/transcript/message.ts";
import { clientCompaction } from "../../../src/gateway/quirks/client-compaction.ts";
import { expectLinear } from "../../support/linear.ts";

const history: readonly Message[] = [textMessage("user", "Fix the build."), textMessage("assistant", "Fixed.")];
const asks = (last: string, system = "You are an agent."): Transcript => ({
  system: [textMessage("system", system)],
  messages: [...history, textMessage("user", last)],
});

const LEAD = "Answer with text only and call no tool. ".repeat(12);

describe("a request for a summary", () => {
  it.each([
    ["Claude Code", asks(`${LEAD}Your task is to create a detailed summary of the conversation so far, …`)],
    ["Claude Code", asks("Go.", "You are a helpful AI assistant tasked with summarizing conversations.")],
    ["Codex", asks("You are performing a CONTEXT CHECKPOINT COMPACTION. …")],
    ["OpenCode", asks("…", "You are an anchored context summarization assistant for coding sessions.")],
    ["OpenCode", asks("<conversation>…</conversation>", "You are a context summarization agent. …")],
    ["OpenCode", asks("Provide a detailed prompt for continuing our conversation above.")],
    ["pi", asks(`<conversation>${"x".repeat(9_000)}</conversation>`, "You are a context summarization assistant.")],
    ["Gemini CLI", asks("Go.", "You are the component that summarizes internal chat history into a given structure.")],
    ["Cline", asks('<explicit_instructions type="summarize_task">\n…')],
    ["Goose", asks("Go.", "The messages above … Create a structured context checkpoint summary that …")],
    ["Hermes", asks("You are a summarization agent creating a context checkpoint. …")],
  ])("of %s", (client, transcript) => {
    expect(clientCompaction(transcript)).toEqual({ client });
  });

  it("may stand beside results and other texts", () => {
    const [text] = asks("Your task is to create a detailed summary of the conversation so far.").messages.at(-1)!.parts;
    const last: Message = { role: "user", parts: [{ kind: "text", text: "<system-reminder/>" }, text!] };
    expect(clientCompaction({ system: [], messages: [...history, last] })).toEqual({ client: "Claude Code" });
  });
});

describe("a request for a summary with a system message behind it", () => {
  it("is one all the same", () => {
    const { system, messages } = asks("Your task is to create a detailed summary of the conversation so far.");
    const counted = [...messages, textMessage("system", "1,000 tokens left")];
    expect(clientCompaction({ system, messages: counted })).toEqual({ client: "Claude Code" });
  });
});

describe("no request for a summary", () => {
  it.each([
    ["an ordinary request", asks("Summarise what the build does.")],
    [
      "a summary that was asked for before",
      {
        ...asks("x"),
        messages: [
          ...asks("You are performing a CONTEXT CHECKPOINT COMPACTION.").messages,
          textMessage("assistant", "It is done."),
          textMessage("user", "Go on."),
        ],
      },
    ],
    [
      "words of it deep in a pasted text",
      asks(`${"A long file. ".repeat(200)}You are performing a CONTEXT CHECKPOINT COMPACTION.`),
    ],
    [
      "the assistant's words",
      {
        ...asks("x"),
        messages: [...history, textMessage("assistant", "You are performing a CONTEXT CHECKPOINT COMPACTION.")],
      },
    ],
    ["nothing at all", { system: [], messages: [] }],
  ] satisfies [string, Transcript][])("%s", (_, transcript) => {
    expect(clientCompaction(transcript)).toBeUndefined();
  });

  it("is told without reading a long message", () => {
    const [short, long] = [1_000, 10_000_000].map((chars) => asks("x".repeat(chars), "y".repeat(chars)));
    // As long for a message ten thousand times as long: what is measured is the number of calls.
    expectLinear(20_000, (calls) => () => {
      for (let at = 0; at < calls; at++) clientCompaction(calls < 20_000 ? short! : long!);
    });
  });
});
