/** What `precis serve` says when it begins, with settings to copy for each client, and when it ends. */
import { VENDORS, type Vendor } from "../../core/protocols.ts";
import { clientSetups, type ClientSetup } from "../../gateway/operation/clients.ts";
import type { OutwardProxies } from "../../gateway/transport/proxies.ts";
import type { Totals } from "../../gateway/operation/tally.ts";
import { change, count, counted } from "../screen/amounts.ts";
import { columnWidths, padEnd, commandLines } from "../screen/text.ts";
import type { Stream } from "../screen/terminal.ts";

export interface StartPage {
  readonly url: string;
  readonly proxies: OutwardProxies | undefined;
  /** In the order in which they are asked whether a route is theirs. */
  readonly upstreams: readonly UpstreamShown[];
  readonly mode: "rewrite" | "observe" | "off";
  readonly caching: CachingShown;
  readonly handoffs: string;
  readonly store: string;
  readonly kept: { readonly says: string; readonly first?: string };
  readonly access: {
    /** For a browser: opens once, within minutes. */
    readonly link: string;
    readonly token: string;
  };
}

export interface CachingShown {
  readonly enabled: boolean;
  readonly strategy: string;
  readonly ttl: "5m" | "1h";
}

export interface UpstreamShown {
  readonly name: string;
  readonly url: string;
  /** Whose routes it serves; all of them where undefined. */
  readonly protocol: Vendor | undefined;
}

const MODES: Readonly<Record<StartPage["mode"], string>> = {
  rewrite: "rewrite: conversations that are too long are compacted",
  observe: "observe: nothing is rewritten; the log shows what would be",
  off: "off: compression.enabled is false; requests are forwarded and kept",
};

export function startPage(page: StartPage, { paint, columns }: Stream): string {
  const { url, upstreams, proxies, mode, caching, handoffs, store, kept, access } = page;
  const facts = [
    ...upstreams.map((one, at) => [
      at === 0 ? "forwards to" : "",
      `${one.url}  ${paint("dim", servedBy(upstreams, at))}`,
    ]),
    ...proxyFacts(proxies),
    ["mode", MODES[mode]],
    ["caching", cachingLine(caching)],
    ["handoffs", handoffs],
    ["store", store],
    ["kept", kept.says],
    ["dashboard", access.link],
    ["", paint("dim", "works once, within 10 minutes; later: precis token --link")],
    ["token", `${access.token}  ${paint("dim", "for metrics and the API: precis token")}`],
  ] as const;
  const setups = clientSetups(url);
  const [left = 0] = columnWidths([...facts, ...setups.map(({ client }) => [client])]);
  const row = (name: string, text: string): string => `  ${paint("dim", padEnd(name, left))}  ${text}`;
  return [
    `${paint("strong", "precis serve")} on ${paint("accent", url)}`,
    ...facts.map(([name = "", text = ""]) => row(name, text)),
    "",
    ...(kept.first === undefined ? [] : [kept.first, ""]),
    "Point a client here; keys stay where they are:",
    ...setups.flatMap((setup) => setupLines(setup, row, columns - left - 4)),
    "",
  ].join("\n");
}

function proxyFacts({ http, https, except }: OutwardProxies = {}): readonly (readonly [string, string])[] {
  const ways = [
    ...(https === undefined ? [] : [`https by ${new URL(https).host}`]),
    ...(http === undefined ? [] : [`http by ${new URL(http).host}`]),
    ...(except === undefined ? [] : [`not to ${except}`]),
  ];
  return ways.length === 0 ? [] : [["proxy", ways.join(", ")]];
}

/** Whether prompts are marked for caching, and how (Hermes Agent docs). */
function cachingLine({ enabled, strategy, ttl }: CachingShown): string {
  return enabled
    ? `on for Claude (${strategy}, ${ttl}) and OpenAI's models; a client's own markers stay`
    : "off: requests keep their own markers";
}

function servedBy(upstreams: readonly UpstreamShown[], at: number): string {
  const { name } = upstreams[at]!;
  const served = VENDORS.filter(
    (vendor) => upstreams.findIndex(({ protocol }) => protocol === undefined || protocol === vendor) === at,
  );
  if (served.length === VENDORS.length) return `every route (${name})`;
  return served.length > 0
    ? `${served.map((vendor) => `${vendor}'s`).join(", ")} routes (${name})`
    : `by name, /upstreams/${name}/`;
}

/** A command for a variable; the name of the file and its lines otherwise. */
function setupLines({ client, place, language, lines }: ClientSetup, row: Row, columns: number): readonly string[] {
  if (language === "sh")
    return lines
      .flatMap((line) => commandLines(line, "", columns))
      .map((line, at) => row(at === 0 ? client : "", line));
  return [row(client, `in ${place}:`), ...lines.map((line) => row("", `  ${line}`).trimEnd())];
}

type Row = (name: string, text: string) => string;

export function endPage(totals: Totals): string {
  const { requests, outcomes, treatments, untouched, context, observed, compactions, lost, usage, cache } = totals;
  const notices = Object.entries(totals.notices).map(([code, { count: times }]) => `${code} ${count(times)}`);
  const failed = outcomes.refused + outcomes.turned_away + outcomes.upstream_failed;
  const reasons = Object.entries(untouched).map(([because, times]) => `${because} ${count(times)}`);
  const lines = [
    `${counted(requests, "request")}: ${count(outcomes.answered)} answered, ${count(failed)} not, ${count(outcomes.aborted)} given up by clients`,
    `${counted(compactions, "compaction")}; ${counted(treatments.rewritten, "request")} shortened${sizes(context)}`,
    ...(lost.compactions === 0
      ? []
      : [`${counted(lost.compactions, "compaction")} had no room for ${counted(lost.requests, "user request")}`]),
    ...(observed.before === 0
      ? []
      : [`${counted(treatments.observed, "request")} would be shortened${sizes(observed)}`]),
    ...(reasons.length === 0 ? [] : [`${counted(treatments.untouched, "request")} untouched: ${reasons.join(", ")}`]),
    `${count(usage.input)} tokens in, ${count(usage.cacheRead)} of them read from the cache, ${count(usage.output)} out`,
    ...cacheLines(cache),
    ...(notices.length === 0 ? [] : [`notices: ${notices.join(", ")}`]),
  ];
  return `${lines.join("\n")}\n`;
}

function cacheLines({ savedUsd, missedByCompaction: { tokens, usd } }: Totals["cache"]): readonly string[] {
  if (savedUsd === 0 && tokens === 0) return [];
  const missed = tokens === 0 ? "" : `; compactions made it miss ${count(tokens)} tokens ($${usd.toFixed(2)})`;
  return [`the cache saved $${savedUsd.toFixed(2)}${missed}`];
}

function sizes({ before, after }: Totals["context"]): string {
  return before === 0 ? "" : `, ${count(before)} → ${count(after)} tokens (${change(before, after)})`;
}
