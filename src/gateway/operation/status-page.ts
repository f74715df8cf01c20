/** What is running, and what it did so far: as data, and as a page for a person that needs no script. */
import type { PostponedBy } from "../../session/timing.ts";
import type { TokenSizes } from "../contract.ts";
import { recentChart } from "./recent-chart.ts";
import type { RecentRequest, Totals } from "./tally.ts";

export interface Status {
  readonly version: string;
  readonly mode: string;
  /** Where requests go, by name. */
  readonly upstreams: Readonly<Record<string, string>>;
  /** The file, or `memory`. */
  readonly store: string;
  /** Seconds since it began. */
  readonly upSeconds: number;
  readonly totals: Totals;
  readonly recent: readonly RecentRequest[];
}

const REFRESH_SECONDS = 5;

const STYLE = `
  :root { color-scheme: light dark; --soft: rgb(128 128 128 / 0.25); --ink: light-dark(#1c5fd0, #7ab0ff); --made: light-dark(#c2410c, #ff9f5a); }
  body { font: 15px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem; }
  h1 { font-size: 1.3rem; margin: 0; } h2 { font-size: 1rem; margin: 1.6rem 0 0.3rem; }
  p { margin: 0.2rem 0; } .dim { opacity: 0.7; } .says { font-size: 1.1rem; margin: 1.2rem 0; }
  .figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: 0.8rem; margin: 1.2rem 0; }
  .figures div { border: 1px solid var(--soft); border-radius: 0.5rem; padding: 0.6rem 0.8rem; }
  .figures b { display: block; font-size: 1.5rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
  .figures span { opacity: 0.7; font-size: 0.85rem; }
  svg { width: 100%; height: auto; display: block; } svg text { font-size: 11px; fill: currentColor; opacity: 0.7; }
  svg .tick { text-anchor: end; dominant-baseline: middle; } .grid { stroke: var(--soft); }
  .sent { fill: var(--soft); } .went { fill: var(--ink); } .fresh { fill: var(--made); }
  .key i { display: inline-block; width: 0.7rem; height: 0.7rem; border-radius: 2px; margin: 0 0.35rem 0 0.9rem; }
  .key i:first-child { margin-left: 0; } .key { font-size: 0.85rem; }
  table { border-collapse: collapse; width: 100%; } .more { margin-top: 1.6rem; } a { color: var(--ink); }
  td { padding: 0.15rem 0; border-bottom: 1px solid var(--soft); overflow-wrap: anywhere; }
  td:last-child { text-align: right; padding-left: 1rem; } td.count { white-space: nowrap; font-variant-numeric: tabular-nums; }
  code { font-size: 0.9em; }
`;

