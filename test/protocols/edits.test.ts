/** An edit changes its own message and nothing else: every other byte of the body stays, unknown fields included. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  isSame,
  contentText,
  textMessage,
  withParts,
  type Message,
  type Part,
  type TextPart,
  type Transcript,
} from "../../src/core/transcript/message.ts";
import { misplacedSystem } from "../../src/core/transcript/oracle.ts";
import { protocols } from "../../src/protocols/index.ts";
import { type Decoded } from "../../src/protocols/protocol.ts";
import { bodies, RUNS, WIRE_NAMES, type WireName } from "../support/transcripts.ts";
import { meaningOf, messageMeaning } from "./meaning.ts";

const SHORT = "[shortened, recall r012345678]";

/** Another text in the first place that has one. */
function shorten(part: Part): Part | undefined {
  if (part.kind === "text") return { ...part, text: SHORT };
  if (part.kind === "tool-call" && part.custom !== true) return { ...part, arguments: JSON.stringify({ note: SHORT }) };
  if (part.kind === "tool-result") {
    const at = part.content.findIndex(({ kind }) => kind === "text");
    const text = part.content[at];
    return {
      ...part,
      content:
        text === undefined
          ? [{ kind: "text", text: SHORT }]
          : part.content.with(at, { ...text, text: SHORT } as TextPart),
    };
  }
  return undefined;
}

function edited(message: Message): Message | undefined {
  const at = message.parts.findIndex((part) => shorten(part) !== undefined);
  return at < 0 ? undefined : withParts(message, message.parts.with(at, shorten(message.parts[at]!)!), "digest");
}

/** Where the bytes of a message are in the body. */
function extentOf({ layout }: Decoded, message: Message): { readonly start: number; readonly end: number } {
  const group = layout.groups.find(({ slice }) => slice === message.wire)!;
  return { start: layout.elements[group.first]!.start, end: layout.elements[group.first + group.count - 1]!.end };
}

const count = (text: string, word: string): number => text.split(word).length - 1;

/** A new system message has no place among the messages: it goes as a marked text of the user. */
const NO_SYSTEM_IN_LIST: ReadonlySet<string> = new Set(["anthropic-messages", "google-gemini"]);

describe.each(WIRE_NAMES)("%s", (name) => {
  const protocol = protocols[name];

  test("editing one message leaves every byte around it", () => {
    fc.assert(
      fc.property(bodies(name, { large: false, maxTurns: 8 }), fc.nat(), ({ text }, pick) => {
        const decoded = protocol.decode(text);
        const { messages } = decoded.transcript;
        fc.pre(messages.length > 0);
        const at = pick % messages.length;
        const change = edited(messages[at]!);
        fc.pre(change !== undefined);
        const transcript = { ...decoded.transcript, messages: messages.with(at, change!) };
        const result = protocol.splice(decoded, transcript);
        const { start, end } = extentOf(decoded, messages[at]!);
        expect(result.startsWith(text.slice(0, start))).toBe(true);
        expect(result.endsWith(text.slice(end))).toBe(true);
        expect(meaningOf(protocol.decode(result).transcript)).toEqual(meaningOf(transcript));
        // A result that showed no text is replaced whole.
        const media = messages[at]!.role === "tool" && contentText(messages[at]!.parts) === "";
        if (!media) {
          expect(count(result, "x_trace")).toBe(count(text, "x_trace"));
          expect(count(result, "cache_control")).toBe(count(text, "cache_control"));
        }
      }),
      { numRuns: RUNS },
    );
  });

  test("editing the system prompt leaves every byte of the conversation", () => {
    fc.assert(
      fc.property(bodies(name, { large: false, maxTurns: 8 }), ({ text }) => {
        const decoded = protocol.decode(text);
        const { system, messages } = decoded.transcript;
        const note = textMessage("system", "This conversation was shortened.", "note");
        const transcript = { ...decoded.transcript, system: [...system, note] };
        const result = protocol.splice(decoded, transcript);
        const read = protocol.decode(result).transcript;
        const inConversation = NO_SYSTEM_IN_LIST.has(name) && decoded.form === "messages";
        if (inConversation) expect(result).toContain("<system-message>");
        else {
          expect(read.messages.map(messageMeaning)).toEqual(messages.map(messageMeaning));
          expect(JSON.stringify(read.system.map((message) => message.parts)).match(/was shortened/g)).toHaveLength(1);
          // Chat Completions has it at the end of the system prompt that is there, in the same part where that is one text.
          const more = read.system.flatMap(({ parts }) => parts).length - system.flatMap(({ parts }) => parts).length;
          expect(more).toBeLessThanOrEqual(1);
          expect(more).toBeGreaterThanOrEqual(name === "openai-chat" && system.length > 0 ? 0 : 1);
        }
        for (const message of messages) expect(result.includes(message.wire!.raw)).toBe(true);
        if (system.length === 0) return;
        const without = protocol.splice(decoded, { ...decoded.transcript, system: [] });
        const cut = protocol.decode(without).transcript;
        expect([...cut.system, ...cut.messages].map(messageMeaning)).toEqual(messages.map(messageMeaning));
      }),
      { numRuns: Math.ceil(RUNS / 2) },
    );
  });

  test("after any rewrite the body means the new transcript, and what stayed kept its bytes", () => {
    fc.assert(
      fc.property(bodies(name, { large: false, maxTurns: 8 }), fc.infiniteStream(fc.nat(9)), ({ text }, choices) => {
        const decoded = protocol.decode(text);
        const meant = rewritten(decoded.transcript.messages, choices);
        const transcript = { ...decoded.transcript, messages: meant };
        const messages = placed(name, decoded.transcript, meant);
        const result = protocol.splice(decoded, transcript);
        const read = protocol.decode(result).transcript;
        expect(joined(name, [...read.system, ...read.messages])).toEqual(
          joined(name, [...transcript.system, ...messages]),
        );
        let from = 0;
        for (const raw of wholeSlices(messages)) {
          from = result.indexOf(raw, from);
          expect(from).toBeGreaterThanOrEqual(0);
          from += raw.length;
        }
      }),
      { numRuns: RUNS },
    );
  });
});

