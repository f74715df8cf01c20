/**
 * `npm run bench:bill [-- --json] [-- --retyped] [-- PROTOCOL]`: what sessions cost through windows of 64K and 200K by each
 * schedule, against the same traffic with the same caching, a window without an end, and no compaction; by the strict provider's
 * account. Fails if a compaction did not begin where its schedule says, or if a session that fits its window costs more than
 * 1.05 times as much by the default schedule. With `--retyped`: what the longest of these sessions cost where the agent writes
 * its messages in another form in every second request, and how much of that the gateway saves by sending them in their former
 * bytes.
 */
import { SCHEDULES, type Schedule } from "../src/core/caching/schedule.ts";
import { createMeasure } from "../src/core/transcript/measure.ts";
import type { ProtocolName } from "../src/core/protocols.ts";
import { corpusFiles, hasCorpus } from "../test/support/corpus.ts";
import { beginsWhereItShould, bill, fitsWindow, type Billed, type Billing } from "../test/gateway/support/billing.ts";
import { recordingOf } from "../test/gateway/support/recordings.ts";
import { machineLine, MACHINE, table } from "./table.ts";

const WINDOW_TOKENS = 64_000;
const WINDOWS_TOKENS = [WINDOW_TOKENS, 200_000];
/** A session of fewer tokens, in shares of the window, is never compacted. */
const WINDOW_SHARE_MIN = 0.4375;
/** A long session has more than so many times the window. */
const LONG_WINDOWS = 1.875;
/** What a session that fits its window may cost by the default schedule, against no compaction. */
const RATIO_MAX = 1.05;
const RETYPED_SESSIONS = 5;
const PROTOCOLS: readonly ProtocolName[] = ["anthropic-messages", "openai-chat", "openai-responses"];

interface Session extends Readonly<Record<Schedule, Billed>> {
  readonly name: string;
  readonly tokens: number;
  readonly without: Billed;
}

interface Page {
  readonly windowTokens: number;
  readonly sessions: readonly Session[];
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
  const results: Record<string, readonly Page[]> = {};
  for (const protocol of protocols) {
    results[protocol] = await pagesOf(protocol);
    for (const one of results[protocol]) {
      const text = page(one);
      if (!json) process.stdout.write(`\n${protocol}, a window of ${one.windowTokens} tokens\n\n${text}\n`);
    }
  }
  if (json) process.stdout.write(`${JSON.stringify({ machine: MACHINE, results }, undefined, 2)}\n`);
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

async function pagesOf(protocol: ProtocolName): Promise<readonly Page[]> {
  const measure = createMeasure();
  const pages = WINDOWS_TOKENS.map((windowTokens) => ({ windowTokens, sessions: [] as Session[] }));
  const recordings = corpusFiles("openai")
    .map((file) => ({ name: file.replace(/^.*\/|\.json$/g, ""), recording: recordingOf(file) }))
    .map((one) => ({ ...one, tokens: measure.transcript(one.recording) }))
    .toSorted((one, other) => other.tokens - one.tokens);
  for (const { name, recording, tokens } of recordings) {
    const long = pages.filter(({ windowTokens }) => tokens >= windowTokens * WINDOW_SHARE_MIN);
    if (long.length === 0) continue;
    const without = await bill(recording, { protocol, windowTokens: undefined });
    for (const { windowTokens, sessions } of long) {
      const by = (schedule: Schedule): Promise<Billed> => bill(recording, { protocol, windowTokens, schedule });
      const [auto, threshold, cost] = [await by("auto"), await by("threshold"), await by("cost")];
      sessions.push({ name, tokens, without, auto, threshold, cost });
      if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${windowTokens}: ${name}`);
    }
  }
  if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
  return pages;
}

function page({ windowTokens, sessions }: Page): string {
  const longTokens = LONG_WINDOWS * windowTokens;
  const long = sessions.filter(({ tokens }) => tokens > longTokens);
  const rows = sessions.map((one) => [
    one.name,
    `${Math.round(one.tokens / 1_000)}K`,
    String(one.without.turns),
    dollars(one.without.usd),
    ...SCHEDULES.flatMap((schedule) => [
      `${dollars(one[schedule].usd)} (${one[schedule].compactions})`,
      ratio(one[schedule].usd, one.without.usd),
    ]),
  ]);
  const columns = SCHEDULES.flatMap((schedule) => [schedule, "ratio"]);
  return [
    table(["session", "tokens", "turns", "without", ...columns], rows),
    "",
    ...(long.length === 0 ? [] : [pooled(`over ${longTokens} tokens`, long)]),
    pooled("all of these", sessions),
    `highest ratio: ${SCHEDULES.map((schedule) => `${schedule} ${highestRatio(sessions, schedule)}`).join(", ")}`,
    fitting(sessions.filter(({ without, auto }) => fitsWindow(without, auto))),
    "",
    ...SCHEDULES.flatMap((schedule) => beginnings(sessions, schedule)),
  ].join("\n");
}

/** Sessions that would never have exceeded the window are what the bound is about. */
function fitting(sessions: readonly Session[]): string {
  if (sessions.length === 0) return "none of these fits its window";
  if (sessions.some(({ without, auto }) => auto.usd > without.usd * RATIO_MAX)) process.exitCode = 1;
  const ratios = SCHEDULES.map((schedule) => `${schedule} ${highestRatio(sessions, schedule)}`).join(", ");
  return `highest ratio of those that fit the window (${sessions.length}): ${ratios}`;
}

function pooled(name: string, sessions: readonly Session[]): string {
  const sum = (of: "without" | Schedule): number => sessions.reduce((all, one) => all + one[of].usd, 0);
  const ratios = SCHEDULES.map((schedule) => `${schedule} ${ratio(sum(schedule), sum("without"))}`).join(", ");
  return `pooled, ${name} (${sessions.length}): ${ratios}`;
}

function highestRatio(sessions: readonly Session[], schedule: Schedule): string {
  return Math.max(...sessions.map((one) => one[schedule].usd / one.without.usd)).toFixed(3);
}

/** Where compactions began, in shares of the usable window, by what they were made for. */
function beginnings(sessions: readonly Session[], schedule: Schedule): readonly string[] {
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
