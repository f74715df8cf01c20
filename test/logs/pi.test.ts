import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { violationsOf } from "../../src/core/transcript/oracle.ts";
import { RUNS } from "../support/transcripts.ts";
import { noted, read, said } from "./reading.ts";

type Fields = Record<string, unknown>;

const HEADER = { type: "session", version: 3, id: "s", timestamp: "t", cwd: "/w" };

const user = (text: string): Fields => ({ role: "user", content: [{ type: "text", text }] });
const reply = (...content: readonly Fields[]): Fields => ({
  role: "assistant",
  content,
  model: "claude-x",
  stopReason: "stop",
  usage: { input: 10, output: 5, cacheRead: 20, cacheWrite: 2, totalTokens: 37 },
});
const text = (value: string): Fields => ({ type: "text", text: value });
const call = (id: string, args: Fields = {}): Fields => ({ type: "toolCall", id, name: "bash", arguments: args });
const result = (id: string, content: unknown, isError = false): Fields => ({
  role: "toolResult",
  toolCallId: id,
  toolName: "bash",
  content,
  isError,
});

/** A tree: entries are messages, or entries of other kinds; each follows the one before unless it names a parent. */
function tree(...entries: readonly Fields[]): readonly Fields[] {
  return [
    HEADER,
    ...entries.map((entry, index) => {
      const full = "role" in entry ? { type: "message", message: entry } : entry;
      return { id: `e${index + 1}`, parentId: index === 0 ? null : `e${index}`, timestamp: "t", ...full };
    }),
  ];
}