/** A system message whose new place the provider refuses is what a user says; what the client itself misplaced stays. */
function placed(name: WireName, came: Transcript, messages: readonly Message[]): readonly Message[] {
  if (name !== "anthropic-messages") return messages;
  const misplaced = (list: readonly Message[]) => misplacedSystem(list).map((at) => list[at]!);
  const own = new Set(misplaced([...came.system, ...came.messages]).map(({ wire }) => wire));
  const lost = new Set(misplaced([...came.system, ...messages]).filter(({ wire }) => !own.has(wire)));
  const notice = (message: Message): string => `<system-message>\n${contentText(message.parts)}\n</system-message>`;
  return messages.map((message) => (lost.has(message) ? textMessage("user", notice(message)) : message));
}

/** Drops, edits, repeats and inserts messages as the choices say; always opens with a user message. */
function rewritten(messages: readonly Message[], choices: IterableIterator<number>): Message[] {
  const result: Message[] = [textMessage("user", "Summary of what came before.", "summary")];
  for (const message of messages) {
    const choice = choices.next().value;
    if (choice === 0) continue;
    if (choice === 1) result.push(edited(message) ?? message);
    else if (choice === 2 && message.parts.some(({ kind }) => kind === "reasoning") && message.parts.length > 1) {
      result.push(
        withParts(
          message,
          message.parts.filter(({ kind }) => kind !== "reasoning"),
        ),
      );
    } else if (choice === 3 && message.role === "user") result.push(message, { ...message, origin: "anchor" });
    else if (choice === 4 && message.role === "tool") {
      const stub: Part = { kind: "tool-result", callId: "stub-1", content: [{ kind: "text", text: "no result" }] };
      result.push(message, Object.freeze({ role: "tool", parts: [stub], origin: "stub" }));
    } else if (choice === 5 && message.role === "user")
      result.push(withParts(message, [{ kind: "text", text: SHORT }, ...message.parts]));
    else result.push(message);
  }
  return result;
}

/** Responses joins neighbouring assistant messages into one reply, and Anthropic takes no blank text in a new block. */
function joined(name: WireName, messages: readonly Message[]) {
  const list: Message[] = [];
  for (const message of messages) {
    const last = list.at(-1);
    const joins = name === "openai-responses" && last?.role === "assistant" && message.role === "assistant";
    if (joins) list[list.length - 1] = { role: "assistant", parts: [...last.parts, ...message.parts] };
    else list.push(message);
  }
  const visible = (part: Part): boolean =>
    name !== "anthropic-messages" || part.kind !== "text" || part.text.trim() !== "";
  return list.map((message) => messageMeaning({ ...message, parts: message.parts.filter(visible) }));
}

/** The bytes of every slice all of whose messages are together. */
function wholeSlices(messages: readonly Message[]): string[] {
  const found: string[] = [];
  for (let at = 0; at < messages.length;) {
    const members = messages[at]!.wire?.members ?? [];
    const whole =
      members.length > 0 &&
      members.length <= messages.length - at &&
      members.every((member, index) => isSame(messages[at + index]!, member));
    // A stub among results is written into their message.
    const touched = messages[at + members.length]?.origin === "stub" || messages[at - 1]?.origin === "stub";
    if (whole && !touched) found.push(messages[at]!.wire!.raw);
    at += whole ? members.length : 1;
  }
  return found;
}
