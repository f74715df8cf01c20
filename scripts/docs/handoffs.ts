/**
 * The handoffs that the documentation shows: written now, from the recorded examples. What a model wrote of one was asked for
 * once and kept beside its session; it goes through the same checks each time.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { withGenerated } from "./markdown.ts";
import type { Writer } from "../../src/core/handoff/model/writer.ts";
import { contentText } from "../../src/core/transcript/message.ts";
import { readLog } from "../../src/logs/read.ts";
import { protocols } from "../../src/protocols/index.ts";
import { createRuntime } from "../../src/index.ts";

const EXAMPLES = join(import.meta.dirname, "..", "..", "examples");
const WRITER_WINDOW_TOKENS = 200_000;

interface Example {
  readonly file: string;
  /** Tokens of the result. */
  readonly budget: number;
  /** What a model answered, where one wrote. */
  readonly answer?: string;
}

/** The handoff of an example as the model of the session would read it. */
export async function handoffOf({ file, budget, answer }: Example): Promise<string> {
  const body = readFileSync(join(EXAMPLES, file), "utf8");
  const transcript = file.endsWith(".jsonl")
    ? readLog(body, "claude-code").transcript
    : protocols["openai-chat"].decode(body).transcript;
  const runtime = createRuntime(answer === undefined ? {} : { writers: { auxiliary: keptAnswer(answer) } });
  const outcome = await runtime.compact(transcript, { budget });
  if (outcome.kind !== "compacted") throw new Error(`${file} was not compacted: ${outcome.because}`);
  const handoff = outcome.compaction.after.find(({ origin }) => origin === "summary");
  if (handoff === undefined) throw new Error(`${file} has no handoff at ${budget} tokens`);
  if (answer !== undefined && outcome.compaction.report.summary?.by === "ledger")
    throw new Error(`${answer} was not taken`);
  return contentText(handoff.parts);
}

function keptAnswer(name: string): Writer {
  const text = readFileSync(join(EXAMPLES, name), "utf8");
  return {
    model: "a model",
    windowTokens: WRITER_WINDOW_TOKENS,
    ask: () =>
      Promise.resolve({
        kind: "answered",
        text,
        ended: "stop",
        usage: { inputTokens: 0, outputTokens: 0, requests: 1 },
      }),
  };
}

/** The examples of docs/handoff-examples.md, by the name of their place there. */
const SHOWN: Readonly<Record<string, Example>> = {
  "coding, with a model": { file: "restart.claude-code.jsonl", budget: 2_000, answer: "restart.handoff.md" },
};
/** What the front page has room for. */
const SHORT: Example = { file: "restart.claude-code.jsonl", budget: 540 };

export async function withHandoffExamples(page: string): Promise<string> {
  let renewed = page;
  for (const [name, example] of Object.entries(SHOWN))
    renewed = withGenerated(renewed, name, fenced(await handoffOf(example)));
  return renewed;
}

export async function withShortHandoff(page: string): Promise<string> {
  return withGenerated(page, "short handoff", fenced(await handoffOf(SHORT)));
}

/** Spaces at the ends of lines are nothing in a handoff, and formatters take them away. */
function fenced(text: string): string {
  return `\`\`\`text\n${text.replace(/ +$/gm, "")}\n\`\`\``;
}