describe("pi sessions", () => {
  it("reads messages, calls and results, with what the header and the replies report", () => {
    const log = read(
      "pi",
      tree(
        user("go"),
        reply({ type: "thinking", thinking: "hm" }, text("looking"), call("a", { command: "ls" })),
        result("a", [text("one")], true),
        reply(text("done")),
      ),
    );
    expect(said(log)).toEqual([
      "user: go",
      'assistant: looking +bash({"command":"ls"})',
      "tool a!: one",
      "assistant: done",
    ]);
    expect(log).toMatchObject({
      cwd: "/w",
      model: "claude-x",
      speaks: "openai-chat",
      usage: { input: 32, output: 5, cacheRead: 20, cacheWrite: 2 },
    });
  });

  it("sends what edits of the context leave, and the system prompt as its sections are now", () => {
    const records = tree(
      { role: "system", content: "", sections: { base: "You code.", skills: "none" } },
      user("go"),
      reply(text("looking"), call("a")),
      result("a", [text("a secret")]),
      reply(),
      user("wrong"),
      { type: "context_edit", targetId: "e4", replacement: "[removed]" },
      { type: "context_edit", targetId: "e5", replacement: null },
      { type: "context_edit", targetId: "e6", replacement: "wronger" },
      { type: "context_edit", targetId: "e6", replacement: "right" },
      { type: "usage", kind: "cache_warm", usage: { input: 1 } },
      { role: "system", content: "", sections: { skills: null, cwd: "/w" } },
      reply(text("done")),
    );
    const log = read("pi", records);
    expect(said(log)).toEqual([
      "user: go",
      "assistant: looking +bash({})",
      "tool a: [removed]",
      "user: right",
      "assistant: done",
    ]);
    expect(log.transcript.system.map(({ parts }) => parts)).toEqual([[{ kind: "text", text: "You code.\n\n/w" }]]);
    expect(noted(log)).toEqual([]);
    expect(said(read("pi", records, { history: "all" })).slice(2, 4)).toEqual(["tool a: a secret", "user: wrong"]);
    const compacted = { type: "compaction", summary: "went", firstKeptEntryId: "e1" };
    const checkpoint = { role: "system", content: "", sections: { base: "You write." } };
    const later = tree(user("go"), { ...compacted, systemMessage: checkpoint }, user("on"));
    expect(read("pi", later).transcript.system.map(({ parts }) => parts)).toEqual([
      [{ kind: "text", text: "You write." }],
    ]);
  });

  it("reads version 1, a list without ids", () => {
    const bare = [user("go"), reply(text("yes")), user("more")].map((message) => ({
      type: "message",
      timestamp: "t",
      message,
    }));
    expect(said(read("pi", [{ type: "session", id: "s", timestamp: "t", cwd: "/w" }, ...bare]))).toEqual([
      "user: go",
      "assistant: yes",
      "user: more",
    ]);
  });

  it("follows the branch of the last entry, and bridges a parent that is not there", () => {
    const log = read(
      "pi",
      tree(
        user("go"),
        reply(text("wrong way")),
        { type: "branch_summary", summary: "tried", parentId: "e1" },
        { type: "message", message: user("right"), parentId: "gone" },
      ),
    );
    expect(said(log)).toEqual(["user: go", "user [summary]: tried", "user: right"]);
    expect(noted(log)).toEqual([["branch_skipped", 3]]);
  });

  it.each([
    ["by id", { firstKeptEntryId: "e3" }],
    ["by the record's number, as version 1 did", { firstKeptEntryIndex: 3 }],
  ])("sends the last summary, then what it left standing (%s)", (_, kept) => {
    const records = tree(
      user("old"),
      reply(text("older")),
      user("kept"),
      { type: "compaction", summary: "sum", ...kept },
      reply(text("on")),
    );
    expect(said(read("pi", records))).toEqual(["user [summary]: sum", "user: kept", "assistant: on"]);
    expect(noted(read("pi", records))).toEqual([["history_replaced", 5]]);
    expect(said(read("pi", records, { history: "all" }))).toEqual([
      "user: old",
      "assistant: older",
      "user: kept",
      "user [summary]: sum",
      "assistant: on",
    ]);
  });

  it("tells the model of commands the person ran, unless kept from it", () => {
    const bash = { role: "bashExecution", command: "ls", output: "files", exitCode: 2 };
    const log = read(
      "pi",
      tree(
        user("go"),
        bash,
        { ...bash, excludeFromContext: true },
        { type: "custom_message", content: "from an extension" },
      ),
    );
    expect(said(log).slice(1)).toEqual([
      "user: Ran `ls`\n```\nfiles\n```\n\nCommand exited with code 2",
      "user: from an extension",
    ]);
    expect(log.injected).toEqual([1, 2]);
    expect(noted(log)).toEqual([["not_sent", 4]]);
  });

  it("says of the calls of an aborted reply that they were never run, and keeps what it said", () => {
    const log = read(
      "pi",
      tree(user("go"), { ...reply(text("let me"), call("a"), call("b")), stopReason: "aborted" }, user("stop")),
    );
    expect(said(log).slice(2)).toEqual([
      expect.stringMatching(/^tool a!: .*never run/),
      expect.stringMatching(/^tool b!: .*never run/),
      "user: stop",
    ]);
    expect(noted(log)).toEqual([]);
  });

  it("passes over settings and labels, and names kinds it does not know", () => {
    const log = read(
      "pi",
      tree(
        user("go"),
        { type: "model_change", modelId: "other" },
        { type: "label", targetId: "e1" },
        { type: "hologram" },
      ),
    );
    expect(said(log)).toEqual(["user: go"]);
    expect(log.model).toBe("other");
    expect(noted(log)).toEqual([["unknown_type", 5]]);
  });

  it("is valid whatever the tree", () => {
    const ids = fc.constantFrom("a", "b", "c");
    const messages = fc.oneof(
      fc.constant(user("words")),
      fc.array(ids, { maxLength: 3 }).map((calls) => reply(...calls.map((id) => call(id)))),
      ids.map((id) => result(id, "result")),
    );
    const entries = fc.oneof(
      { weight: 8, arbitrary: messages },
      {
        weight: 2,
        arbitrary: fc
          .tuple(messages, fc.nat(20))
          .map(([message, parent]) => ({ type: "message", message, parentId: `e${parent}` })),
      },
      {
        weight: 1,
        arbitrary: fc.nat(20).map((kept) => ({ type: "compaction", summary: "sum", firstKeptEntryId: `e${kept}` })),
      },
    );
    fc.assert(
      fc.property(fc.array(entries, { maxLength: 20 }), fc.constantFrom("live", "all"), (records, history) => {
        expect(violationsOf(read("pi", tree(...records), { history }).transcript)).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });
});
