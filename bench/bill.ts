/**
 * `npm run bench:bill [-- --json] [-- --retyped] [-- PROTOCOL]`: what sessions cost through a window of 64K by each schedule, against the
 * same traffic with the same caching, a window without an end, and no compaction; by the strict provider's account. It also
 * says where the compactions of each schedule began, and fails if one did not begin where its schedule says. With `--retyped`:
 * what the longest of these sessions cost where the agent writes its messages in another form in every second request, and
 * how much of that the gateway saves by sending them in their former bytes.
 */
import { createMeasure } from "../src/core/transcript/measure.ts";
import type { ProtocolName } from "../src/protocols/index.ts";
import { corpusFiles, hasCorpus } from "../test/support/corpus.ts";
import { beginsWhereItShould, bill, type Billed, type Billing } from "../test/gateway/support/billing.ts";
import { recordingOf } from "../test/gateway/support/recordings.ts";
import { machineLine, MACHINE, table } from "./table.ts";

const WINDOW_TOKENS = 64_000;
const TOKENS_MIN = 28_000;
const LONG_TOKENS = 120_000;
const RETYPED_SESSIONS = 5;
const PROTOCOLS: readonly ProtocolName[] = ["anthropic-messages", "openai-chat", "openai-responses"];

interface Session {
  readonly name: string;
  readonly tokens: number;
  readonly without: Billed;
  readonly threshold: Billed;
  readonly cost: Billed;
}

const asked = PROTOCOLS.filter((protocol) => process.argv.includes(protocol));
const protocols = asked.length === 0 ? PROTOCOLS.slice(0, 1) : asked;
const json = process.argv.includes("--json");

if (!hasCorpus) {
  process.stderr.write("No transcripts: name their folder in PRECIS_CORPUS.\n");
  process.exitCode = 2;
} else if (process.argv.includes("--retyped")) {
  process.stdout.write(`${machineLine()}\n`);
  for (const protocol of protocols)
    process.stdout.write(`\n${protocol}, a window of ${WINDOW_TOKENS} tokens\n\n${await retypedPage(protocol)}\n`);
} else {
  if (!json) process.stdout.write(`${machineLine()}\n`);
  const results: Record<string, readonly Session[]> = {};
  for (const protocol of protocols) {
    results[protocol] = await sessionsOf(protocol);
    if (!json)
      process.stdout.write(`\n${protocol}, a window of ${WINDOW_TOKENS} tokens\n\n${page(results[protocol])}\n`);
  }
  if (json)
    process.stdout.write(
      `${JSON.stringify({ machine: MACHINE, windowTokens: WINDOW_TOKENS, results }, undefined, 2)}\n`,
    );
}

/** Five sessions, each lived through three times. */
async function retypedPage(protocol: ProtocolName): Promise<string> {
  const measure = createMeasure();
  const longest = corpusFiles("openai")
    .map((file) => ({ file, recording: recordingOf(file) }))
    .map((one) => ({ ...one, tokens: measure.transcript(one.recording) }))
    .toSorted((one, other) => other.tokens - one.tokens)
    .slice(0, RETYPED_SESSIONS);
  const rows: string[][] = [];
  for (const { file, recording, tokens } of longest) {
    const billed = async (more: Pick<Billing, "retypes" | "restoreBytes">): Promise<number> => {
      const { usd, refused } = await bill(recording, { protocol, windowTokens: WINDOW_TOKENS, ...more });
      if (refused) process.exitCode = 1;
      return usd;
    };
    const same = await billed({});
    const [lost, kept] = [await billed({ retypes: true, restoreBytes: false }), await billed({ retypes: true })];
    const name = file.replace(/^.*\/|\.json$/g, "");
    rows.push([name, `${Math.round(tokens / 1_000)}K`, dollars(same), dollars(lost), dollars(kept), ratio(kept, lost)]);
  }
  return table(["session", "tokens", "same bytes", "retyped", "restored", "ratio"], rows);
}

