/**
 * How real clients say again what they said before: two requests in a row of each, in shapes seen on the wire (2026-11,
 * docs/clients.md) and in words of our own. What differs between the two in the messages they share is all that may differ.
 */
import type { ProtocolName } from "../../../src/core/protocols.ts";

export interface Shape {
  /** Who does it, and what. */
  readonly what: string;
  readonly protocol: ProtocolName;
  readonly earlier: unknown;
  readonly later: unknown;
}

const MARKER = { cache_control: { type: "ephemeral" } };
const text = (words: string, more: object = {}) => ({ type: "text", text: words, ...more });
const use = (id: string) => ({ type: "tool_use", id, name: "Read", input: { file_path: `src/${id}.ts` } });
const result = (id: string, more: object = {}) => ({
  tool_use_id: id,
  type: "tool_result",
  content: `the lines of ${id}`,
  ...more,
});
const thought = { type: "thinking", thinking: "First the file.", signature: "c2VhbA==" };
const anthropic = (messages: readonly unknown[], more: object = {}) => ({
  model: "claude-opus-5-5",
  max_tokens: 4_096,
  system: [text("You work in a depot."), text("The rules.", MARKER)],
  messages,
  ...more,
});

const asked = {
  role: "user",
  content: [text("<system-reminder>Sign your work.</system-reminder>"), text("Review it.")],
};
const place = "Where you are: a folder.";
const read = { role: "assistant", content: [thought, text("I read."), use("a")] };

const CLAUDE_CODE: readonly Shape[] = [
  {
    what: "Claude Code moves its marker to the newest message, and writes a message of one marked text as a string",
    protocol: "anthropic-messages",
    earlier: anthropic([asked, { role: "system", content: [text(place, MARKER)] }]),
    later: anthropic([
      asked,
      { role: "system", content: place },
      read,
      { role: "user", content: [result("a", MARKER)] },
    ]),
  },
  {
    what: "Claude Code moves its marker off a result",
    protocol: "anthropic-messages",
    earlier: anthropic([asked, read, { role: "user", content: [result("a", MARKER)] }]),
    later: anthropic([
      asked,
      read,
      { role: "user", content: [result("a")] },
      { role: "assistant", content: [use("b")] },
      { role: "user", content: [result("b", MARKER)] },
    ]),
  },
  {
    what: "Claude Code takes its marker off a prompt when a session goes on",
    protocol: "anthropic-messages",
    earlier: anthropic([asked, read, { role: "user", content: [result("a"), text("Go on.", MARKER)] }]),
    later: anthropic([
      asked,
      read,
      { role: "user", content: [result("a"), text("Go on.")] },
      { role: "assistant", content: [text("Done.")] },
      { role: "user", content: [text("And now?", MARKER)] },
    ]),
  },
  {
    what: "Claude Code counts down behind every result, each count as it was",
    protocol: "anthropic-messages",
    earlier: anthropic([
      asked,
      read,
      { role: "user", content: [result("a")] },
      { role: "system", content: [text("9 left", MARKER)] },
    ]),
    later: anthropic([
      asked,
      read,
      { role: "user", content: [result("a")] },
      { role: "system", content: "9 left" },
      { role: "assistant", content: [use("b")] },
      { role: "user", content: [result("b")] },
      { role: "system", content: [text("8 left", MARKER)] },
    ]),
  },
  {
    what: "Claude Code declares a tool that was searched for, among the others",
    protocol: "anthropic-messages",
    earlier: anthropic([asked, read, { role: "user", content: [result("a")] }], {
      tools: [{ name: "Read" }, { name: "Write" }],
    }),
    later: anthropic(
      [asked, read, { role: "user", content: [result("a")] }, { role: "assistant", content: [text("Found.")] }],
      {
        tools: [{ name: "Read" }, { name: "Fetch", defer_loading: true }, { name: "Write" }],
      },
    ),
  },
  {
    what: "Claude Code resends a conversation without its thinking",
    protocol: "anthropic-messages",
    earlier: anthropic([asked, read, { role: "user", content: [result("a")] }]),
    later: anthropic([
      asked,
      { role: "assistant", content: [text("I read."), use("a")] },
      { role: "user", content: [result("a")] },
    ]),
  },
];

