import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { callsOf, contentText, resultOf } from "../../src/core/transcript/message.ts";
import { RUNS } from "../support/transcripts.ts";
import { jsonl, noted, read, said } from "./reading.ts";

type Fields = Record<string, unknown>;

/** A line in the chain: each follows the one before unless it says otherwise. */
function session(...lines: readonly (Fields | string)[]): readonly unknown[] {
  let last: string | null = null;
  return lines.map((line, index) => {
    if (typeof line === "string" || !("message" in line || line["type"] === "system" || line["type"] === "attachment"))
      return line;
    const uuid = (line["uuid"] as string | undefined) ?? `u${index + 1}`;
    const full = { parentUuid: last, isSidechain: false, sessionId: "s", cwd: "/w", uuid, ...line };
    if (full.isSidechain !== true) last = uuid;
    return full;
  });
}

const user = (content: unknown, more: Fields = {}): Fields => ({
  type: "user",
  message: { role: "user", content },
  ...more,
});
const reply = (id: string, block: Fields, more: Fields = {}): Fields => ({
  type: "assistant",
  message: {
    id,
    role: "assistant",
    model: "claude-x",
    content: [block],
    usage: { input_tokens: 3, cache_read_input_tokens: 40, cache_creation_input_tokens: 5, output_tokens: 7 },
  },
  ...more,
});
const text = (value: string): Fields => ({ type: "text", text: value });
const use = (id: string, input: unknown = {}): Fields => ({ type: "tool_use", id, name: "Bash", input });
const result = (id: string, content: unknown, more: Fields = {}): Fields =>
  user([{ type: "tool_result", tool_use_id: id, content }], more);

const queue = (operation: string, content?: string): Fields => ({
  type: "queue-operation",
  operation,
  sessionId: "s",
  ...(content && { content }),
});
const boundary = (more: Fields = {}): Fields => ({
  type: "system",
  subtype: "compact_boundary",
  parentUuid: null,
  ...more,
});
const summary = user("what happened", { isCompactSummary: true, isVisibleInTranscriptOnly: true });

