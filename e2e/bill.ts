/**
 * `npm run e2e:clients -- bill`: what sessions of the real Claude Code cost through the gateway and directly, by the strict
 * provider's account: with its own system prompt, tools and `max_tokens`, of 15 and of 60 requests, in windows of 200K and 128K. The
 * gateway is told the window; the provider's own has no end, so that both ways send the same conversation to its end.
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { table } from "../bench/table.ts";
import { setupFigures } from "../bench/schedule/grid.ts";
import { estimateText } from "../src/core/transcript/estimate.ts";
import { createProvider, type RequestRecord } from "../provider/src/index.ts";
import { fieldsOf } from "../src/protocols/fields.ts";
import { claudeCode } from "./claude-code.ts";
import { startGateway, type LogLine } from "./gateway.ts";
import { findInstalled } from "./install.ts";
import { scriptOf } from "./script.ts";
import { partLine, TASK_MARK, type Stage } from "./task.ts";
import { isTask, startClient, writeSettings } from "./trial.ts";

export const BILL = "bill";

/** With what the client asks for as output by itself (32,000 and 128,000 tokens), and as a person may set it. */
const MODELS: readonly BilledModel[] = [
  { model: "claude-sonnet-4-5" },
  { model: "claude-sonnet-4-5", outputTokens: 64_000 },
  { model: "claude-opus-5-5" },
];

interface BilledModel {
  readonly model: string;
  readonly outputTokens?: number;
}

const WINDOWS_TOKENS = [200_000, 128_000];
/** Tokens of the results, in turns: 15 requests end at some 77,000 tokens, 60 at some 110,000. */
const SESSIONS = [
  { requests: 15, resultTokens: [3_000, 4_200, 5_000] },
  { requests: 60, resultTokens: [400, 3_500, 400, 1_200, 400, 3_400] },
] as const;
type Length = (typeof SESSIONS)[number];

const ENDLESS_TOKENS = 10_000_000;
/** Where the session fits its window. */
const RATIO_MAX = 1.05;

export interface BillVerdict {
  readonly client: typeof BILL;
  readonly version: string;
  readonly rows: readonly BillRow[];
  readonly faults: readonly string[];
}

interface BillRow {
  readonly model: string;
  readonly windowTokens: number;
  readonly requests: number;
  /** What the client asks for as output. */
  readonly outputTokens: number;
  readonly firstTokens: number;
  /** Of the last request, sent directly. */
  readonly lastTokens: number;
  readonly limitTokens: number;
  readonly stepTokens: number;
  readonly fits: boolean;
  readonly directUsd: number;
  readonly usd: number;
  readonly ratio: number;
  readonly compactions: readonly Began[];
  readonly leastGrowthTokens: number | undefined;
  readonly problems: readonly string[];
}

interface Began {
  readonly reason: string;
  readonly dueTokens: number;
  readonly afterTokens: number;
}

interface Session extends BilledModel {
  readonly installed: string;
  readonly length: Length;
  /** Of the gateway; undefined without one. */
  readonly windowTokens: number | undefined;
}

interface Ran {
  readonly usd: number;
  readonly requests: readonly RequestRecord[];
  readonly log: readonly LogLine[];
  readonly problems: readonly string[];
}

/** Undefined where the client is not installed. */
export async function runBill(
  onEvent: (message: string) => void,
  models: readonly BilledModel[] = MODELS,
): Promise<BillVerdict | undefined> {
  const done = await findInstalled(claudeCode);
  if (done.kind === "missing") return undefined;
  const rows: BillRow[] = [];
  for (const billed of models)
    for (const length of SESSIONS) {
      const session = { installed: done.folder, ...billed, length };
      const { model } = billed;
      const direct = await run({ ...session, windowTokens: undefined });
      onEvent(`bill: ${model}, ${length.requests} requests directly: $${direct.usd.toFixed(3)}`);
      for (const windowTokens of WINDOWS_TOKENS) {
        const row = rowOf(session, windowTokens, { direct, through: await run({ ...session, windowTokens }) });
        onEvent(`bill: ${model}, ${length.requests} requests in ${windowTokens}: $${row.usd.toFixed(3)}`);
        rows.push(row);
      }
    }
  return { client: BILL, version: claudeCode.version, rows, faults: rows.flatMap(faultsOf) };
}

