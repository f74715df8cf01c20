/**
 * A small agent in the terminal, in one file, to see where precis goes into an agent's loop and to copy from:
 *
 *     node examples/agent/main.ts --model claude-sonnet-4-5                    # the key is in ANTHROPIC_API_KEY
 *     node examples/agent/main.ts --model any --url http://127.0.0.1:4010/v1   # a server that speaks OpenAI's protocol
 *
 * The whole conversation is kept and passed to every call; the middleware of `precis/ai-sdk` makes it fit the window.
 * Every message is on disk before anything acts on it, so that a turn that was cut off continues from its last message.
 */
import { exec } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { streamText, wrapLanguageModel, type ModelMessage, type ToolCallPart, type ToolSet } from "ai";
import { z } from "zod";
// In a project of your own: "precis/ai-sdk" and "precis/store".
import { createPrecis } from "../../src/integrations/ai-sdk/index.ts";
import { openStore } from "../../src/store/index.ts";

const INSTRUCTIONS =
  "You are a careful software engineer. Look before you change something, and say briefly what you did.";
const STEPS_MAX = 100;
const COMMAND_MS_MAX = 120_000;
const RESULT_CHARS_MAX = 40_000;

const { values } = parseArgs({
  options: {
    model: { type: "string" },
    url: { type: "string" },
    window: { type: "string" },
    conversation: { type: "string", default: ".agent" },
    yes: { type: "boolean", default: false },
  },
});
const name = values.model ?? "";
if (name === "") {
  process.stderr.write("Name a model, such as `--model claude-sonnet-4-5`.\n");
  process.exit(2);
}

const folder = resolve(values.conversation);
mkdirSync(folder, { recursive: true, mode: 0o700 });
const [journal, stateFile] = [join(folder, "messages.jsonl"), join(folder, "state.json")];
const messages = readJournal();
const store = await openStore(join(folder, "removed.db"));
const precis = createPrecis({
  model: name,
  store,
  settings: values.window === undefined ? {} : { contextLength: Number(values.window) },
  ...(existsSync(stateFile) ? { state: JSON.parse(readFileSync(stateFile, "utf8")) } : {}),
});
precis.on("compacted", ({ compaction: { report } }) =>
  say(`compacted: ${report.tokens.before} → ${report.tokens.after} tokens`),
);
const model = wrapLanguageModel({ model: createModel(), middleware: precis.middleware });
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

await continueAfterCrash();
for (let line = await ask("> "); line !== undefined && line !== "/exit"; line = await ask("> ")) {
  if (line.startsWith("/")) say(await runCommand(line).catch((error: Error) => `failed: ${error.message}`));
  else if (line !== "") {
    keep({ role: "user", content: line });
    await runTurn();
  }
}
await store.close();
process.exit();

function createModel() {
  if (values.url !== undefined)
    return createOpenAICompatible({ name: "server", baseURL: values.url, apiKey: "any", includeUsage: true })(name);
  return name.startsWith("claude") ? createAnthropic()(name) : createOpenAI()(name);
}

/** The conversation so far. A last line that a crash cut off is dropped. */
function readJournal(): ModelMessage[] {
  const text = existsSync(journal) ? readFileSync(journal, "utf8") : "";
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  writeFileSync(journal, whole, { mode: 0o600 });
  return whole.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as ModelMessage]));
}

function keep(...said: readonly ModelMessage[]): void {
  for (const one of said) appendFileSync(journal, `${JSON.stringify(one)}\n`, { flush: true });
  messages.push(...said);
}

/** Until the model has nothing more to do, or until Ctrl-C. */
async function runTurn(): Promise<void> {
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  process.once("SIGINT", interrupt);
  try {
    for (let step = 0; step < STEPS_MAX && !stop.signal.aborted; step++) {
      for (const call of unanswered()) keep(await answer(call, stop.signal));
      if (messages.at(-1)?.role === "assistant") break;
      keep(...(await askModel(stop.signal)));
    }
  } catch (error) {
    say(stop.signal.aborted ? "stopped" : `failed: ${(error as Error).message}`);
  } finally {
    process.off("SIGINT", interrupt);
    writeFileSync(stateFile, JSON.stringify(precis.state()), { mode: 0o600 });
  }
}

