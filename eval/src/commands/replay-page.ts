/** A replay as a person reads it: on what terms, what each strategy sent and cost. */
import { wrapped } from "../../../src/cli/screen/text.ts";
import type { ReplayedRun, ReplayedSession } from "../replay/replay.ts";
import type { ReplayTerms } from "../replay/terms.ts";
import type { Prices } from "../../../src/models/index.ts";
import { count, counted } from "../../../src/cli/screen/amounts.ts";
import { headingLines } from "../../../src/cli/compaction/page.ts";
import { tableLines } from "./table.ts";
import type { Stream } from "../../../src/cli/screen/terminal.ts";
import { windowText, type Window } from "../../../src/cli/settings/flags.ts";

export interface Replay {
  readonly name: string;
  readonly format: string;
  readonly window: Window;
  readonly terms: ReplayTerms;
  readonly session: ReplayedSession;
  readonly gapMs: number;
  /** What is to be known of the recording. */
  readonly notes: readonly string[];
}

const MINUTE_MS = 60_000;
/** `--json` has all of them. */
const NOTES_SHOWN_MAX = 8;

export function replayPage(replay: Replay, stream: Stream): string {
  const { name, format, terms, session } = replay;
  const { paint, columns } = stream;
  const shown = replay.notes.slice(0, NOTES_SHOWN_MAX);
  return [
    ...headingLines({ name, format, to: terms.protocol, notes: [] }, stream).slice(0, 1),
    ...termLines(replay).flatMap((line) => wrapped(line, columns)),
    "",
    ...table(session.runs, stream),
    "",
    ...noteLines(replay).flatMap((line) => wrapped(line, columns).map((part) => paint("dim", part))),
    "",
    ...(shown.length === 0 ? [] : [paint("strong", "Of this recording")]),
    ...shown.flatMap((note) =>
      wrapped(note, columns - 4).map((part, at) => paint("dim", `${at === 0 ? "  · " : "    "}${part}`)),
    ),
    "",
  ].join("\n");
}

function termLines({ window, terms, session, gapMs }: Replay): readonly string[] {
  const { model, prices, tokenFactor, sources } = terms;
  const times =
    session.untimed === 0
      ? "at the times in the file"
      : `${count(session.untimed)} of them assumed to be ${gapMs / 1_000} s apart, because they have no time stamps`;
  const factor = tokenFactor === 1 ? "" : `; tokens are our estimates times ${tokenFactor}`;
  return [
    `${counted(session.requests, "request")} over ${minutes(session.spanMs)}, ${times}; each reserves ${count(session.maxOutputTokens)} tokens of the window for its answer${factor}.`,
    `Window: ${windowText(window)}.`,
    `${model}: ${priceText(prices, terms)}. From ${sources.join("; then ")}.`,
    ...terms.assumed.map((one) => `Assumed: ${one}.`),
  ];
}

function priceText(prices: Prices, { ttl, cache }: ReplayTerms): string {
  const { inputUsdPerMtok, outputUsdPerMtok, cacheReadUsdPerMtok } = prices;
  const written = ttl === "1h" ? prices.cacheWrite1hUsdPerMtok : prices.cacheWrite5mUsdPerMtok;
  const kept = cache === "marked" ? `, kept for ${ttl}` : "";
  const said = [
    `$${inputUsdPerMtok} per million input tokens`,
    ...(cacheReadUsdPerMtok === undefined ? [] : [`$${cacheReadUsdPerMtok} read from the cache`]),
    ...(written === undefined ? [] : [`$${written} written to it${kept}`]),
    `$${outputUsdPerMtok} of output`,
  ];
  return said.join(", ");
}

const HEAD = ["strategy", "sent", "read", "written", "fresh", "peak", "busts", "cuts", "bill"] as const;