describe("Claude Code: replies", () => {
  it("joins the lines of one reply and lets its results follow, though they were written between them", () => {
    const log = read(
      "claude-code",
      session(
        user("go"),
        reply("m1", text("looking")),
        reply("m1", use("a", { command: "ls" })),
        result("a", "one"),
        reply("m1", use("b", { command: "pwd" })),
        result("b", [text("two"), text("three")]),
        reply("m2", text("done")),
      ),
    );
    expect(said(log)).toEqual([
      "user: go",
      'assistant: looking +Bash({"command":"ls"}) +Bash({"command":"pwd"})',
      "tool a: one",
      "tool b: two\nthree",
      "assistant: done",
    ]);
    expect(log).toMatchObject({
      model: "claude-x",
      cwd: "/w",
      speaks: "anthropic-messages",
      toolNames: ["Bash"],
      notes: [],
    });
    expect(log.usage).toEqual({ input: 48, output: 7, cacheRead: 40, cacheWrite: 5 });
  });

  it("keeps parallel results that hang beside the branch", () => {
    const log = read(
      "claude-code",
      session(
        user("go"),
        reply("m1", use("a"), { uuid: "call-a" }),
        reply("m1", use("b"), { uuid: "call-b" }),
        result("a", "one", { parentUuid: "call-a" }),
        result("b", "two", { parentUuid: "call-b" }),
        reply("m2", text("done")),
      ),
    );
    expect(said(log).slice(2)).toEqual(["tool a: one", "tool b: two", "assistant: done"]);
  });

  it("takes a repeated line, a repeated block and a growing text once", () => {
    const log = read(
      "claude-code",
      session(
        user("go", { uuid: "first" }),
        reply("m1", text("I will"), { uuid: "second" }),
        reply("m1", text("I will look"), { uuid: "third" }),
        reply("m1", use("a"), { uuid: "fourth" }),
        reply("m1", use("a"), { uuid: "fifth" }),
        reply("m1", use("a"), { uuid: "fifth", parentUuid: "fourth" }),
        result("a", "one"),
        result("a", "one"),
      ),
    );
    expect(said(log)).toEqual(["user: go", "assistant: I will look +Bash({})", "tool a: one"]);
    expect(noted(log)).toEqual([
      ["repeated", 5],
      ["repeated", 8],
    ]);
  });

  it("keeps thinking as text, drops a reply of nothing else, and says so", () => {
    const thinking = { type: "thinking", thinking: "hm", signature: "sig" };
    const log = read(
      "claude-code",
      session(user("go"), reply("m1", thinking), reply("m1", text("yes")), reply("m2", thinking)),
    );
    expect(log.transcript.messages[1]?.parts).toEqual([
      { kind: "reasoning", text: "hm" },
      { kind: "text", text: "yes" },
    ]);
    expect(noted(log)).toEqual([["thinking_only", 4]]);
  });

  it("leaves out API errors, which only the person saw", () => {
    const error = {
      isApiErrorMessage: true,
      message: { role: "assistant", model: "<synthetic>", content: [text("API Error: 529")] },
    };
    const log = read("claude-code", session(user("go"), reply("m1", text("yes")), { type: "assistant", ...error }));
    expect(said(log)).toEqual(["user: go", "assistant: yes"]);
    expect(log.model).toBe("claude-x");
    expect(noted(log)).toEqual([["not_sent", 3]]);
  });

  it("keeps every digit of a large integer in arguments", () => {
    const line = jsonl(session(user("go"), reply("m1", use("a", { id: 0 })))).replace(
      '{"id":0}',
      '{"id":12345678901234567890}',
    );
    const [, answer] = read("claude-code", line).transcript.messages;
    expect(callsOf(answer!)[0]?.arguments).toBe('{"id":12345678901234567890}');
  });
});

describe("Claude Code: results", () => {
  it("answers an aborted call with a stub that claims nothing", () => {
    const log = read("claude-code", session(user("go"), reply("m1", use("a")), user("stop")));
    expect(said(log)[2]).toMatch(/^tool a \[stub\]: .*no result/);
    expect(said(log)[3]).toBe("user: stop");
    expect(noted(log)).toEqual([["dangling_call", 2]]);
  });

  it("keeps the text of a result whose call is lost, marked as a note", () => {
    const log = read("claude-code", session(result("lost", "a long log"), user("go"), reply("m1", text("yes"))));
    expect(said(log)[0]).toMatch(/^user \[note\]: .*\na long log$/);
    expect(log.injected).toEqual([0]);
    expect(noted(log)).toEqual([["orphan_result", 1]]);
  });

  it("moves a late result to its call, ahead of what was typed meanwhile", () => {
    const log = read("claude-code", session(user("go"), reply("m1", use("a")), user("faster"), result("a", "one", {})));
    expect(said(log).slice(1)).toEqual(["assistant: +Bash({})", "tool a: one", "user: faster"]);
  });

  it("splits a line of result and words, marks failures, carries images, ignores what is for the screen", () => {
    const source = { type: "base64", media_type: "image/png", data: "AAAA" };
    const content = [
      { type: "tool_result", tool_use_id: "a", is_error: true, content: [text("no"), { type: "image", source }] },
      text("and hurry"),
    ];
    const log = read(
      "claude-code",
      session(user("go"), reply("m1", use("a")), user(content, { toolUseResult: { stdout: "for the screen" } })),
    );
    expect(said(log).slice(2)).toEqual(["tool a!: no", "user: and hurry"]);
    expect(resultOf(log.transcript.messages[2]!)?.content[1]).toEqual({
      kind: "image",
      source: { type: "data", mediaType: "image/png", data: "AAAA" },
    });
  });

  it("pairs calls without ids in order, under ids that are the same at every reading", () => {
    const lines = session(
      user("go"),
      reply("m1", { type: "tool_use", name: "Bash", input: {} }),
      user([{ type: "tool_result", content: "ok" }]),
    );
    const log = read("claude-code", lines);
    expect(said(log).slice(1)).toEqual(["assistant: +Bash({})", "tool call_2_0: ok"]);
    expect(said(read("claude-code", lines))).toEqual(said(log));
  });
});

