import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { callsOf, contentText } from "../../src/core/transcript/message.ts";
import { violationsOf } from "../../src/core/transcript/oracle.ts";
import { RUNS } from "../support/transcripts.ts";
import { noted, read, said } from "./reading.ts";

type Fields = Record<string, unknown>;

const line = (type: string, payload: Fields): Fields => ({ timestamp: "2026-01-01T00:00:00Z", type, payload });
const item = (payload: Fields): Fields => line("response_item", payload);
const event = (payload: Fields): Fields => line("event_msg", payload);
const message = (role: string, text: string): Fields => ({
  type: "message",
  role,
  content: [{ type: role === "assistant" ? "output_text" : "input_text", text }],
});
const say = (role: string, text: string): Fields => item(message(role, text));
const call = (id: string, args = "{}"): Fields =>
  item({ type: "function_call", name: "shell", call_id: id, arguments: args });
const output = (id: string, value: unknown): Fields =>
  item({ type: "function_call_output", call_id: id, output: value });

const META = line("session_meta", {
  id: "s",
  cwd: "/w",
  cli_version: "0.1.0",
  base_instructions: { text: "You are Codex." },
});

describe("Codex rollouts", () => {
  it("sets instructions and leading developer messages beside the conversation", () => {
    const log = read("codex", [
      META,
      line("turn_context", { cwd: "/w/x", model: "gpt-x" }),
      say("developer", "permissions"),
      say("user", "<environment_context><cwd>/w</cwd></environment_context>"),
      say("user", "go"),
      say("developer", "later"),
      event({ type: "user_message", message: "go" }),
      event({
        type: "token_count",
        info: { last_token_usage: { input_tokens: 90, cached_input_tokens: 60, output_tokens: 5 } },
      }),
    ]);
    expect(log.transcript.system.map((one) => contentText(one.parts))).toEqual(["You are Codex.", "permissions"]);
    expect(said(log).slice(1)).toEqual(["user: go", "system: later"]);
    expect(log.injected).toEqual([0]);
    expect(log).toMatchObject({
      model: "gpt-x",
      cwd: "/w/x",
      speaks: "openai-responses",
      usage: { input: 90, output: 5, cacheRead: 60, cacheWrite: 0 },
    });
  });

  it("makes one reply of the items that stand together", () => {
    const log = read("codex", [
      say("user", "go"),
      item({ type: "reasoning", summary: [{ type: "summary_text", text: "plan" }], encrypted_content: "…" }),
      say("assistant", "looking"),
      call("a", '{"n":12345678901234567890}'),
      call("b"),
      output("b", "two"),
      output("a", { content: "one", success: true }),
      say("assistant", "done"),
    ]);
    expect(said(log)).toEqual([
      "user: go",
      'assistant: looking +shell({"n":12345678901234567890}) +shell({})',
      "tool b: two",
      "tool a: one",
      "assistant: done",
    ]);
    expect(log.transcript.messages[1]?.parts[0]).toEqual({ kind: "reasoning", text: "plan" });
  });

  it("knows every kind of call, and what it cannot send again stays opaque", () => {
    const log = read("codex", [
      item({ type: "custom_tool_call", call_id: "a", name: "apply_patch", input: "*** Begin" }),
      item({ type: "local_shell_call", call_id: "b", action: { type: "exec", command: ["ls"] } }),
      item({ type: "tool_search_call", call_id: "c", arguments: { query: "x" } }),
      item({ type: "web_search_call", id: "w", action: { type: "search", query: "x" } }),
      item({ type: "ghost_snapshot", ghost_commit: {} }),
      item({ type: "additional_tools", role: "developer", tools: [] }),
      item({ type: "configuration_update", reasoning: { effort: "high" } }),
      item({ type: "custom_tool_call_output", call_id: "a", output: [{ type: "input_text", text: "patched" }] }),
      item({ type: "local_shell_call_output", call_id: "b", output: "files" }),
      item({ type: "tool_search_output", call_id: "c", tools: [] }),
      item({ type: "hologram" }),
    ]);
    expect(said(log)[0]).toBe(
      'assistant: [web search, run by the provider]\n> x +apply_patch(*** Begin) +local_shell({"type":"exec","command":["ls"]}) +tool_search({"query":"x"})',
    );
    expect(callsOf(log.transcript.messages[0]!)[0]?.custom).toBe(true);
    expect(log.transcript.messages[0]?.parts.at(-1)).toMatchObject({ kind: "opaque", type: "web_search_call" });
    expect(said(log).slice(1, 3)).toEqual(["tool a: patched", "tool b: files"]);
    expect(noted(log)).toEqual([["unknown_type", 11]]);
  });

  it("carries arguments that are not JSON as a JSON string", () => {
    const log = read("codex", [call("a", "ls -la"), output("a", "files")]);
    expect(said(log)[0]).toBe('assistant: +shell("ls -la")');
    expect(noted(log)).toEqual([["arguments_not_json", 1]]);
  });

  it("puts the recorded replacement in the place of the history, unless all of it is wanted", () => {
    const handoff = "Another language model started to solve this problem and left this.\nsummary";
    const records = [
      say("user", "go"),
      call("a"),
      output("a", "one"),
      line("compacted", { message: "summary", replacement_history: [message("user", "go"), message("user", handoff)] }),
      say("assistant", "on"),
    ];
    expect(said(read("codex", records))).toEqual(["user: go", `user [summary]: ${handoff}`, "assistant: on"]);
    expect(noted(read("codex", records))).toEqual([["history_replaced", 4]]);
    expect(said(read("codex", records, { history: "all" }))).toEqual([
      "user: go",
      "assistant: +shell({})",
      "tool a: one",
      `user [summary]: ${handoff}`,
      "assistant: on",
    ]);
  });

  it("keeps the newest requests beside the summary of an older file, up to their budget", () => {
    const long = "word ".repeat(30_000);
    const records = [
      say("user", long),
      say("user", "go"),
      say("assistant", "yes"),
      line("compacted", { message: "summary" }),
      say("user", "on"),
    ];
    expect(said(read("codex", records))).toEqual(["user: go", "user [summary]: summary", "user: on"]);
  });

  it("keeps an encrypted compaction as it is", () => {
    const log = read("codex", [
      say("user", "go"),
      line("compacted", { message: "", replacement_history: [{ type: "compaction", encrypted_content: "…" }] }),
    ]);
    expect(log.transcript.messages).toMatchObject([
      { role: "user", origin: "summary", parts: [{ kind: "opaque", type: "compaction" }] },
    ]);
  });

  it("takes rolled-back turns away", () => {
    const records = [
      say("user", "go"),
      say("assistant", "a"),
      say("user", "<environment_context>"),
      say("user", "wrong"),
      call("x"),
      event({ type: "thread_rolled_back", num_turns: 1 }),
      say("user", "right"),
    ];
    expect(said(read("codex", records))).toEqual([
      "user: go",
      "assistant: a",
      "user: <environment_context>",
      "user: right",
    ]);
    expect(noted(read("codex", records))).toEqual([["branch_skipped", 6]]);
  });

  it("takes back a compaction with the turn that made it", () => {
    const records = [
      say("user", "go"),
      say("assistant", "a"),
      say("user", "wrong"),
      line("compacted", { message: "m", replacement_history: [message("user", "go"), message("user", "wrong")] }),
      say("assistant", "gone"),
      event({ type: "thread_rolled_back", num_turns: 1 }),
      say("user", "right"),
    ];
    expect(said(read("codex", records))).toEqual(["user: go", "assistant: a", "user: right"]);
    const listed = line("compacted", {
      message: "",
      replacement_history: [message("user", "go"), message("user", "on")],
    });
    const back = event({ type: "thread_rolled_back", num_turns: 2 });
    expect(said(read("codex", [listed, say("user", "wrong"), back, say("user", "right")]))).toEqual([
      "user: go",
      "user: right",
    ]);
  });

  it("reads what other agents say, in items and in records of their own, and what a response used", () => {
    const usage = { input_tokens: 70, cached_input_tokens: 20, output_tokens: 6 };
    const log = read("codex", [
      say("user", "go"),
      item({
        type: "agent_message",
        author: "/root/a",
        recipient: "/root",
        content: [
          { type: "input_text", text: "240 rows" },
          { type: "encrypted_content", encrypted_content: "g" },
        ],
      }),
      line("inter_agent_communication", {
        author: "/root/b",
        recipient: "/root",
        content: "12 rows",
        trigger_turn: false,
      }),
      line("inter_agent_communication_metadata", { trigger_turn: false }),
      line("token_usage_record", { response_id: "r", usage }),
      line("security_risk_score", { score: 1 }),
      line("realtime_item", { type: "x" }),
    ]);
    expect(said(log)).toEqual([
      "user: go",
      'user: <agent-message from="/root/a">\n240 rows\n</agent-message>',
      'user: <agent-message from="/root/b">\n12 rows\n</agent-message>',
    ]);
    expect(log.usage).toEqual({ input: 70, output: 6, cacheRead: 20, cacheWrite: 0 });
    expect(noted(log)).toEqual([]);
  });

  it("reads the bare items of the first versions", () => {
    const bare = { timestamp: "t", role: "user", content: "translate", model: "gpt-old" };
    const log = read("codex", [
      { id: "s", timestamp: "t", instructions: "Be brief." },
      { record_type: "state" },
      bare,
      { timestamp: "t", type: "tool_call", function: { name: "translate" }, arguments: '{"to":"es"}' },
      { timestamp: "t", type: "tool_result", name: "translate", result: "hola" },
      { created_at: "t", role: "assistant", content: "hola" },
    ]);
    expect(said(log)).toEqual([
      "user: translate",
      'assistant: +translate({"to":"es"})',
      "tool call_4_0: hola",
      "assistant: hola",
    ]);
    expect(contentText(log.transcript.system[0]!.parts)).toBe("Be brief.");
    expect(log.model).toBe("gpt-old");
  });

  it("falls back on what was shown where no items were recorded", () => {
    const log = read("codex", [
      META,
      event({ type: "user_message", message: "go" }),
      event({ type: "agent_message", message: "yes" }),
    ]);
    expect(said(log)).toEqual(["user: go", "assistant: yes"]);
  });

  it("gives an empty transcript for a session without a word", () => {
    const log = read("codex", [META, event({ type: "token_count", info: null })]);
    expect(said(log)).toEqual([]);
    expect(noted(log)).toEqual([["no_messages", 0]]);
  });

  it("is valid whatever the order of items, compactions and rollbacks", () => {
    const ids = fc.constantFrom("a", "b", "c");
    const events = fc.oneof(
      fc.constantFrom("user", "assistant", "developer").map((role) => say(role, "words")),
      fc.tuple(ids, fc.string()).map(([id, args]) => call(id, args)),
      ids.map((id) => output(id, "result")),
      fc.nat(3).map((turns) => event({ type: "thread_rolled_back", num_turns: turns })),
      fc
        .array(ids, { maxLength: 3 })
        .map((kept) => line("compacted", { message: "m", replacement_history: kept.map((id) => message("user", id)) })),
      fc.constant(line("compacted", { message: "m" })),
    );
    fc.assert(
      fc.property(fc.array(events, { maxLength: 20 }), fc.constantFrom("live", "all"), (records, history) => {
        expect(violationsOf(read("codex", [META, ...records], { history }).transcript)).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });
});

describe("results that only events of a Codex rollout tell", () => {
  const ended = (id: string, rest: Fields): Fields => event({ call_id: id, turn_id: "t", ...rest });
  const ran = (id: string, exit: number, rest: Fields = {}): Fields =>
    ended(id, { type: "exec_command_end", exit_code: exit, duration: { secs: 2, nanos: 4e8 }, stdout: "", ...rest });
  const apply = (id: string): Fields =>
    item({ type: "custom_tool_call", call_id: id, name: "apply_patch", input: "p" });

  it("reads the end of a command with its status and what it printed, in whichever form was kept", () => {
    const log = read("codex", [
      say("user", "go"),
      call("a"),
      call("b"),
      call("c"),
      ran("a", 0, { aggregated_output: "23\n", status: "completed" }),
      ran("b", 2, { stdout: "half", stderr: "broken", status: "failed" }),
      ran("c", -1, { status: "declined" }),
      say("assistant", "done"),
    ]);
    expect(said(log).slice(2)).toEqual([
      "tool a: Exit code: 0\nOutput:\n23\n",
      "tool b!: Exit code: 2\nOutput:\nhalfbroken",
      "tool c!: rejected by user",
      "assistant: done",
    ]);
    expect(noted(log)).toEqual([]);
  });

  it("reads the ends of patches, of tools of MCP servers and of tools that the client brings", () => {
    const log = read("codex", [
      say("user", "go"),
      apply("p"),
      apply("q"),
      ...["m", "n", "d", "e"].map((id) => call(id)),
      ended("p", { type: "patch_apply_end", stdout: "Success.\n", stderr: "", success: true, status: "completed" }),
      ended("q", { type: "patch_apply_end", stdout: "", stderr: "no such file", success: false, status: "failed" }),
      ended("m", { type: "mcp_tool_call_end", result: { Ok: { content: [{ type: "text", text: "three rows" }] } } }),
      ended("n", { type: "mcp_tool_call_end", result: { Err: "server is gone" } }),
      ended("d", {
        type: "dynamic_tool_call_response",
        content_items: [{ type: "input_text", text: "opened" }],
        success: true,
        error: null,
      }),
      ended("e", { type: "dynamic_tool_call_response", content_items: [], success: false, error: "closed" }),
    ]);
    expect(said(log).slice(2)).toEqual([
      "tool p: Success.\n",
      "tool q!: no such file",
      "tool m: three rows",
      "tool n!: server is gone",
      "tool d: opened",
      "tool e!: closed",
    ]);
  });

  it("keeps what the model read where an item tells it, and takes no command of the user for a result", () => {
    const log = read("codex", [
      say("user", "go"),
      call("a"),
      ran("a", 0, { aggregated_output: "for the screen" }),
      output("a", "for the model"),
      ran("typed-by-the-user", 0, { aggregated_output: "ls", source: "user_shell" }),
      call("open"),
    ]);
    expect(said(log).filter((one) => one.startsWith("tool"))).toEqual([
      "tool a: for the model",
      expect.stringContaining("tool open [stub]: "),
    ]);
    expect(noted(log)).toEqual([["dangling_call", 6]]);
  });

  it("forgets what a rollback took away", () => {
    const log = read("codex", [
      say("user", "one"),
      say("assistant", "1"),
      say("user", "two"),
      call("a"),
      ran("a", 0, { aggregated_output: "gone" }),
      event({ type: "thread_rolled_back", num_turns: 1 }),
    ]);
    expect(said(log)).toEqual(["user: one", "assistant: 1"]);
  });
});
