/** What tools that the provider runs answered, within the model's own message: found by its words once it is removed, and told in the handoff. */
import { describe, expect, it } from "vitest";
import { createSession } from "../../src/index.ts";
import { protocols } from "../../src/protocols/index.ts";
import { type ProtocolName } from "../../src/core/protocols.ts";
import { filler } from "../support/compacting.ts";

type Json = Readonly<Record<string, unknown>>;

const anthropicResult = (type: string, content: unknown): readonly Json[] => [
  { type: "server_tool_use", id: "srvtoolu_1", name: type.replace("_tool_result", ""), input: { question: "Which?" } },
  { type, tool_use_id: "srvtoolu_1", content },
];

function anthropic(blocks: readonly Json[]): Json {
  const rounds = Array.from({ length: 16 }, (_, at): readonly Json[] => [
    {
      role: "assistant",
      content: [
        ...(at === 4 ? [{ type: "text", text: "I ask." }, ...blocks] : []),
        { type: "tool_use", id: `toolu_${at}`, name: "read", input: { at } },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: `toolu_${at}`, content: filler(800, `part${at}`) }] },
  ]);
  return {
    model: "claude-sonnet-4-5",
    max_tokens: 99,
    messages: [{ role: "user", content: "Go on." }, ...rounds.flat()],
  };
}

function responses(item: Json): Json {
  const rounds = Array.from({ length: 16 }, (_, at): readonly Json[] => [
    ...(at === 4 ? [item] : []),
    { type: "function_call", call_id: `call_${at}`, name: "read", arguments: `{"at":${at}}` },
    { type: "function_call_output", call_id: `call_${at}`, output: filler(800, `part${at}`) },
  ]);
  return { model: "gpt-5.4", store: false, input: [{ role: "user", content: "Go on." }, ...rounds.flat()] };
}

function gemini(part: Json): Json {
  const rounds = Array.from({ length: 16 }, (_, at): readonly Json[] => [
    { role: "model", parts: [...(at === 4 ? [part] : []), { functionCall: { name: "read", args: { at } } }] },
    { role: "user", parts: [{ functionResponse: { name: "read", response: { text: filler(800, `part${at}`) } } }] },
  ]);
  return { contents: [{ role: "user", parts: [{ text: "Go on." }] }, ...rounds.flat()] };
}

const CASES: readonly (readonly [what: string, protocol: ProtocolName, body: Json])[] = [
  [
    "an adviser",
    "anthropic-messages",
    anthropic(anthropicResult("advisor_tool_result", { type: "advisor_result", text: "Round as article 17b says." })),
  ],
  [
    "a web search",
    "anthropic-messages",
    anthropic(
      anthropicResult("web_search_tool_result", [
        {
          type: "web_search_result",
          title: "Rounding: article 17b",
          url: "https://tax.example/17b",
          encrypted_content: "Eq",
        },
      ]),
    ),
  ],
  [
    "code execution",
    "anthropic-messages",
    anthropic(
      anthropicResult("code_execution_tool_result", {
        type: "code_execution_result",
        stdout: "article 17b: 240 rows\n",
        stderr: "",
        return_code: 0,
        content: [],
      }),
    ),
  ],
  [
    "code interpreter",
    "openai-responses",
    responses({
      type: "code_interpreter_call",
      id: "ci_1",
      status: "completed",
      code: "print(1)",
      outputs: [{ type: "logs", logs: "article 17b: 240 rows" }],
    }),
  ],
  [
    "file search",
    "openai-responses",
    responses({
      type: "file_search_call",
      id: "fs_1",
      queries: ["rounding"],
      results: [{ file_id: "file_1", filename: "law.md", text: "article 17b rounds half up" }],
    }),
  ],
  [
    "a server of MCP",
    "openai-responses",
    responses({ type: "mcp_call", id: "mcp_1", name: "ask", arguments: "{}", output: "article 17b rounds half up" }),
  ],
  [
    "another agent",
    "openai-responses",
    responses({
      type: "agent_message",
      author: "/root/worker",
      recipient: "/root",
      content: [
        { type: "input_text", text: "article 17b: 240 rows" },
        { type: "encrypted_content", encrypted_content: "gAAAA" },
      ],
    }),
  ],
  [
    "code execution of Google",
    "google-gemini",
    gemini({ codeExecutionResult: { outcome: "OUTCOME_OK", output: "article 17b: 240 rows" } }),
  ],
];

describe.each(CASES)("%s (%s)", (_, protocol, body) => {
  const text = JSON.stringify(body);

  it("is told in the handoff, and found by its words", async () => {
    const session = createSession({ protocol });
    const { request, kind } = await session.compact(text, { budget: 2_500 });
    expect(kind).toBe("compacted");
    expect(request).toMatch(/(?:run by the provider\]|from=\\"\/root\/worker\\">)[^"]*17b/);
    const hits = await session.recall("article 17b");
    expect(hits.map(({ role }) => role)).toContain(
      protocol === "openai-responses" && text.includes("agent_message") ? "user" : "assistant",
    );
    expect(hits.some((hit) => hit.text.includes("17b"))).toBe(true);
  });

  it("keeps its bytes", () => {
    const decoded = protocols[protocol].decode(text);
    expect(protocols[protocol].splice(decoded, decoded.transcript)).toBe(text);
    expect(protocols[protocol].format(decoded.transcript.messages)).toContain("17b");
  });
});