describe("Claude Code: who speaks", () => {
  it("leaves subagents out of the main conversation, and reads a file that is nothing else", () => {
    const side = [
      user("search", { isSidechain: true, parentUuid: null }),
      reply("s1", text("found"), { isSidechain: true, parentUuid: "u2" }),
    ];
    const log = read("claude-code", session(user("go"), ...side, reply("m1", text("yes"))));
    expect(said(log)).toEqual(["user: go", "assistant: yes"]);
    expect(noted(log)).toEqual([["sidechain_skipped", 2]]);
    const sent = JSON.stringify({ type: "api-request-blob", hash: "h", message: { role: "user", content: "search" } });
    const alone = read("claude-code", session(sent, ...side));
    expect(said(alone)).toEqual(["user: search", "assistant: found"]);
    expect(noted(alone)).toEqual([]);
  });

  it("knows what the agent itself wrote in the person's name", () => {
    const attachment = {
      type: "attachment",
      attachment: { type: "edited_text_file", filename: "/w/a.ts", snippet: "1 x" },
    };
    const log = read(
      "claude-code",
      session(user("go"), user("caveat", { isMeta: true }), attachment, reply("m1", text("yes"))),
    );
    expect(said(log)[2]).toBe("user: <system-reminder>\n/w/a.ts\n1 x\n</system-reminder>");
    expect(log.injected).toEqual([1, 2]);
  });

  it("keeps what was typed while the agent worked, where only the queue recorded it", () => {
    const log = read(
      "claude-code",
      session(
        user("go"),
        reply("m1", use("a")),
        queue("enqueue", "and the tests"),
        queue("enqueue", "never mind"),
        queue("remove"),
        queue("popAll", "never mind"),
        result("a", "one"),
        queue("enqueue", "thanks"),
        queue("dequeue"),
        user("thanks"),
        queue("enqueue", "bye"),
        queue("remove"),
        { type: "attachment", attachment: { type: "queued_command", prompt: "bye" } },
      ),
    );
    expect(said(log)).toEqual([
      "user: go",
      "assistant: +Bash({})",
      "tool a: one",
      "user: and the tests",
      "user: thanks",
      "user: bye",
    ]);
    expect(log.injected).toEqual([]);
  });

  it("names kinds of lines it does not know, and passes over those that only keep books", () => {
    const books = ["progress", "file-history-snapshot", "ai-title", "permission-mode"].map((type) => ({
      type,
      sessionId: "s",
    }));
    const log = read("claude-code", session(user("go"), ...books, { type: "tomorrow", sessionId: "s" }));
    expect(noted(log)).toEqual([["unknown_type", 6]]);
  });
});

