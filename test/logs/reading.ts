/** What the tests of all readers share: files written line by line, and a transcript said in short. */
import { expect } from "vitest";
import { callsOf, contentText, resultOf, type Message } from "../../src/core/transcript/message.ts";
import { violationsOf } from "../../src/core/transcript/oracle.ts";
import { readLog } from "../../src/logs/read.ts";
import type { LogFormat, LogNoteCode, ReadLog, ReadOptions } from "../../src/logs/log.ts";

export const jsonl = (records: readonly unknown[]): string =>
  records.map((record) => (typeof record === "string" ? record : JSON.stringify(record))).join("\n");

/** Reads, and holds the result to what every reader promises. */
export function read(format: LogFormat, records: readonly unknown[] | string, options: ReadOptions = {}): ReadLog {
  const log = readLog(typeof records === "string" ? records : jsonl(records), format, options);
  expect(violationsOf(log.transcript)).toEqual([]);
  expect(
    Object.isFrozen(log.transcript.messages) && log.transcript.messages.every((message) => Object.isFrozen(message)),
  ).toBe(true);
  return log;
}

/** One line a message: `assistant: text +call(args)`, `tool c1: result`. */
export function said(log: ReadLog): readonly string[] {
  return log.transcript.messages.map(inShort);
}

function inShort(message: Message): string {
  const calls = callsOf(message).map((call) => `+${call.name}(${call.arguments})`);
  const result = resultOf(message);
  const who = result === undefined ? message.role : `tool ${result.callId}${result.isError === true ? "!" : ""}`;
  const origin = message.origin === undefined ? "" : ` [${message.origin}]`;
  return [`${who}${origin}:`, contentText(message.parts), ...calls].filter((piece) => piece !== "").join(" ");
}

export function noted(log: ReadLog): readonly (readonly [LogNoteCode, number])[] {
  return log.notes.map(({ code, line }) => [code, line] as const);
}