async function run({ installed, length, windowTokens, ...billed }: Session): Promise<Ran> {
  const root = await mkdtemp(join(tmpdir(), "precis-e2e-bill-"));
  const [home, workspace] = [join(root, "home"), join(root, "work")];
  await mkdir(home);
  const stage = await makeTask(workspace, length);
  const provider = createProvider({
    every: { windowTokens: ENDLESS_TOKENS },
    script: scriptOf({
      callFor: claudeCode.callFor,
      stages: [stage],
      stage: () => 0,
      isTask: ({ body }) => isTask(JSON.stringify(body)),
      aside: claudeCode.aside,
    }),
  });
  const listening = await provider.listen();
  const gateway =
    windowTokens === undefined
      ? undefined
      : await startGateway({
          upstream: listening.url,
          contextTokens: windowTokens,
          store: join(root, "history.db"),
          home,
        });
  try {
    const place = { base: gateway?.url ?? listening.url, home, workspace, installed };
    await writeSettings(claudeCode.files(place), home);
    const { code, output } = await startClient(clientOf(billed), place, { prompt: stage.prompt, goesOn: false });
    await gateway?.stop();
    const requests = provider.requests.filter(({ body }) => isTask(body));
    return {
      usd: provider.account().total.usd,
      requests,
      log: gateway?.log ?? [],
      problems: [
        ...(code === 0 ? [] : [`the client ended with ${code}`]),
        ...claudeCode.complaints(output),
        ...(requests.length === length.requests ? [] : [`${requests.length} requests in place of ${length.requests}`]),
      ],
    };
  } finally {
    await listening.close();
    await rm(root, { recursive: true, force: true });
  }
}

/** As a person starts it, without the settings that the other runs need in their small windows. */
function clientOf({ model, outputTokens }: BilledModel): typeof claudeCode {
  const { environment, words } = claudeCode;
  return {
    ...claudeCode,
    environment: (place) => {
      const { CLAUDE_CODE_MAX_OUTPUT_TOKENS: _, CLAUDE_CODE_TOTAL_TOKENS_REMINDER: _r, ...own } = environment(place);
      return outputTokens === undefined ? own : { ...own, CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(outputTokens) };
    },
    words: (...asked) => words(...asked).map((word) => (word === claudeCode.model ? model : word)),
  };
}

/** A file for each request but the last, which the model reads with a command. */
async function makeTask(workspace: string, { requests, resultTokens }: Length): Promise<Stage> {
  await mkdir(join(workspace, "parts"), { recursive: true });
  const parts = Array.from({ length: requests - 1 }, (_, part) => `parts/${String(part).padStart(2, "0")}.ts`);
  for (const [part, path] of parts.entries())
    await writeFile(join(workspace, path), partText(part, resultTokens[part % resultTokens.length]!));
  return {
    prompt: `This folder is a ${TASK_MARK}. Look at every part in order and say whether its bands are in order.`,
    steps: parts.map((path, part) => ({
      thinks: `Part ${part} is next.`,
      says: `I look at part ${part}.`,
      does: [{ kind: "run", command: `cat ${path}` }],
    })),
    closing: "All bands are in order.",
  };
}

function partText(part: number, tokens: number): string {
  const lines: string[] = [];
  for (let left = tokens; left > 0; left -= estimateText(`${lines.at(-1)!}\n`))
    lines.push(partLine(part, lines.length));
  return `${lines.join("\n")}\n`;
}

type Runs = Readonly<Record<"direct" | "through", Ran>>;