async function askModel(abortSignal: AbortSignal): Promise<readonly ModelMessage[]> {
  const failures: unknown[] = [];
  const onError = ({ error }: { readonly error: unknown }): void => void failures.push(error);
  const request = { model, instructions: INSTRUCTIONS, messages: [...messages], tools: declaredTools() };
  const stream = streamText({ ...request, abortSignal, onError });
  for await (const piece of stream.textStream) process.stdout.write(piece);
  process.stdout.write("\n");
  if (failures.length > 0) throw failures[0];
  return (await stream.response).messages;
}

/** Tools without `execute`: each call is answered below, so that its result is kept before the next one begins. */
function declaredTools(): ToolSet {
  const inputSchema = z.object({ command: z.string() });
  const shell = { description: "Run a shell command in the working folder.", inputSchema };
  const recall = Object.entries(precis.tools()).map(([tool, { execute: _, ...rest }]) => [tool, rest] as const);
  return { shell, ...Object.fromEntries(recall) } as ToolSet;
}

/** The newest calls of the model that have no result yet. */
function unanswered(): readonly ToolCallPart[] {
  const at = messages.findLastIndex(({ role }) => role === "assistant");
  const results = messages.slice(at + 1).flatMap(({ role, content }) => (role === "tool" ? content : []));
  const answered = new Set(results.map((part) => (part.type === "tool-result" ? part.toolCallId : "")));
  const { content = [] } = messages[at] ?? {};
  const parts = typeof content === "string" ? [] : content;
  return parts.filter((part) => part.type === "tool-call").filter(({ toolCallId }) => !answered.has(toolCallId));
}

async function answer(call: ToolCallPart, signal: AbortSignal): Promise<ModelMessage> {
  if (call.toolName !== "shell") {
    const { execute } = precis.tools()[call.toolName] ?? {};
    if (execute === undefined) return result(call, `There is no tool "${call.toolName}".`);
    return result(call, String(await execute(call.input, { ...call, messages: [], context: undefined })));
  }
  const { command } = call.input as { readonly command: string };
  say(`$ ${command}`);
  if (!values.yes && (await ask("Run it? [y/N] ")) !== "y") return result(call, "The user did not allow this call.");
  const limits = { timeout: COMMAND_MS_MAX, maxBuffer: RESULT_CHARS_MAX, signal };
  const output = await new Promise<string>((done) => {
    exec(command, limits, (error, stdout, stderr) => done(`${stdout}${stderr}${error?.message ?? ""}`));
  });
  return result(call, output || "(no output)");
}

function result({ toolCallId, toolName }: ToolCallPart, value: string): ModelMessage {
  const output = { type: "text", value } as const;
  return { role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output }] };
}

/** A command that was under way may have had its effect: it is not repeated, and the model is told. */
async function continueAfterCrash(): Promise<void> {
  if (messages.length === 0 || (messages.at(-1)?.role === "assistant" && unanswered().length === 0)) return;
  say("The last turn was cut off; it continues.");
  for (const call of unanswered())
    keep(result(call, "Interrupted; it may have had an effect. Check before you repeat it."));
  await runTurn();
}

async function runCommand(line: string): Promise<string> {
  const [, command, words = ""] = /^\/(\S*)\s*(.*)$/.exec(line)!;
  switch (command) {
    case "compress": {
      const outcome = await precis.compact(messages, words === "" ? {} : { focus: words });
      return outcome.kind === "unchanged"
        ? `Not compacted: ${outcome.because}.`
        : "The next call sends the shorter form.";
    }
    case "context":
      return `${precis.report().tokens} tokens, ${precis.report().compactions} compactions so far`;
    case "undo":
      return (await precis.undo()) ? "The newest compaction is undone." : "There is no compaction to undo.";
    case "recall": {
      const found = (await precis.recall(words)).map(({ id, label, text }) => `${id}  ${label}\n${text}`);
      return found.join("\n---\n") || `Nothing that was removed holds "${words}".`;
    }
    default:
      return "Commands: /compress [FOCUS], /context, /undo, /recall ID|WORDS, /exit";
  }
}

async function ask(question: string): Promise<string | undefined> {
  process.stdout.write(question);
  const { value, done } = await lines.next();
  return done === true ? undefined : String(value).trim();
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