async function sessionsOf(protocol: ProtocolName): Promise<readonly Session[]> {
  const measure = createMeasure();
  const sessions: Session[] = [];
  for (const file of corpusFiles("openai")) {
    const recording = recordingOf(file);
    const tokens = measure.transcript(recording);
    if (tokens < TOKENS_MIN) continue;
    const through = (windowTokens: number | undefined, schedule: "threshold" | "cost") =>
      bill(recording, { protocol, windowTokens, schedule });
    sessions.push({
      name: file.replace(/^.*\/|\.json$/g, ""),
      tokens,
      without: await through(undefined, "threshold"),
      threshold: await through(WINDOW_TOKENS, "threshold"),
      cost: await through(WINDOW_TOKENS, "cost"),
    });
    if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${sessions.length}: ${sessions.at(-1)!.name}`);
  }
  if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
  return sessions.toSorted((one, other) => other.tokens - one.tokens);
}

function page(sessions: readonly Session[]): string {
  const long = sessions.filter(({ tokens }) => tokens > LONG_TOKENS);
  const rows = sessions.map(({ name, tokens, without, threshold, cost }) => [
    name,
    `${Math.round(tokens / 1_000)}K`,
    String(without.turns),
    dollars(without.usd),
    `${dollars(threshold.usd)} (${threshold.compactions})`,
    ratio(threshold.usd, without.usd),
    `${dollars(cost.usd)} (${cost.compactions})`,
    ratio(cost.usd, without.usd),
  ]);
  const head = ["session", "tokens", "turns", "without", "threshold", "ratio", "cost", "ratio"];
  return [
    table(head, rows),
    "",
    pooled(`over ${LONG_TOKENS} tokens`, long),
    pooled("all of these", sessions),
    `highest ratio: threshold ${highestRatio(sessions, "threshold")}, cost ${highestRatio(sessions, "cost")}`,
    "",
    ...(["threshold", "cost"] as const).flatMap((schedule) => beginnings(sessions, schedule)),
  ].join("\n");
}

function pooled(name: string, sessions: readonly Session[]): string {
  const sum = (of: "without" | "threshold" | "cost"): number => sessions.reduce((all, one) => all + one[of].usd, 0);
  const without = sum("without");
  return `pooled, ${name} (${sessions.length}): threshold ${ratio(sum("threshold"), without)}, cost ${ratio(sum("cost"), without)}`;
}

function highestRatio(sessions: readonly Session[], schedule: "threshold" | "cost"): string {
  return Math.max(...sessions.map((one) => one[schedule].usd / one.without.usd)).toFixed(3);
}

/** Where compactions began, in shares of the usable window, by what they were made for. */
function beginnings(sessions: readonly Session[], schedule: "threshold" | "cost"): readonly string[] {
  const billed = sessions.map((one) => one[schedule]);
  const began = billed.flatMap((one) => one.began);
  const lines = [...new Set(began.map(({ reason }) => reason))].map((reason) => {
    const shares = began.filter((one) => one.reason === reason).map(shareOf);
    const [least, most] = [Math.min(...shares), Math.max(...shares)].map((share) => share.toFixed(1));
    return `by ${schedule}, ${reason}: ${shares.length} compactions began at ${least} to ${most} % of the window`;
  });
  const wrong = began.filter((one) => !beginsWhereItShould(one)).length;
  const passed = billed.reduce((sum, one) => sum + one.passed, 0);
  if (wrong > 0 || (schedule === "threshold" && passed > 0)) process.exitCode = 1;
  return [
    ...lines,
    `by ${schedule}: ${passed} requests above the threshold waited, ${wrong} compactions began elsewhere`,
  ];
}

/** The threshold is half of the usable window. */
function shareOf({ dueTokens, thresholdTokens }: Billed["began"][number]): number {
  return (50 * dueTokens) / thresholdTokens;
}

function dollars(usd: number): string {
  return `$${usd.toFixed(3)}`;
}

function ratio(one: number, other: number): string {
  return (one / other).toFixed(3);
}