describe("Claude Code: branches and compactions", () => {
  it("follows the branch of the last line after a rewind", () => {
    const log = read(
      "claude-code",
      session(
        user("go", { uuid: "root" }),
        reply("m1", text("wrong way")),
        user("no, this way", { parentUuid: "root" }),
        reply("m2", text("right")),
      ),
    );
    expect(said(log)).toEqual(["user: go", "user: no, this way", "assistant: right"]);
    expect(noted(log)).toEqual([["branch_skipped", 2]]);
  });

  it("bridges a line that was lost", () => {
    const log = read(
      "claude-code",
      session(
        user("go"),
        '{"parentUuid":"u1","uuid":"lost","message":{"role":"assis',
        reply("m2", text("yes"), { parentUuid: "lost" }),
      ),
    );
    expect(said(log)).toEqual(["user: go", "assistant: yes"]);
    expect(noted(log)).toEqual([["corrupt_line", 2]]);
  });

  it("begins at the last compaction, or goes back behind all of them", () => {
    const lines = session(
      user("go"),
      reply("m1", use("a")),
      result("a", "one"),
      boundary({ logicalParentUuid: "u3" }),
      summary,
      reply("m2", text("on")),
    );
    const live = read("claude-code", lines);
    expect(said(live)).toEqual(["user [summary]: what happened", "assistant: on"]);
    expect(noted(live)).toEqual([["history_replaced", 1]]);
    const all = read("claude-code", lines, { history: "all" });
    expect(said(all)).toEqual([
      "user: go",
      "assistant: +Bash({})",
      "tool a: one",
      "user [summary]: what happened",
      "assistant: on",
    ]);
    expect(all.notes).toEqual([]);
  });

  it.each(["live", "all"] as const)("is not led in a circle by a boundary that points forward (%s)", (history) => {
    const lines = session(
      user("go"),
      reply("m1", text("a")),
      boundary({ logicalParentUuid: "u5" }),
      summary,
      reply("m2", text("on")),
    );
    const behind = history === "all" ? ["user: go", "assistant: a"] : [];
    expect(said(read("claude-code", lines, { history }))).toEqual([
      ...behind,
      "user [summary]: what happened",
      "assistant: on",
    ]);
  });

  it.each([
    ["by range", { preservedSegment: { headUuid: "keep-1", anchorUuid: "sum", tailUuid: "keep-2" } }],
    ["by list", { preservedMessages: { anchorUuid: "sum", uuids: ["keep-1", "keep-2"] } }],
  ])("sends messages that a compaction carried over behind its summary (%s)", (_, compactMetadata) => {
    const lines = session(
      user("old"),
      reply("m1", text("older")),
      user("kept", { uuid: "keep-1" }),
      reply("m2", text("kept too"), { uuid: "keep-2" }),
      boundary({ compactMetadata, logicalParentUuid: "keep-2" }),
      { ...summary, uuid: "sum" },
      user("next"),
    );
    const kept = ["user: kept", "assistant: kept too"];
    expect(said(read("claude-code", lines))).toEqual(["user [summary]: what happened", ...kept, "user: next"]);
    expect(said(read("claude-code", lines, { history: "all" }))).toEqual([
      "user: old",
      "assistant: older",
      ...kept,
      "user [summary]: what happened",
      "user: next",
    ]);
  });
});

describe("Claude Code: any session", () => {
  const ids = fc.constantFrom("a", "b", "c", "d");
  const events = fc.oneof(
    fc.nat(999).map((n) => user(`words ${n}`)),
    fc.tuple(ids, fc.nat(999)).map(([id, n]) => reply(`m-${id}`, text(`reply ${n}`))),
    fc.tuple(ids, ids).map(([message, call]) => reply(`m-${message}`, use(`call-${call}`))),
    fc.tuple(ids, fc.nat(999)).map(([call, n]) => result(`call-${call}`, `result ${n}`)),
    fc.nat(999).map((n) => user(`side ${n}`, { isSidechain: true })),
    fc.nat(20).map((n) => reply("m-z", text("rewound"), { parentUuid: `u${n}` })),
    fc.constant('{"half'),
  );

  it("gives a valid transcript, and loses no words of the branch", () => {
    fc.assert(
      fc.property(fc.array(events, { minLength: 1, maxLength: 20 }), (lines) => {
        const records = session(user("start"), ...lines);
        const log = read("claude-code", records, { history: "all" });
        const told = log.transcript.messages.map((message) => contentText(message.parts)).join("\n");
        const skipped = log.notes.some(({ code }) => code === "branch_skipped");
        const words = records.flatMap((record) => JSON.stringify(record).match(/(?:words|reply|result) \d+/g) ?? []);
        expect(skipped ? [] : words.filter((word) => !told.includes(word))).toEqual([]);
        expect(told).not.toContain("side ");
      }),
      { numRuns: RUNS },
    );
  });
});
