/** A short session with a compaction in it, as pi records it: what the clients resume. */

/** Words by which the parts of the session are found in a request. */
export const RECORDED = {
  replaced: ["Weigh the blue crate first.", "The blue crate weighs 41 kg."],
  summary: "The blue crate was weighed and stands in row 7.",
  /** In the order in which they are sent. */
  live: [
    "The blue crate was weighed and stands in row 7.",
    "Now weigh the red crate.",
    "cat weights/red.txt",
    "red: 58 kg, scale 4",
    "The red crate weighs 58 kg.",
    "Write a label for it.",
    "cat weights/missing.txt",
    "No such file or directory",
    "There is no file of that name; the label is left.",
  ],
} as const;

const START_MS = Date.UTC(2026, 10, 20, 9);
const MODEL = "gpt-5.4";

type Block = Readonly<Record<string, unknown>>;

const text = (words: string): Block => ({ type: "text", text: words });
const user = (words: string): Block => ({ role: "user", content: [text(words)] });

function call(id: string, command: string): Block {
  return { type: "toolCall", id, name: "bash", arguments: { command } };
}

function reply(...content: readonly Block[]): Block {
  const usage = { input: 900, output: 20, cacheRead: 0, cacheWrite: 0, totalTokens: 920 };
  return {
    role: "assistant",
    content,
    api: "openai-completions",
    provider: "openai",
    model: MODEL,
    usage,
    stopReason: "stop",
  };
}

function result(toolCallId: string, words: string, isError = false): Block {
  return { role: "toolResult", toolCallId, toolName: "bash", content: [text(words)], isError };
}

/** JSON lines of pi, version 3. */
export function recordedSession(): string {
  const message = (said: Block): Block => ({ type: "message", message: said });
  const entries: readonly Block[] = [
    message(user(RECORDED.replaced[0])),
    message(reply(text(RECORDED.replaced[1]))),
    message(user(RECORDED.live[1])),
    message(reply(call("call_red", RECORDED.live[2]))),
    message(result("call_red", RECORDED.live[3])),
    { type: "compaction", summary: RECORDED.summary, firstKeptEntryId: "entry2", tokensBefore: 4_000 },
    message(reply(text(RECORDED.live[4]))),
    message(user(RECORDED.live[5])),
    message(reply(text("I look for its file."), call("call_missing", RECORDED.live[6]))),
    message(result("call_missing", RECORDED.live[7], true)),
    message(reply(text(RECORDED.live[8]))),
  ];
  const header = {
    type: "session",
    version: 3,
    id: "019e19b4-eb48-746a-aa6b-8dfcfa37954b",
    timestamp: new Date(START_MS).toISOString(),
    cwd: "/depot",
  };
  const lines = entries.map((entry, at) => ({
    ...entry,
    id: `entry${at}`,
    parentId: at === 0 ? null : `entry${at - 1}`,
    timestamp: new Date(START_MS + at * 60_000).toISOString(),
  }));
  return `${[header, ...lines].map((line) => JSON.stringify(line)).join("\n")}\n`;
}
