import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { detectFormat, wireText } from "../../src/logs/detect.ts";
import { readLog } from "../../src/logs/read.ts";
import { WIRE_FORMATS, type InputFormat } from "../../src/logs/log.ts";
import { bodies, RUNS, type WireName } from "../support/transcripts.ts";
import { jsonl } from "./reading.ts";

const user = { role: "user", content: "go" };
const claude = { parentUuid: null, isSidechain: false, sessionId: "s", type: "user", message: user, uuid: "u1" };
const progress = { parentUuid: "u1", sessionId: "s", type: "progress", data: {}, uuid: "u2" };
const chat = [user, { role: "assistant", content: "yes" }];
const anthropic = [user, { role: "assistant", content: [{ type: "tool_use", id: "a", name: "ls", input: {} }] }];
const items = [
  { type: "message", role: "user", content: [{ type: "input_text", text: "go" }] },
  { type: "function_call", call_id: "a", name: "ls", arguments: "{}" },
];

/** What only one protocol writes; a body may have none of it. */
const OWN_MARKS: Readonly<Partial<Record<WireName, RegExp>>> = {
  "anthropic-messages": /"(?:tool_use|tool_result|thinking)"|"(?:system|input_schema)"\s*:/,
  "openai-responses": /"(?:input_text|output_text|function_call|reasoning|message)"|"input"\s*:/,
};

describe("detectFormat", () => {
  it.each<[string, InputFormat | undefined, string]>([
    ["Claude Code", "claude-code", jsonl([claude])],
    [
      "Claude Code, opening with bookkeeping",
      "claude-code",
      jsonl([{ type: "summary", summary: "x", leafUuid: "u" }, progress]),
    ],
    ["Claude Code behind a corrupt line", "claude-code", jsonl(['{"half', claude])],
    ["Codex", "codex", jsonl([{ timestamp: "t", type: "session_meta", payload: { id: "s" } }])],
    ["Codex, first version", "codex", jsonl([{ id: "s", timestamp: "t", instructions: null }, items[0]])],
    ["Codex, dated items", "codex", jsonl([{ timestamp: "t", ...user }])],
    ["pi", "pi", jsonl([{ type: "session", version: 3, id: "s", timestamp: "t", cwd: "/w" }])],
    [
      "pi without its header",
      "pi",
      jsonl([{ type: "message", id: "1", message: { role: "assistant", content: [{ type: "toolCall" }] } }]),
    ],
    ["Gemini", "gemini", JSON.stringify({ sessionId: "s", projectHash: "h", messages: [] }, null, 2)],
    [
      "Gemini lines",
      "gemini",
      jsonl([
        { sessionId: "s", projectHash: "h" },
        { id: "1", type: "user", content: "go" },
      ]),
    ],
    ["Gemini contents", "google-gemini", JSON.stringify([{ role: "user", parts: [{ text: "go" }] }])],
    [
      "messages with tagged parts",
      undefined,
      JSON.stringify([{ role: "user", parts: [{ type: "text", text: "go" }] }]),
    ],
    ["chat messages", "openai-chat", JSON.stringify(chat)],
    ["a chat body", "openai-chat", JSON.stringify({ model: "m", messages: chat }, null, 2)],
    ["a chat body on one line", "openai-chat", `${JSON.stringify({ model: "m", messages: chat })}\n`],
    ["chat lines", "openai-chat", jsonl(chat)],
    ["chat bodies, one a line", "openai-chat", jsonl([{ messages: chat }, { messages: chat }])],
    ["Anthropic messages", "anthropic-messages", JSON.stringify(anthropic)],
    [
      "an Anthropic body told by its system prompt",
      "anthropic-messages",
      JSON.stringify({ model: "m", max_tokens: 9, system: "s", messages: chat }),
    ],
    [
      "an Anthropic body told by its tools",
      "anthropic-messages",
      JSON.stringify({ tools: [{ name: "ls", input_schema: {} }], messages: chat }),
    ],
    [
      "Anthropic lines whose first call comes late",
      "anthropic-messages",
      jsonl([...Array.from({ length: 2000 }, () => ({ role: "user", content: "x".repeat(50) })), ...anthropic]),
    ],
    [
      "chat lines that quote Anthropic's blocks",
      "openai-chat",
      jsonl([user, { role: "assistant", content: JSON.stringify(anthropic) }]),
    ],
    ["Responses items", "openai-responses", JSON.stringify(items)],
    ["Responses lines", "openai-responses", jsonl(items)],
    ["a Responses body", "openai-responses", JSON.stringify({ model: "m", input: [user] })],
    ["a Responses body of one string", "openai-responses", JSON.stringify({ model: "m", input: "go" })],
    ["some other JSON", undefined, JSON.stringify({ name: "precis", messages: 3 })],
    [
      "some other JSON lines",
      undefined,
      jsonl([
        { level: "info", msg: "started" },
        { level: "warn", msg: "slow" },
      ]),
    ],
    [
      "a relative of Claude Code",
      undefined,
      jsonl([{ ...claude, message: { role: "user", parts: [{ text: "go" }] } }]),
    ],
    ["prose", undefined, "Once upon a time\nthere was a log."],
    ["nothing", undefined, ""],
  ])("%s → %s", (_, format, text) => {
    expect(detectFormat(text)).toBe(format);
    expect(detectFormat(`\uFEFF${text.replaceAll("\n", "\r\n")}`)).toBe(format);
  });

  it("asks the file's name only where the text does not tell", () => {
    expect(detectFormat("{}", "/home/x/.codex/sessions/2026/rollout-1.jsonl")).toBe("codex");
    expect(detectFormat("{}", "/home/x/.claude/projects/p/s.jsonl")).toBe("claude-code");
    expect(detectFormat(JSON.stringify(chat), "rollout-1.jsonl")).toBe("openai-chat");
  });

  it("tells generated bodies by what only their protocol writes", () => {
    fc.assert(
      fc.property(
        fc.oneof(...WIRE_FORMATS.map((protocol) => bodies(protocol, { valid: true }))),
        ({ text, protocol, transcript }) => {
          const [first, ...others] = transcript.messages;
          fc.pre(first !== undefined && others.length > 0);
          // Roles and contents alone are the same everywhere, and are read as Chat Completions.
          const marks = OWN_MARKS[protocol] ?? /(?:)/;
          const told = marks.test(text) ? [protocol] : [protocol, "openai-chat"];
          expect(told).toContain(detectFormat(text));
        },
      ),
      { numRuns: RUNS },
    );
  });
});