function table(runs: readonly ReplayedRun[], stream: Stream): readonly string[] {
  const rows = runs.map(({ strategy, totals }) => [
    strategy.name,
    short(totals.input),
    short(totals.read),
    short(totals.written),
    short(totals.fresh),
    short(totals.peak),
    strategy.caching ? String(bustsOf(totals)) : "-",
    totals.compactions === 0 ? "-" : String(totals.compactions),
    dollars(totals.usd),
  ]);
  const least = runs.reduce((cheapest, { totals }) => Math.min(cheapest, totals.usd), Infinity);
  const looks = runs.map(({ totals }) => (totals.usd === least ? { look: "good" as const } : {}));
  return tableLines({ head: HEAD, rows: rows.map((cells, at) => ({ cells, ...looks[at] })), names: 1 }, stream);
}

function bustsOf({ busts }: ReplayedRun["totals"]): number {
  return busts.compaction + busts.expired + busts.other;
}

function noteLines({ session, terms }: Replay): readonly string[] {
  const compactions = session.runs.reduce((sum, { totals }) => sum + totals.compactions, 0);
  return [
    "Sent: input tokens. Read: from the cache. Written: to the cache. Fresh: neither. Peak: the largest request. Bust: cache miss. Cut: compaction.",
    ...overLines(session.runs),
    ...session.runs.flatMap(beganText),
    ...session.runs.flatMap(bustText),
    ...(compactions === 0
      ? []
      : ["Handoffs are written by code and cost nothing; a model's price is not in the bill."]),
    ...(terms.cache === "automatic" ? ['"Without a cache" is only for comparison: this provider always caches.'] : []),
  ];
}

/** One line for all strategies whose requests were as large. */
function overLines(runs: readonly ReplayedRun[]): readonly string[] {
  const full = runs.filter(({ totals }) => totals.overAt !== undefined);
  const groups = Map.groupBy(full, ({ totals: { overAt, input } }) => `${overAt} ${input}`);
  return Array.from(groups.values(), (same) => {
    const [{ requests, totals }] = same as [ReplayedRun];
    const after = minutes(requests[totals.overAt!]!.atMs - requests[0]!.atMs);
    const names = same.map(({ strategy }) => strategy.name).join("; ");
    return `${names}: the window is full at request ${totals.overAt! + 1}, after ${after}; a provider would refuse the requests billed from there on.`;
  });
}

/** From how many tokens on a strategy compacted. */
function beganText({ strategy, requests }: ReplayedRun): readonly string[] {
  const sizes = requests.flatMap(({ compaction }) => (compaction === undefined ? [] : [compaction.before]));
  if (sizes.length === 0) return [];
  const sorted = sizes.toSorted((a, b) => a - b);
  const [least, most] = [short(sorted[0]!), short(sorted.at(-1)!)];
  return [
    `${strategy.name}: ${counted(sizes.length, "compaction")} at ${least === most ? least : `${least} to ${most}`} tokens.`,
  ];
}

function bustText({ strategy, totals: { busts, bustTokens } }: ReplayedRun): readonly string[] {
  const causes = [
    busts.compaction > 0 ? `was invalidated by compaction ${counted(busts.compaction, "time")}` : "",
    busts.expired > 0 ? `expired ${counted(busts.expired, "time")}` : "",
    busts.other > 0 ? `missed ${counted(busts.other, "time")} for another reason` : "",
  ].filter((cause) => cause !== "");
  if (causes.length === 0) return [];
  return [`${strategy.name}: the cache ${causes.join(", ")}; ${short(bustTokens)} tokens were billed again.`];
}

function minutes(ms: number): string {
  const rounded = Math.round(ms / MINUTE_MS);
  if (rounded < 1) return "less than a minute";
  return rounded < 600 ? counted(rounded, "minute") : counted(Math.round(rounded / 60), "hour");
}

const CENT_USD = 0.01;

function dollars(usd: number): string {
  return `$${usd.toFixed(usd !== 0 && usd < 100 * CENT_USD ? 4 : 2)}`;
}

/** `950`, `47K`, `8.74M` */
function short(tokens: number): string {
  if (tokens < 1_000) return String(Math.round(tokens));
  if (tokens < 999_500) return `${Math.round(tokens / 1_000)}K`;
  return `${(tokens / 1_000_000).toFixed(2)}M`;
}
