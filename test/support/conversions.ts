/** What every conversion of a session promises, whichever two formats it is between. */
import { expect } from "vitest";
import { contentText, type Message, type Part } from "../../src/core/transcript/message.ts";
import { violationsOf } from "../../src/core/transcript/oracle.ts";
import { writeSession, readSession } from "../../src/logs/convert.ts";
import { detectFormat } from "../../src/logs/detect.ts";
import { FORMATS } from "../../src/logs/formats.ts";
import { readLog } from "../../src/logs/read.ts";
import { type LogFormat, liveMessages, type Session } from "../../src/logs/log.ts";
import { protocols } from "../../src/protocols/index.ts";

const CONTEXT = { id: "0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f", nowMs: Date.UTC(2026, 10, 24) };

/** Written, detected, read again: the same as was written, valid, and with everything of the source or a remark on it. */
export function expectFaithful(source: Session, to: LogFormat): void {
  const written = writeSession(source, to, CONTEXT);
  if (written.session.messages.length === 0) return;
  expect(detectFormat(written.text)).toBe(to);
  const read = readSession(written.text, to);
  expect(said(read, to)).toEqual(said(written.session, to));
  expect(violationsOf(readLog(written.text, to).transcript, protocols[FORMATS[to].speaks].rules)).toEqual([]);
  expectNothingLost(source, read, new Map(written.remarks.map(({ code, count }) => [code, count])), to);
  // What was written once is held by the format: writing it again changes nothing.
  const again = writeSession({ ...read, otherRecords: 0 }, to, CONTEXT);
  expect(again.remarks.filter(({ code }) => !REPEATED.has(code))).toEqual([]);
  expect(said(readSession(again.text, to), to)).toEqual(said(read, to));
}

/** A reader knows a summary by its words where the format does not record it, and it becomes a message each time. */
const REPEATED: ReadonlySet<string> = new Set(["summary_as_message", "injected_mark"]);

/** Marks that a format has no place for are not compared: its reader guesses them from the words. */
function said({ messages, compactions, system }: Session, to: LogFormat): unknown {
  const { injectedMarks, compactions: recorded } = FORMATS[to].holds;
  const records = recorded === "any" || recorded === "newest";
  return plain({
    system: system.map(({ parts }) => contentText(parts)),
    messages: messages.map(({ message: { role, parts, origin }, injected }) => ({
      role,
      parts,
      summary: records && origin === "summary",
      injected: injectedMarks && injected === true,
    })),
    compactions: records ? compactions : [],
  });
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

type Counts = ReadonlyMap<string, number>;

function expectNothingLost(source: Session, read: Session, counts: Counts, to: LogFormat): void {
  const { holds } = FORMATS[to];
  const count = (code: string): number => counts.get(code) ?? 0;
  const before = holds.compactions === "live" ? liveMessages(source) : source.messages;
  const copies = count("kept_copy");
  const [given, found] = [before.map(({ message }) => message), read.messages.map(({ message }) => message)];
  expect(source.messages.length - before.length).toBe(count("replaced_history"));
  expect(missing(textsOf(given), found)).toEqual([]);
  expect(callsOf(found).length).toBeGreaterThanOrEqual(callsOf(given).length);
  for (const [kind, code] of [
    ["reasoning", "thinking"],
    ["image", "image"],
    ["file", "file"],
  ] as const) {
    const [had, has] = [countOf(given, kind), countOf(found, kind)];
    // Joined pieces are one.
    if (count("joined_texts") === 0 && copies === 0) expect([kind, had - has]).toEqual([kind, count(code)]);
  }
  if (copies === 0) expect(errorsOf(given) - errorsOf(found)).toBe(count("error_mark"));
  if (holds.compactions === "any" || holds.compactions === "newest") {
    expect(read.compactions).toHaveLength(source.compactions.length);
    const live = liveMessages(read).map(({ message }) => message);
    expect(missing(textsOf(liveMessages(source).map(({ message }) => message)), live)).toEqual([]);
  }
}

function textsOf(messages: readonly Message[]): readonly string[] {
  return messages.flatMap(({ parts }) =>
    parts.flatMap((part) => {
      if (part.kind === "tool-call") return leavesOf(part.arguments);
      const pieces = part.kind === "tool-result" ? part.content : [part];
      return pieces.flatMap((piece) => (piece.kind === "text" && piece.text.trim() !== "" ? [piece.text.trim()] : []));
    }),
  );
}

/** Texts that are nowhere in the messages. */
function missing(texts: readonly string[], messages: readonly Message[]): readonly string[] {
  const all = new Set(textsOf(messages));
  const whole = [...all, ...messages.flatMap(({ parts }) => parts.map((part) => argumentsOf(part)))].join("\n");
  // Free text is stated as it is, and stands in quotes where it is an argument.
  return texts.filter((text) => !all.has(text) && !whole.includes(text) && !whole.includes(unquoted(text)));
}

function unquoted(text: string): string {
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text;
  }
}

const argumentsOf = (part: Part): string => (part.kind === "tool-call" ? part.arguments : "");

/** The texts inside the arguments of a call, which another name for an argument does not change. */
function leavesOf(text: string): readonly string[] {
  try {
    return leaves(JSON.parse(text));
  } catch {
    return [JSON.stringify(text).slice(1, -1)];
  }
}

function leaves(value: unknown): readonly string[] {
  if (typeof value === "string") return value === "" ? [] : [JSON.stringify(value).slice(1, -1)];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(leaves) : [];
}

const callsOf = (messages: readonly Message[]): readonly Part[] =>
  messages.flatMap(({ parts }) => parts.filter(({ kind }) => kind === "tool-call"));

function countOf(messages: readonly Message[], kind: Part["kind"]): number {
  const parts = messages.flatMap(({ parts: all }): readonly Part[] =>
    all.flatMap((part): readonly Part[] => (part.kind === "tool-result" ? part.content : [part])),
  );
  return parts.filter((part) => part.kind === kind).length;
}

function errorsOf(messages: readonly Message[]): number {
  return messages.flatMap(({ parts }) => parts).filter((part) => part.kind === "tool-result" && part.isError === true)
    .length;
}
