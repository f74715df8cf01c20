/**
 * The long task over message threads, with Anthropic's SDK in this process: the provider keeps the conversation, the client
 * sends what is new, and where a compaction is due it is brought to send everything again.
 */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import Anthropic from "@anthropic-ai/sdk";
import { VERSION } from "@anthropic-ai/sdk/version";
import { createProvider, type RequestRecord } from "../provider/src/index.ts";
import { startGateway, type LogLine } from "./gateway.ts";
import { scriptOf } from "./script.ts";
import { STAGES, type Action } from "./task.ts";
import { makeWorkspace } from "./workspace.ts";

export const THREADS = "threads";

const MODEL = "claude-opus-5-5";
const WINDOW_TOKENS = 40_000;
const OUTPUT_TOKENS = 4_096;
const RECORDED_BYTES = 1024 * 1024 * 1024;
const TURNS_MIN = 25;
const COMPACTIONS_MIN = 2;

export interface ThreadsVerdict {
  readonly client: string;
  readonly version: string;
  readonly turns: number;
  /** Requests that brought only what was new. */
  readonly continued: number;
  /** Requests that the gateway answered with a call for the whole conversation. */
  readonly replayed: number;
  readonly compactions: number;
  readonly refused: number;
  readonly largestTokens: number;
  readonly windowTokens: number;
  readonly faults: readonly string[];
}

export async function runThreads(): Promise<ThreadsVerdict> {
  const root = await mkdtemp(join(tmpdir(), "precis-e2e-threads-"));
  const [home, workspace] = [join(root, "home"), join(root, "work")];
  await mkdir(home);
  await makeWorkspace(workspace);
  let stage = 0;
  const provider = createProvider({
    every: { windowTokens: WINDOW_TOKENS },
    limits: { recordedBytes: RECORDED_BYTES },
    script: scriptOf({
      callFor: ({ kind, ...action }) => ({ name: kind, arguments: action }),
      stages: STAGES,
      stage: () => stage,
      isTask: () => true,
      aside: () => ({ text: "" }),
    }),
  });
  const listening = await provider.listen();
  const setup = { upstream: listening.url, contextTokens: WINDOW_TOKENS, store: join(root, "history.db"), home };
  const gateway = await startGateway(setup);
  const complaints: string[] = [];
  try {
    const client = new Anthropic({ baseURL: gateway.url, apiKey: "key-of-threads", maxRetries: 0 });
    const thread = client.beta.messages.thread({
      model: MODEL,
      max_tokens: OUTPUT_TOKENS,
      system: "You review parts.",
      thinking: { type: "adaptive" },
      cache_control: { type: "ephemeral" },
      tools: (["read", "run", "write", "edit"] as const).map((name) => ({
        name,
        description: `The ${name} tool.`,
        input_schema: { type: "object" as const },
      })),
    });
    for (; stage < STAGES.length; stage++) await liveThrough(thread, STAGES[stage]!.prompt, workspace);
  } catch (error) {
    complaints.push(String(error));
  } finally {
    await gateway.stop();
    await listening.close();
    await rm(root, { recursive: true, force: true });
  }
  return verdictOf(provider.requests, gateway.log, complaints);
}

type Thread = ReturnType<Anthropic["beta"]["messages"]["thread"]>;
type Sent = Parameters<Thread["stream"]>[0];

/** One stage: the request of a person, then a tool loop until the model has no more to do. */
async function liveThrough(thread: Thread, prompt: string, workspace: string): Promise<void> {
  let next: Sent = { role: "user", content: prompt };
  for (;;) {
    const reply: Anthropic.Beta.BetaMessage = await thread.stream(next).finalMessage();
    const calls = reply.content.filter(isCall);
    if (calls.length === 0) return;
    const content = await Promise.all(
      calls.map(async ({ id, name, input }) => ({
        type: "tool_result" as const,
        tool_use_id: id,
        content: await carriedOut({ kind: name, ...(input as object) } as Action, workspace),
      })),
    );
    next = { role: "user", content };
  }
}

function isCall(block: Anthropic.Beta.BetaContentBlock): block is Anthropic.Beta.BetaToolUseBlock {
  return block.type === "tool_use";
}

async function carriedOut(action: Action, workspace: string): Promise<string> {
  switch (action.kind) {
    case "read":
      return readFile(join(workspace, action.path), "utf8");
    case "run": {
      const ran = promisify(execFile)("/bin/bash", ["-c", action.command], { cwd: workspace });
      return ran.then(
        ({ stdout }) => stdout || "(no output)",
        (error: { readonly stderr: string }) => error.stderr,
      );
    }
    case "write":
      await writeFile(join(workspace, action.path), action.content);
      return "Written.";
    case "edit": {
      const path = join(workspace, action.path);
      await writeFile(path, (await readFile(path, "utf8")).replace(action.before, action.after));
      return "Edited.";
    }
    case "own":
      return "There is no such tool.";
  }
}

function verdictOf(
  requests: readonly RequestRecord[],
  log: readonly LogLine[],
  complaints: readonly string[],
): ThreadsVerdict {
  const asked = log.filter(({ event }) => event === "request");
  const refused = requests.filter(({ outcome }) => outcome === "refused");
  const counts = {
    turns: requests.length - refused.length,
    continued: requests.filter(({ body }) => body.includes('"previous_message_id"')).length,
    replayed: asked.filter((line) => JSON.stringify(line).includes("thread_replay")).length,
    compactions: log.filter(({ event }) => event === "compaction").length,
    refused: refused.length,
    largestTokens: Math.max(0, ...requests.map(({ use }) => use?.inputTokens ?? 0)),
    windowTokens: WINDOW_TOKENS,
  };
  const faults = [
    ...complaints,
    ...refused.map(({ message }) => message ?? "a request was refused upstream"),
    ...(counts.turns < TURNS_MIN ? [`only ${counts.turns} turns`] : []),
    ...(counts.compactions < COMPACTIONS_MIN ? [`only ${counts.compactions} compactions`] : []),
    ...(counts.continued < counts.turns / 2 ? [`only ${counts.continued} requests continued a thread`] : []),
  ];
  return { client: THREADS, version: VERSION, ...counts, faults };
}

/** The verdict for a person. */
export function threadsLine(verdict: ThreadsVerdict): string {
  const { version, turns, continued, replayed, compactions, refused, largestTokens, windowTokens, faults } = verdict;
  const line = `message threads (@anthropic-ai/sdk ${version}): ${turns} turns, ${continued} continued a thread, ${replayed} replayed, ${compactions} compactions, ${refused} refused, largest ${largestTokens} / ${windowTokens}`;
  return `${[line, ...faults.map((fault) => `FAULT ${THREADS}: ${fault}`)].join("\n")}\n`;
}