describe("words in front of a document", () => {
  const message = { role: "user", time: { created: 1 } };
  const parts = [{ type: "text", text: "go" }];
  const exported = { info: { id: "ses_1", directory: "/w" }, messages: [{ info: message, parts }] };
  const hermes = { session_id: "h", platform: "cli", messages: [{ role: "user", content: "go" }] };
  const gemini = { sessionId: "s", projectHash: "h", messages: [{ id: "1", type: "user", content: "go" }] };

  it.each([
    ["opencode", "Exporting session: ses_1", exported],
    ["opencode", "[info] {ses_1} is exported\n", exported],
    ["hermes", "Loading…\n", hermes],
    ["gemini", "done: ", gemini],
  ] as const)("are passed over, and told: %s behind %j", (format, words, document) => {
    for (const indent of [0, 2]) {
      const text = `${words}${JSON.stringify(document, null, indent)}\n`;
      expect(detectFormat(text)).toBe(format);
      const log = readLog(text, format);
      expect(log.transcript.messages).toHaveLength(1);
      expect(log.notes).toEqual([
        { code: "corrupt_line", line: 1, text: `${words.length} characters in front of the JSON were skipped` },
      ]);
    }
  });

  it("are passed over in front of a request body too", () => {
    const body = JSON.stringify({ model: "m", messages: chat });
    expect(detectFormat(`HTTP 200\n${body}`)).toBe("openai-chat");
    expect(wireText(`HTTP 200\n${body}`)).toMatchObject({ json: body, notes: [{ code: "corrupt_line" }] });
  });
});
