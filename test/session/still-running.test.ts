/** Agents and commands that still run when a conversation is compacted are told as running, with their ids, and not as done. */
import { describe, expect, it } from "vitest";
import { contentText } from "../../src/core/transcript/message.ts";
import { protocols } from "../../src/protocols/index.ts";
import { type ProtocolName } from "../../src/core/protocols.ts";
import { createRuntime } from "../../src/session/runtime.ts";

const FILE = "export const limit = 1;\n".repeat(120);
const PARTS = Array.from({ length: 30 }, (_, part) => part);

/** A client's own words for what it started: Claude Code. */
const claude = {
  model: "claude-sonnet-4-5",
  messages: [
    { role: "user", content: "Audit the billing module." },
    {
      role: "assistant",
      content: [
        { type: "tool_use", id: "a1", name: "Agent", input: { description: "Audit invoices", prompt: "Audit them." } },
        { type: "tool_use", id: "a2", name: "Agent", input: { description: "Audit refunds", prompt: "Audit them." } },
        { type: "tool_use", id: "b1", name: "Bash", input: { command: "npm test", run_in_background: true } },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "a1", content: "Async agent launched successfully.\nagentId: a7f3c91" },
        { type: "tool_result", tool_use_id: "a2", content: "Async agent launched successfully.\nagentId: e2222bb" },
        { type: "tool_result", tool_use_id: "b1", content: "Command running in background with ID: bk7x2q." },
      ],
    },
    {
      role: "user",
      content:
        "<task-notification>\n<task-id>e2222bb</task-id>\n<status>completed</status>\n<result>Refunds are fine.</result>\n</task-notification>",
    },
    ...PARTS.flatMap((part) => [
      { role: "user", content: `Look at part ${part}.` },
      {
        role: "assistant",
        content: [{ type: "tool_use", id: `r${part}`, name: "Read", input: { file_path: `src/part${part}.ts` } }],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: `r${part}`, content: FILE }] },
      { role: "assistant", content: `Part ${part} is fine.` },
    ]),
  ],
};

const call = (call_id: string, name: string, given: object, output: string) => [
  { type: "function_call", call_id, name, arguments: JSON.stringify(given) },
  { type: "function_call_output", call_id, output },
];
const said = (role: "user" | "assistant", text: string) => ({
  type: "message",
  role,
  content: [{ type: role === "user" ? "input_text" : "output_text", text }],
});

/** The same with Codex, which answers with ids alone. */
const codex = {
  model: "gpt-5.6-sol",
  input: [
    said("user", "Audit the billing module."),
    ...call("a1", "spawn_agent", { message: "Audit invoices." }, '{"agent_id":"a7f3c91","nickname":"Euclid"}'),
    ...call("a2", "spawn_agent", { message: "Audit refunds." }, '{"agent_id":"e2222bb","nickname":"Gauss"}'),
    ...call(
      "b1",
      "exec_command",
      { cmd: "npm test" },
      "Wall time: 1 s\nProcess running with session ID 40217\nOutput:\n",
    ),
    ...call("w1", "wait", { ids: ["e2222bb"] }, '{"status":{"e2222bb":{"completed":"Refunds are fine."}}}'),
    ...PARTS.flatMap((part) => [
      said("user", `Look at part ${part}.`),
      ...call(`r${part}`, "exec_command", { cmd: `cat src/part${part}.ts` }, FILE),
      said("assistant", `Part ${part} is fine.`),
    ]),
  ],
};

async function sections(protocol: ProtocolName, body: object, share: number): Promise<ReadonlyMap<string, string>> {
  const { transcript } = protocols[protocol].decode(JSON.stringify(body));
  const runtime = createRuntime({ settings: { contextLength: 60_000, protectFirstN: 0 } });
  const outcome = await runtime.compact(transcript, { budget: Math.floor(30_000 * share) });
  if (outcome.kind === "unchanged") throw new Error(outcome.because);
  const summary = outcome.transcript.messages.find(({ origin }) => origin === "summary")!;
  const parts = contentText(summary.parts).split(/^## /m).slice(1);
  return new Map(parts.map((part) => [part.slice(0, part.indexOf("\n")), part]));
}

describe.each([0.05, 0.1, 0.2])("at %f of the size", (share) => {
  it.each([
    ["anthropic-messages", claude, ["a7f3c91", "bk7x2q"]],
    ["openai-responses", codex, ["a7f3c91", "40217"]],
  ] as const)("in %s", async (protocol, body, ids) => {
    const told = await sections(protocol, body, share);
    const progress = told.get("In Progress") ?? "";
    for (const id of ids) expect(progress).toContain(id);
    expect(progress).not.toContain("e2222bb");
    const rest = [...told].filter(([name]) => name !== "In Progress").map(([, text]) => text);
    for (const id of ids) expect(rest.join("\n")).not.toContain(id);
    expect(told.get("Completed Actions")).not.toContain("→ running");
  });
});