const given = { type: "additional_tools", id: "at_1", role: "developer", tools: [{ type: "custom", name: "exec" }] };
const item = (role: string, words: string) => ({
  type: "message",
  id: `msg_${words.length}`,
  role,
  content: [{ type: role === "assistant" ? "output_text" : "input_text", text: words }],
});
const ran = { type: "custom_tool_call", status: "completed", call_id: "step_1", name: "exec", input: 'text("a")' };
const came = { type: "custom_tool_call_output", call_id: "step_1", output: [{ type: "input_text", text: "Done\n" }] };
const codex = (input: readonly unknown[], metadata: object) => ({
  model: "gpt-5.6-sol",
  input,
  store: false,
  include: ["reasoning.encrypted_content"],
  prompt_cache_key: "thread-1",
  client_metadata: metadata,
});
const opened = [
  given,
  item("developer", "The rules."),
  item("user", "<where>here</where>"),
  item("user", "Review it."),
];

const CODEX: readonly Shape[] = [
  {
    what: "Codex says beside the messages which turn it is, with its keys in any order",
    protocol: "openai-responses",
    earlier: codex([...opened, ran, came], { turn_id: "1", root: "1" }),
    later: codex([...opened, ran, came, item("assistant", "Done."), item("user", "And now?")], {
      root: "2",
      turn_id: "2",
    }),
  },
  {
    what: "Codex gives its tools and rules anew",
    protocol: "openai-responses",
    earlier: codex([...opened, ran, came], {}),
    later: codex([{ ...given, id: "at_2" }, ...opened.slice(1), ran, came, item("assistant", "Done.")], {}),
  },
];

const call = (id: string) => ({ id, type: "function", function: { name: "read", arguments: '{"path":"a"}' } });
const chat = (messages: readonly unknown[], more: object = {}) => ({
  model: "gpt-5.4",
  stream: true,
  messages,
  ...more,
});
const begun = [
  { role: "system", content: "You work in a depot." },
  { role: "user", content: "Review it." },
];
const heard = { role: "tool", tool_call_id: "c1", content: "the lines" };

const CHAT: readonly Shape[] = [
  {
    what: "OpenCode and pi send back what the model thought, or leave it out",
    protocol: "openai-chat",
    earlier: chat([
      ...begun,
      { role: "assistant", content: "", tool_calls: [call("c1")], reasoning_content: "First." },
      heard,
    ]),
    later: chat([
      ...begun,
      { role: "assistant", content: "", tool_calls: [call("c1")] },
      heard,
      { role: "assistant", content: "Done." },
    ]),
  },
  {
    what: "a message without words has none, an empty one, or no list of them",
    protocol: "openai-chat",
    earlier: chat([...begun, { role: "assistant", content: null, tool_calls: [call("c1")] }, heard]),
    later: chat([...begun, { role: "assistant", content: "", tool_calls: [call("c1")] }, heard]),
  },
  {
    what: "pi asks for less output when its window fills",
    protocol: "openai-chat",
    earlier: chat([...begun], { max_completion_tokens: 4_096 }),
    later: chat([...begun, { role: "assistant", content: "Done." }], { max_completion_tokens: 1_766 }),
  },
];

export const SHAPES: readonly Shape[] = [...CLAUDE_CODE, ...CODEX, ...CHAT];

/** What a client changes that is another history: what stood for it stands no longer, and is rebuilt. */
export const OTHER_HISTORIES: readonly Shape[] = [
  {
    what: "a result that the client cleared",
    protocol: "anthropic-messages",
    earlier: anthropic([asked, read, { role: "user", content: [result("a")] }]),
    later: anthropic([asked, read, { role: "user", content: [{ ...result("a"), content: "[cleared]" }] }]),
  },
  {
    what: "a summary of the client's own",
    protocol: "openai-responses",
    earlier: codex([...opened, ran, came], {}),
    later: codex([...opened.slice(0, 3), item("user", "Another model began this. Its summary: …")], {}),
  },
  {
    what: "the same words as another's",
    protocol: "openai-chat",
    earlier: chat([...begun, { role: "assistant", content: "Done." }]),
    later: chat([...begun, { role: "user", content: "Done." }]),
  },
];
