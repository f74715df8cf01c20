/** One session with everything that formats differ in, written in each and read back, with nothing lost unsaid. */
import { describe, expect, it } from "vitest";
import { textMessage, type ContentPart, type Message, type Part } from "../../src/core/transcript/message.ts";
import { writeSession, readSession, convertLog } from "../../src/logs/convert.ts";
import { LOG_FORMATS, type LogFormat, liveMessages, type Session, type SessionMessage } from "../../src/logs/log.ts";
import { expectFaithful } from "../support/conversions.ts";
import { jsonl } from "./reading.ts";

const START_MS = Date.UTC(2026, 10, 20, 9);
const PIXEL = { type: "data", mediaType: "image/png", data: "iVBORw0KGgo=" } as const;
/** Lines that mean something in one format or another. */
const MARKS = ["  - indented", "---", "````", "[CONTEXT"].join("\n");

const text = (words: string): Part & { kind: "text" } => ({ kind: "text", text: words });
const call = (id: string, name: string, args: unknown): Part => ({
  kind: "tool-call",
  id,
  name,
  arguments: JSON.stringify(args),
});

function result(callId: string, content: readonly ContentPart[], isError = false): Message {
  return {
    role: "tool",
    parts: [
      isError ? { kind: "tool-result", callId, content, isError: true } : { kind: "tool-result", callId, content },
    ],
  };
}

function session(
  format: LogFormat,
  messages: readonly (Message | SessionMessage)[],
  more: Partial<Session> = {},
): Session {
  return {
    format,
    id: "first",
    cwd: "/depot",
    model: "gpt-5.4",
    system: [textMessage("system", "You weigh crates.")],
    messages: messages.map((one, at) => ({
      ...("message" in one ? one : { message: one }),
      timeMs: START_MS + at * 60_000,
    })),
    compactions: [],
    ...more,
  };
}

const full = session(
  "claude-code",
  [
    textMessage("user", "Weigh the blue crate."),
    {
      role: "assistant",
      parts: [
        { kind: "reasoning", text: "It is in row 7." },
        text("I look."),
        call("t|1", "Bash", { command: "cat blue", description: "Reads" }),
      ],
    },
    result("t|1", [text(`41 kg\n${MARKS}`)]),
    textMessage("assistant", `Blue: 41 kg.\n${MARKS}`),
    { message: textMessage("user", "<system-reminder>Be brief.</system-reminder>"), injected: true },
    { role: "user", parts: [text(`Weigh the red one.\n${MARKS}`), { kind: "image", source: PIXEL }] },
    { role: "user", parts: [text("And the summary of the blue one.")], origin: "summary" },
    {
      role: "assistant",
      parts: [
        call("t2", "Read", { file_path: "red", offset: 3 }),
        call("t3", "TodoWrite", { todos: [{ content: "label", at: 12345678901234567n.toString() }] }),
      ],
    },
    result("t3", []),
    result("t2", [text("58 kg"), { kind: "image", source: PIXEL }, text("scale 4")], true),
    {
      role: "assistant",
      parts: [
        text("Red: 58 kg."),
        { kind: "tool-call", id: "t4", name: "apply_patch", arguments: "*** Begin\n+ label", custom: true },
        text("Done?"),
      ],
    },
    result("t4", [text("Failed")], true),
    textMessage("assistant", "It failed."),
    textMessage("assistant", "I try again."),
    { role: "system", parts: [text("The mode is now: careful.")] },
    {
      role: "user",
      parts: [
        text("Yes."),
        { kind: "file", source: { ...PIXEL, mediaType: "application/pdf" }, name: "label.pdf" },
        { kind: "opaque", type: "search_result", raw: '{"type":"search_result"}' },
      ],
    },
    { role: "assistant", parts: [{ kind: "tool-call", id: "t5", name: "list", arguments: '"all"' }] },
    result("t5", [text("nothing")]),
  ],
  { compactions: [{ at: 6, summary: 6, context: [6, 0, 5] }] },
);

describe.each(LOG_FORMATS)("%s", (to) => {
  it("holds what it can, and what it cannot is counted", () => {
    for (const from of LOG_FORMATS) expectFaithful({ ...full, format: from }, to);
  });

  it("takes what every other format wrote", () => {
    for (const via of LOG_FORMATS) {
      const written = writeSession(full, via, { id: "0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f", nowMs: START_MS });
      expectFaithful(readSession(written.text, via), to);
    }
  });

  it("says nothing of a session in which there is nothing to lose", () => {
    const plain = session(to, [textMessage("user", "Hello."), textMessage("assistant", "Hello.")], { system: [] });
    expect(writeSession(plain, to, { id: "0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f", nowMs: START_MS }).remarks).toEqual(
      [],
    );
  });
});

it("gives calls the names of the other agent where each argument has one there", () => {
  const { session: held, remarks } = writeSession(full, "pi", { id: "x", nowMs: START_MS });
  const calls = held.messages.flatMap(({ message }) => message.parts.filter((part) => part.kind === "tool-call"));
  expect(calls.map((part) => [part.name, part.arguments])).toEqual([
    // pi's shell takes no description.
    ["Bash", '{"command":"cat blue","description":"Reads"}'],
    ["read", '{"path":"red","offset":3}'],
    ["TodoWrite", '{"todos":[{"content":"label","at":"12345678901234567"}]}'],
    ["apply_patch", String.raw`{"input":"*** Begin\n+ label"}`],
    ["list", '{"arguments":"all"}'],
  ]);
  expect(remarks.find(({ code }) => code === "renamed_call")?.count).toBe(1);
  expect(remarks.find(({ code }) => code === "foreign_call")?.count).toBe(4);
});

it("keeps a compaction one, and sends what it left", () => {
  for (const to of ["claude-code", "codex", "hermes"] as const) {
    const { text: written } = writeSession(full, to, { id: "x", nowMs: START_MS });
    const read = readSession(written, to);
    expect(read.compactions).toHaveLength(1);
    const live = liveMessages(read).map(({ message }) => JSON.stringify(message.parts));
    expect(live.slice(0, 3).join("\n")).toContain("And the summary of the blue one.");
    expect(live.join("\n")).not.toContain("Blue: 41 kg.");
  }
});

it("writes lines that it does not know back where they were", () => {
  const line = { sessionId: "s", cwd: "/depot", timestamp: "2026-11-20T09:00:00.000Z" };
  const log = jsonl([
    { type: "hologram", shape: [1, 2], ...line },
    { type: "user", uuid: "u1", parentUuid: null, message: { role: "user", content: "Hello" }, ...line },
    '{"type":"user","uuid":"half',
  ]);
  expect(convertLog(log, "claude-code", { to: "claude-code", nowMs: 0 }).text).toBe(log);
  const { notes } = convertLog(log, "claude-code", { to: "pi", nowMs: 0 });
  expect(notes.map(({ code }) => code)).toEqual(["unknown_type", "corrupt_line"]);
});

it("is the same whenever it is made", () => {
  const once = writeSession(full, "opencode", { id: "x", nowMs: 1 }).text;
  expect(writeSession(full, "opencode", { id: "x", nowMs: 2 }).text).toBe(once);
});