function rowOf(
  { model, length }: Pick<Session, "model" | "length">,
  windowTokens: number,
  { direct, through }: Runs,
): BillRow {
  const tokens = direct.requests.map(({ use }) => use?.inputTokens ?? 0);
  const [firstTokens, lastTokens] = [tokens[0] ?? 0, Math.max(0, ...tokens)];
  const outputTokens = Number(fieldsOf(JSON.parse(direct.requests[0]?.body ?? "{}"))["max_tokens"] ?? 0);
  const setup = { windowTokens, outputTokens, fixedShare: firstTokens / windowTokens };
  const { acceptedTokens, limitTokens, stepTokens } = setupFigures(setup, firstTokens);
  const compactions = through.log.filter(({ event }) => event === "compaction").map(beganOf);
  const growths = compactions.slice(1).map(({ dueTokens }, at) => dueTokens - compactions[at]!.afterTokens);
  return {
    model,
    windowTokens,
    requests: length.requests,
    outputTokens,
    firstTokens,
    lastTokens,
    limitTokens,
    stepTokens,
    // Below the limit, or below what a provider accepts that counts the requested output in.
    fits: lastTokens <= Math.max(limitTokens, acceptedTokens),
    directUsd: direct.usd,
    usd: through.usd,
    ratio: through.usd / direct.usd,
    compactions,
    leastGrowthTokens: growths.length === 0 ? undefined : Math.min(...growths),
    problems: [...direct.problems, ...through.problems],
  };
}

function beganOf({ reason, dueTokens, tokens }: LogLine): Began {
  return {
    reason: String(reason),
    dueTokens: Number(dueTokens),
    afterTokens: Number(fieldsOf(tokens)["after"]),
  };
}

function faultsOf(row: BillRow): readonly string[] {
  const {
    model,
    outputTokens,
    windowTokens,
    requests,
    ratio,
    fits,
    leastGrowthTokens = Infinity,
    stepTokens,
    problems,
  } = row;
  const name = `${model}, max_tokens ${outputTokens}, ${requests} requests in ${windowTokens}`;
  return [
    ...problems.map((problem) => `${name}: ${problem}`),
    ...(fits && ratio > RATIO_MAX ? [`${name}: ${ratio.toFixed(2)} of the direct bill`] : []),
    ...(leastGrowthTokens < stepTokens ? [`${name}: compacted again after ${leastGrowthTokens} tokens`] : []),
  ];
}

const BEGAN_SHOWN_MAX = 4;

function beganText(compactions: readonly Began[]): string {
  const shown = compactions
    .slice(0, BEGAN_SHOWN_MAX)
    .map(({ dueTokens, afterTokens }) => `${dueTokens}→${afterTokens}`);
  return [...shown, ...(compactions.length > BEGAN_SHOWN_MAX ? ["…"] : [])].join(" ");
}

/** The verdict for a person. */
export function billText({ version, rows, faults }: BillVerdict): string {
  const head = [
    "model",
    "window",
    "requests",
    "max_tokens",
    "first",
    "last",
    "fits",
    "direct",
    "precis",
    "ratio",
    "compactions",
    "least growth",
    "step",
    "began at",
  ];
  const cells = rows.map((row) => [
    row.model,
    String(row.windowTokens),
    String(row.requests),
    String(row.outputTokens),
    String(row.firstTokens),
    String(row.lastTokens),
    row.fits ? "yes" : "no",
    `$${row.directUsd.toFixed(3)}`,
    `$${row.usd.toFixed(3)}`,
    row.ratio.toFixed(2),
    String(row.compactions.length),
    String(row.leastGrowthTokens ?? ""),
    String(row.stepTokens),
    beganText(row.compactions),
  ]);
  const lines = [
    `bill (Claude Code ${version})`,
    "",
    table(head, cells),
    "",
    ...faults.map((fault) => `FAULT ${BILL}: ${fault}`),
  ];
  return `${lines.join("\n")}\n`;
}
