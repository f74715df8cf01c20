/**
 * The session of 127 minutes and 83 calls that the Dual Compression chapter (docs/sources.md) describes in 16.1 and 16.4,
 * made from its figures: who said how much, which tools gave how much, over how long. What was said is filler. Where the
 * figures disagree, `EXAMPLE_NOTES` says how.
 */
import { textMessage, type Message, type Transcript } from "../../../src/core/transcript/message.ts";
import { filler, type FillerKind } from "./filler.ts";
import type { Recording } from "./requests.ts";

const MINUTE_MS = 60_000;

/** The chapter's 16.1.1 for all but the results; 16.4.2 for these and for the window; 16.5.2 for the model. */
export const EXAMPLE = Object.freeze({
  model: "claude-3-5-sonnet",
  windowTokens: 100_000,
  minutes: 127,
  fileReads: 24,
  shellCommands: 31,
  pythonExecutions: 28,
  systemTokens: 2_156,
  memoryTokens: 3_847,
  userTokens: 8_234,
  thinkingTokens: 12_891,
  answerTokens: 11_447,
  argumentTokens: 7_823,
  resultTokens: 127_000,
  /** Not in the chapter: how often the person spoke. */
  userMessages: 12,
});

export const EXAMPLE_NOTES: readonly string[] = [
  "Made from the figures of a published chapter about Hermes Agent (chapter 16, “Dual Compression System: Context Window Management Mechanism”). What is said in the session is filler, and that the person spoke 12 times is our assumption.",
  "Section 16.1.1 counts 48,449 tokens of tool results and 94,847 in all, which fit the window of 100,000; 16.4.2 counts about 127,000 and 174,000, which do not. This replay takes the second, without which there is nothing to compact.",
  "Neither agrees with section 16.4.1: 24 reads, 31 commands and 28 executions at its averages give 672,217 tokens of results.",
  "Section 16.4.2 has the session end at 45 minutes where its own table has about 85,000 tokens; 16.1.3 draws 80,000 only after 90 minutes.",
  "Section 16.3 triggers at 75 % of the window; 16.4.3 compacts at 38,000 and at 49,000 tokens of 100,000.",
  "Section 16.5.2 bills 1,240,000 tokens of input, 14,940 for each of 83 requests; its own course of 31,000 to 49,000 a request makes about 3 million. Caching 26,000 tokens in each of 83 requests would read 2,158,000 tokens, more than it sends, and the 20,000 newest of them cannot be a cached beginning. Output is not in its bill.",
];

type Tool = "file_read" | "shell_exec" | "python_exec";

/** Average results in the chapter's 16.4.1: here they say only how large one tool's are beside another's. */
const RESULT_WEIGHTS: Readonly<Record<Tool, { readonly weight: number; readonly kind: FillerKind }>> = {
  file_read: { weight: 12_841, kind: "source" },
  shell_exec: { weight: 4_127, kind: "log" },
  python_exec: { weight: 8_432, kind: "table" },
};

export function exampleRecording(): Recording {
  const { systemTokens, memoryTokens, minutes } = EXAMPLE;
  const messages = conversation();
  const system = textMessage("system", `${filler("prose", systemTokens, 1)}\n\n${filler("prose", memoryTokens, 2)}`);
  const transcript: Transcript = { system: [system], messages, model: EXAMPLE.model };
  const replies = messages.filter(({ role }) => role === "assistant").length;
  const stepMs = (minutes * MINUTE_MS) / (replies - 1);
  let asked = 0;
  const timesMs = messages.map(({ role }) => Math.round((role === "assistant" ? asked++ : asked) * stepMs));
  return { transcript, spoken: "anthropic-messages", timesMs };
}

/** The person speaks, the agent works with its tools, and says what came of it; spread evenly. */
function conversation(): readonly Message[] {
  const { userMessages, userTokens, thinkingTokens, answerTokens } = EXAMPLE;
  const tools = spreadTools();
  const replies = tools.length + userMessages;
  // The chapter counts what the model thought as context, so that it is said here.
  const words = share(thinkingTokens + answerTokens, replies);
  const messages: Message[] = [];
  let used = 0;
  for (let turn = 0; turn < userMessages; turn++) {
    messages.push(textMessage("user", filler("prose", share(userTokens, userMessages), 100 + turn)));
    for (const end = Math.round(((turn + 1) * tools.length) / userMessages); used < end; used++)
      for (const each of called(tools[used]!, used, words)) messages.push(each);
    messages.push(textMessage("assistant", filler("prose", words, 300 + turn)));
  }
  return messages;
}

function called(tool: Tool, at: number, words: number): readonly Message[] {
  const { argumentTokens, fileReads, shellCommands, pythonExecutions, resultTokens } = EXAMPLE;
  const { file_read, shell_exec, python_exec } = RESULT_WEIGHTS;
  const calls = fileReads + shellCommands + pythonExecutions;
  const whole =
    fileReads * file_read.weight + shellCommands * shell_exec.weight + pythonExecutions * python_exec.weight;
  const { weight, kind } = RESULT_WEIGHTS[tool];
  const id = `call_${at + 1}`;
  const given = JSON.stringify({
    path: `src/part_${at % 9}.py`,
    input: filler("prose", share(argumentTokens, calls), 500 + at),
  });
  const result = filler(kind, (resultTokens * weight) / whole, 700 + at);
  return [
    {
      role: "assistant",
      parts: [
        { kind: "text", text: filler("prose", words, 900 + at) },
        { kind: "tool-call", id, name: tool, arguments: given },
      ],
    },
    { role: "tool", parts: [{ kind: "tool-result", callId: id, content: [{ kind: "text", text: result }] }] },
  ];
}

function share(tokens: number, among: number): number {
  return tokens / among;
}

/** The calls of each tool spread over the session: whichever is furthest behind its share comes next. */
function spreadTools(): readonly Tool[] {
  const { fileReads, shellCommands, pythonExecutions } = EXAMPLE;
  const counts: Readonly<Record<Tool, number>> = {
    file_read: fileReads,
    shell_exec: shellCommands,
    python_exec: pythonExecutions,
  };
  return (Object.keys(counts) as Tool[])
    .flatMap((tool) => Array.from({ length: counts[tool] }, (_, at) => ({ tool, place: (at + 0.5) / counts[tool] })))
    .toSorted((one, other) => one.place - other.place)
    .map(({ tool }) => tool);
}
