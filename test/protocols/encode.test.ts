/** Any transcript can be written in any protocol: the provider accepts it, and it says the same. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  contentText,
  textMessage,
  type Message,
  type Part,
  type Transcript,
} from "../../src/core/transcript/message.ts";
import { protocols } from "../../src/protocols/index.ts";
import { type EncodedParts } from "../../src/protocols/protocol.ts";
import { transcriptOf } from "../support/turns-to-ir.ts";
import { bodies, RUNS, transcripts, WIRE_NAMES, type WireName } from "../support/transcripts.ts";
import { kits } from "../support/wires.ts";
import { conversations } from "../support/turns.ts";
import { complaintsAbout } from "./acceptance.ts";
import { meaningOf } from "./meaning.ts";

const VALID = { valid: true, large: false, innerSystem: false, maxTurns: 8 } as const;

function bodyOf(name: WireName, { messages, system, tools }: EncodedParts): string {
  const keys = protocols[name].keys;
  return JSON.stringify({ [keys.system ?? "system"]: system, tools, [keys.messages]: messages });
}

/** Messages as the target can carry them: thinking stays at home, blank text is not sent. */
function carried(message: Message): Message {
  const visible = (part: Part): boolean =>
    part.kind !== "reasoning" && (part.kind !== "text" || part.text.trim() !== "");
  const inResult = (part: Part): Part =>
    part.kind === "tool-result" ? { ...part, content: part.content.filter(visible) } : part;
  return { ...message, parts: message.parts.filter(visible).map(inResult) };
}

/** Ids become the order in which their calls were made. */
function withPlainIds(transcript: Transcript): Transcript {
  let made = 0;
  let open: { readonly id: string; readonly plain: string }[] = [];
  const rename = (part: Part): Part => {
    if (part.kind === "tool-call") {
      const plain = `#${made++}`;
      open.push({ id: part.id, plain });
      return { ...part, id: plain };
    }
    if (part.kind !== "tool-result") return part;
    const found = open.findIndex(({ id }) => id === part.callId);
    return { ...part, callId: found < 0 ? "?" : open.splice(found, 1)[0]!.plain };
  };
  const messages = transcript.messages.map((message) => {
    if (message.role === "assistant") open = [];
    return { ...message, parts: message.parts.map(rename) };
  });
  return { ...transcript, messages };
}

describe.each(WIRE_NAMES)("to %s", (target) => {
  const protocol = protocols[target];

  test("what has no bytes reads back as it was", () => {
    fc.assert(
      fc.property(conversations(VALID), (conversation) => {
        const meant = transcriptOf(conversation, { ...kits[target].traits, mergesReplies: false });
        const read = protocol.decode(bodyOf(target, protocol.encode(meant))).transcript;
        const expected = { ...meant, messages: meant.messages.map(carried) };
        const plain = (one: Transcript) => meaningOf(withPlainIds({ ...one, messages: one.messages.map(carried) }));
        // Chat's results hold text only, so their media go into a message of their own.
        if (target === "openai-chat" && showsMedia(meant))
          expect(events(read.messages)).toEqual(events(expected.messages));
        else if (target === "openai-responses") expect(plain(joinReplies(read))).toEqual(plain(joinReplies(expected)));
        else expect(plain(read)).toEqual(plain(expected));
      }),
      { numRuns: RUNS },
    );
  });

  test.each(WIRE_NAMES)("a transcript read from %s is accepted and says the same", (source) => {
    fc.assert(
      fc.property(bodies(source, VALID), ({ text }) => {
        const { transcript } = protocols[source].decode(text);
        const parts = protocol.encode(transcript);
        if (source !== target) expect(complaintsAbout(target, parts)).toEqual([]);
        const read = protocol.decode(bodyOf(target, parts)).transcript;
        expect(events([...read.system, ...read.messages])).toEqual(
          events([...transcript.system, ...transcript.messages]),
        );
      }),
      { numRuns: Math.ceil(RUNS / 3) },
    );
  });

  test("system messages inside, empty messages and broken arguments are made acceptable", () => {
    fc.assert(
      fc.property(transcripts({ valid: true, large: false }), ({ system, messages }) => {
        const broken = messages.map((message) => ({
          ...message,
          parts: message.parts.flatMap((part): Part[] => {
            if (part.kind === "tool-call") return [{ ...part, arguments: '{"path": "src/a' }];
            return part.kind === "text" ? [] : [part];
          }),
        }));
        const opened = broken.slice(broken.findIndex(({ role }) => role === "assistant"));
        expect(complaintsAbout(target, protocol.encode({ system, messages: opened }))).toEqual([]);
      }),
      { numRuns: Math.ceil(RUNS / 2) },
    );
  });
});