/** `all` shows every count there is. */
export function statusPage(status: Status, all = false): string {
  const { totals } = status;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>precis</title>
<meta name="viewport" content="width=device-width"><meta http-equiv="refresh" content="${REFRESH_SECONDS}">
<style>${STYLE}</style></head><body>
<h1>precis ${escaped(status.version)}</h1>
<p class="dim">up ${duration(status.upSeconds)}, mode ${escaped(status.mode)}</p>
<p class="says">${escaped(verdict(totals))}</p>
${figures(totals)}
${picture(status.recent)}
${timingTable(totals)}
${enginesTable(totals)}
${noticesTable(totals)}
${table("Upstreams", Object.entries(status.upstreams))}
${table("Storage", [["store", status.store]])}
${all ? counted(totals) : '<p class="more"><a href="?all">All counters</a></p>'}
<h2>More</h2><p class="dim"><code>/_precis/metrics</code> for Prometheus, <code>/_precis/</code> with <code>accept: application/json</code> for a program.</p>
</body></html>
`;
}

/** What somebody wants to know who looks for a second. */
function verdict({ requests, treatments, outcomes, context, observed, retried }: Totals): string {
  if (requests === 0) return "No requests yet.";
  const failed = outcomes.refused + outcomes.turned_away + outcomes.upstream_failed;
  const said = [
    `${plural(requests, "request")}; ${failed === 0 ? "none failed" : `${shown(failed)} failed`}.`,
    ...(treatments.rewritten + treatments.observed === 0 ? ["None was rewritten."] : []),
    ...shorter(treatments.rewritten, context, "were shortened, with"),
    ...shorter(treatments.observed, observed, "would have been shortened, with"),
    ...(retried === 0 ? [] : [`${shown(retried)} were refused as too large and answered after compaction.`]),
  ];
  return said.join(" ");
}

function shorter(count: number, { before, after }: TokenSizes, how: string): readonly string[] {
  return count === 0 ? [] : [`${shown(count)} ${how} ${share(before - after, before)} of their tokens removed.`];
}

function figures({ context, compactions, ahead, usage, cache }: Totals): string {
  const tiles: readonly (readonly [value: string, name: string])[] = [
    [short(context.before - context.after), "tokens not sent"],
    [shown(compactions), ahead === 0 ? "compactions" : `compactions, ${shown(ahead)} ahead of need`],
    [share(usage.cacheRead, usage.input), "of the input read from a cache"],
    [dollars(cache.savedUsd), "saved by caches"],
  ];
  return `<div class="figures">${tiles.map(([value, name]) => `<div><b>${value}</b><span>${name}</span></div>`).join("")}</div>`;
}

function picture(recent: readonly RecentRequest[]): string {
  if (recent.length === 0) return "";
  const key = KEY.map(([colour, means]) => `<i style="background:var(--${colour})"></i>${means}`);
  return `<h2>Tokens of each request</h2>${recentChart(recent)}<p class="key">${key.join("")}</p>`;
}

const KEY = [
  ["soft", "sent by the client"],
  ["ink", "forwarded"],
  ["made", "forwarded, compacted for this request"],
] as const;

function counted(totals: Totals): string {
  const { usage } = totals;
  return [
    table("Requests", [["in all", totals.requests], ...entries(totals.outcomes)]),
    table("What was done", [...entries(totals.treatments), ...entries(totals.untouched).map(because)]),
    table("Compactions", compactionRows(totals)),
    table("Tokens reported by providers", [
      ["input", usage.input],
      ["read from the cache", usage.cacheRead],
      ["written to the cache", usage.cacheWrite],
      ["output", usage.output],
    ]),
    table("Provider caches", cacheRows(totals)),
  ].join("\n");
}

function cacheRows({ usage, cache }: Totals): readonly Row[] {
  return [
    ["of the input read from a cache", share(usage.cacheRead, usage.input)],
    ["saved, net of the cost of writing", dollars(cache.savedUsd)],
    ["tokens missed because of compactions", cache.missedByCompaction.tokens],
    ["what these cost", dollars(cache.missedByCompaction.usd)],
    ["tokens missed otherwise", cache.missed.tokens - cache.missedByCompaction.tokens],
    ["what these cost", dollars(cache.missed.usd - cache.missedByCompaction.usd)],
  ];
}

function dollars(usd: number): string {
  return `$${usd.toFixed(usd !== 0 && Math.abs(usd) < 1 ? 4 : 2)}`;
}

const PERCENT = 100;

function share(part: number, whole: number): string {
  return `${(whole === 0 ? 0 : (part / whole) * PERCENT).toFixed(1)} %`;
}

const SHORT = new Intl.NumberFormat("en-US", { notation: "compact", maximumSignificantDigits: 3 });

function short(count: number): string {
  return SHORT.format(count);
}

function plural(count: number, noun: string): string {
  return `${shown(count)} ${noun}${count === 1 ? "" : "s"}`;
}

function compactionRows({ compactions, ahead, lost, retried, context, observed }: Totals): readonly Row[] {
  return [
    ["made", compactions],
    ["in the background", ahead],
    ["without room for every user request", lost.compactions],
    ["user requests left out", lost.requests],
    ["requests answered after an overflow error", retried],
    ["tokens of rewritten requests before", context.before],
    ["tokens of rewritten requests after", context.after],
    ...(observed.before === 0
      ? []
      : ([
          ["tokens that would have been rewritten", observed.before],
          ["and left", observed.after],
        ] as const)),
  ];
}

/** What a person may have to do something about: how often, and what was said last. */
function noticesTable({ notices }: Totals): string {
  const rows = Object.entries(notices).map(([code, { count, message }]): Row => [
    `${code.replaceAll("_", " ")}: ${message}`,
    count,
  ]);
  return rows.length === 0 ? "" : table("Notices", rows);
}

/** Why a conversation above its threshold is not compacted. */
const POSTPONED_BY = {
  prices: "because compacting then would have cost more than it saved",
  back_off: "because the last compactions saved too little: start a fresh session, or compact with a focus",
  undone: "because a person undid the last compaction",
  writing: "while a model wrote the handoff",
} as const satisfies Record<PostponedBy, string>;

/** From where on conversations are compacted, and what kept them from it. */
function timingTable({ timing }: Totals): string {
  const rows = Object.entries(timing).flatMap(([model, { thresholdTokens, compactsAtTokens, postponed }]): Row[] => [
    [model, momentText(thresholdTokens, compactsAtTokens)],
    ...Object.entries(postponed).map(([by, times]): Row => [
      `${plural(times, "request")} stayed above the threshold, ${POSTPONED_BY[by as PostponedBy]}`,
      "",
    ]),
  ]);
  return rows.length === 0 ? "" : table("Compaction begins at", rows);
}

/** What the compactions of each engine came to. */
function enginesTable({ engines }: Totals): string {
  const rows = Object.entries(engines).map(([name, one]): Row => {
    const { compactions, savedTokens, averageRatio, shortened, restarts } = one;
    const archived = restarts === 0 ? "" : `; ${plural(restarts, "session")} restarted from a summary and archived`;
    const hidden = `${plural(shortened, "message")} shortened or hidden`;
    return [
      `${name}: ${plural(compactions, "compaction")}, ${share(averageRatio, 1)} saved on average; ${hidden}${archived}`,
      `${shown(savedTokens)} tokens saved`,
    ];
  });
  return rows.length === 0 ? "" : table("Engines", rows);
}

function momentText(thresholdTokens: number, compactsAtTokens: number | undefined): string {
  if (compactsAtTokens === undefined) return "not automatically";
  if (compactsAtTokens <= thresholdTokens) return `${shown(compactsAtTokens)} tokens`;
  return `${shown(compactsAtTokens)} tokens at the latest; threshold ${shown(thresholdTokens)}`;
}

type Row = readonly [name: string, value: number | string];

function entries(counts: Readonly<Record<string, number>>): readonly Row[] {
  return Object.entries(counts).map(([name, count]) => [name.replaceAll("_", " "), count]);
}

function because([name, count]: Row): Row {
  return [`untouched: ${name}`, count];
}

function table(title: string, rows: readonly Row[]): string {
  const lines = rows.map(
    ([name, value]) =>
      `<tr><td>${escaped(name)}</td><td${typeof value === "number" ? ' class="count"' : ""}>${escaped(shown(value))}</td></tr>`,
  );
  return `<h2>${title}</h2><table>${lines.join("")}</table>`;
}

function shown(value: number | string): string {
  return typeof value === "number" ? value.toLocaleString("en-US") : value;
}

function duration(seconds: number): string {
  const hours = Math.floor(seconds / 3_600);
  const minutes = Math.floor((seconds % 3_600) / 60);
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${Math.floor(seconds % 60)} s`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
