/** What is running, and what it did so far: as data, and as a page for a person that needs no script. */
import type { Totals } from "./tally.ts";

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
}

const REFRESH_SECONDS = 5;

const STYLE = `
  :root { color-scheme: light dark; }
  body { font: 15px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem; }
  h1 { font-size: 1.3rem; margin: 0; } h2 { font-size: 1rem; margin: 1.6rem 0 0.3rem; }
  p { margin: 0.2rem 0; opacity: 0.75; } table { border-collapse: collapse; width: 100%; }
  td { padding: 0.15rem 0; border-bottom: 1px solid rgb(128 128 128 / 0.25); overflow-wrap: anywhere; }
  td:last-child { text-align: right; font-variant-numeric: tabular-nums; } code { font-size: 0.9em; }
`;

export function statusPage(status: Status): string {
  const { totals } = status;
  const { usage } = totals;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>precis</title>
<meta name="viewport" content="width=device-width"><meta http-equiv="refresh" content="${REFRESH_SECONDS}">
<style>${STYLE}</style></head><body>
<h1>precis ${escaped(status.version)}</h1>
<p>up ${duration(status.upSeconds)}, mode ${escaped(status.mode)}</p>
${table("Requests", [["in all", totals.requests], ...entries(totals.outcomes)])}
${table("What was done", [...entries(totals.treatments), ...entries(totals.untouched).map(because)])}
${table("Compactions", compactionRows(totals))}
${table("Tokens, as providers reported them", [
  ["input", usage.input],
  ["of it read from the cache", usage.cacheRead],
  ["of it written to the cache", usage.cacheWrite],
  ["output", usage.output],
])}
${table("What the providers' caches did", cacheRows(totals))}
${table("Where requests go", Object.entries(status.upstreams))}
${table("Where they are kept", [["store", status.store]])}
<h2>More</h2><p><code>/_precis/metrics</code> for Prometheus, <code>/_precis/</code> with <code>accept: application/json</code> for a program.</p>
</body></html>
`;
}

const PERCENT = 100;

function cacheRows({ usage, cache }: Totals): readonly Row[] {
  const rate = usage.input === 0 ? 0 : (usage.cacheRead / usage.input) * PERCENT;
  return [
    ["of the input read from a cache", `${rate.toFixed(1)} %`],
    ["saved, what writing cost taken off", dollars(cache.savedUsd)],
    ["tokens missed through compactions", cache.missedByCompaction.tokens],
    ["what these cost", dollars(cache.missedByCompaction.usd)],
    ["tokens missed otherwise", cache.missed.tokens - cache.missedByCompaction.tokens],
    ["what these cost", dollars(cache.missed.usd - cache.missedByCompaction.usd)],
  ];
}

function dollars(usd: number): string {
  return `$${usd.toFixed(usd !== 0 && Math.abs(usd) < 1 ? 4 : 2)}`;
}

function compactionRows({ compactions, ahead, retried, context, observed }: Totals): readonly Row[] {
  return [
    ["made", compactions],
    ["of them ahead of need", ahead],
    ["requests answered after a refusal for their size", retried],
    ["tokens that clients sent in rewritten requests", context.before],
    ["tokens that went on instead", context.after],
    ...(observed.before === 0
      ? []
      : ([
          ["tokens that rewriting would have met", observed.before],
          ["and left", observed.after],
        ] as const)),
  ];
}

type Row = readonly [name: string, value: number | string];

function entries(counts: Readonly<Record<string, number>>): readonly Row[] {
  return Object.entries(counts).map(([name, count]) => [name.replaceAll("_", " "), count]);
}

function because([name, count]: Row): Row {
  return [`untouched: ${name}`, count];
}

function table(title: string, rows: readonly Row[]): string {
  const lines = rows.map(([name, value]) => `<tr><td>${escaped(name)}</td><td>${escaped(shown(value))}</td></tr>`);
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