/** What was said and done, in order, whatever messages it is in. Media may move and change into a note. */
function events(messages: readonly Message[]): readonly unknown[] {
  const said = messages.flatMap(({ role, parts }) =>
    parts.flatMap((part): unknown[] => {
      switch (part.kind) {
        case "text":
          return part.text.trim() === "" || isNote(part.text) ? [] : [[role, part.text]];
        case "tool-call":
          return [
            [
              "call",
              part.name,
              part.custom === true ? { input: part.arguments } : (JSON.parse(part.arguments) as unknown),
            ],
          ];
        case "tool-result":
          return [
            [
              "result",
              // Some protocols have one text for a result.
              part.content
                .filter((one) => one.kind === "text" && one.text.trim() !== "" && !isNote(one.text))
                .map((one) => contentText([one]))
                .join("\n"),
            ],
          ];
        default:
          return [];
      }
    }),
  );
  // A custom call is an ordinary one elsewhere, with its text under `input`.
  return said.map((event) => JSON.stringify(event));
}

function showsMedia({ messages }: Transcript): boolean {
  return messages.some(({ parts }) =>
    parts.some(
      (part) => part.kind === "tool-result" && part.content.some(({ kind }) => kind === "image" || kind === "file"),
    ),
  );
}

function isNote(text: string): boolean {
  return /^\[(?:image|file|x_\w+|future_block)/.test(text) || text.startsWith("Images and files from");
}

function joinReplies(transcript: Transcript): Transcript {
  const messages: Message[] = [];
  for (const message of transcript.messages) {
    const last = messages.at(-1);
    if (last?.role === "assistant" && message.role === "assistant")
      messages[messages.length - 1] = { role: "assistant", parts: [...last.parts, ...message.parts] };
    else messages.push(message);
  }
  return { ...transcript, messages };
}

test("ids stay the same as the transcript grows", () => {
  fc.assert(
    fc.property(transcripts(VALID), (transcript) => {
      const whole = protocols["anthropic-messages"].encode(transcript).messages;
      const cut = transcript.messages.findLastIndex(({ role }) => role === "user");
      const prefix = protocols["anthropic-messages"].encode({
        ...transcript,
        messages: transcript.messages.slice(0, cut),
      }).messages;
      const kept = prefix.slice(0, -1);
      expect(whole.slice(0, kept.length)).toEqual(kept);
    }),
    { numRuns: Math.ceil(RUNS / 5) },
  );
});

test("a system message inside the conversation reaches Anthropic as a marked user message", () => {
  const messages = [textMessage("user", "hi"), textMessage("system", "be brief"), textMessage("assistant", "ok")];
  const parts = protocols["anthropic-messages"].encode({ system: [], messages });
  expect(parts.messages[1]).toEqual({ role: "user", content: "<system-message>\nbe brief\n</system-message>" });
});

test("a conversation that an assistant opens gets a user message before it", () => {
  const parts = protocols["anthropic-messages"].encode({ system: [], messages: [textMessage("assistant", "hello")] });
  expect(parts.messages).toHaveLength(2);
  expect(parts.messages[0]).toMatchObject({ role: "user" });
});

test("tools are declared in the target's form", () => {
  const declared = [
    { type: "function", function: { name: "read", description: "reads", parameters: { type: "object" } } },
  ];
  const transcript = { system: [], messages: [], tools: JSON.stringify(declared) };
  expect(protocols["openai-chat"].encode(transcript).tools).toEqual(declared);
  const anthropic = [{ name: "read", description: "reads", input_schema: { type: "object" } }];
  expect(protocols["anthropic-messages"].encode(transcript).tools).toEqual(anthropic);
  const responses = [{ type: "function", name: "read", description: "reads", parameters: { type: "object" } }];
  expect(protocols["openai-responses"].encode(transcript).tools).toEqual(responses);
  expect(protocols["openai-chat"].encode({ ...transcript, tools: JSON.stringify(anthropic) }).tools).toEqual(declared);
});
