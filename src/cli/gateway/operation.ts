/** What goes on beside the requests of `precis serve`: counting, logging, the pages it prints and those it serves. */
import { createRedactor, type Redactor } from "../../core/redaction/redactor.ts";
import type { EmitEvent } from "../../gateway/contract.ts";
import { createEventFeed, readDashboardFiles } from "../../gateway/dashboard/pages.ts";
import { createFigures, type FiguresOptions } from "../../gateway/dashboard/figures.ts";
import type { History } from "../../session/history.ts";
import { createLog, type Log } from "../../gateway/operation/log.ts";
import { createMetrics, type TenantStore } from "../../gateway/operation/metrics.ts";
import { createOwnRoutes } from "../../gateway/operation/own-routes.ts";
import { loginLink } from "../../gateway/operation/access.ts";
import { createTally, type Totals } from "../../gateway/operation/tally.ts";
import { loadSecretRules, type SecretSettings } from "../../secrets/rules.ts";
import { eventLine, lineWriter, type LineWriter } from "./log.ts";
import { tokenPlace, type OperatorToken } from "./token.ts";
import type { Stream, Terminal } from "../screen/terminal.ts";
import { VENDORS, type Vendor } from "../../core/protocols.ts";
import { clientSetups, type ClientSetup } from "../../gateway/operation/clients.ts";
import type { OutwardProxies } from "../../gateway/transport/proxies.ts";
import { change, count, counted } from "../screen/amounts.ts";
import { columnWidths, padEnd, commandLines } from "../screen/text.ts";

interface OperationOptions extends Omit<StartPage, "url" | "access"> {
  readonly version: string;
  readonly inFlight: () => number;
  readonly storeBytes: (() => number) | undefined;
  readonly tenantStore?: TenantStore | undefined;
  readonly checkStore: () => Promise<unknown>;
  /** Requests go on as they come where it does not. */
  readonly forwards: boolean;
  readonly log: "pretty" | "json" | "off";
  readonly redaction: SecretSettings;
  readonly history: History;
  readonly figures: FiguresOptions;
  readonly loopback: boolean;
  readonly allowedHosts: readonly string[];
  readonly token: OperatorToken;
  readonly terminal: Terminal;
}

export interface Operation {
  readonly onEvent: EmitEvent;
  readonly ownRoutes: (request: Request) => Response | Promise<Response>;
  readonly begun: (url: string) => Promise<void>;
  readonly stopping: () => void;
  readonly ended: () => Promise<void>;
}

const SECOND_MS = 1_000;

export async function operate(options: OperationOptions): Promise<Operation> {
  const { terminal, version, mode, caching, handoffs, upstreams, store, kept, inFlight, storeBytes, tenantStore } =
    options;
  const { out, err } = terminal;
  const byName = Object.fromEntries(upstreams.map(({ name, url }) => [name, url]));
  const redact = createRedactor(await loadSecretRules(options.redaction));
  const tally = createTally();
  const metrics = createMetrics({ upstreams: Object.keys(byName), inFlight, storeBytes, tenantStore });
  const lines = lineWriter(options.log === "json" ? out : err);
  const json = options.log === "json" ? createLog({ write: lines.write, redact }) : undefined;
  const watched = watching(options.figures);
  const listeners: readonly EmitEvent[] = [
    watched.onEvent,
    tally.onEvent,
    metrics.onEvent,
    ...createLogs(options, { lines, json, redact }),
  ];
  const upSeconds = secondsSince(performance.now());
  let stopping = false;
  const routes = createOwnRoutes({
    metrics,
    status: () => ({
      version,
      mode,
      upstreams: byName,
      store,
      upSeconds: upSeconds(),
      totals: tally.totals(),
    }),
    dashboard: watched.dashboard,
    history: options.history,
    checkStore: options.checkStore,
    forwards: options.forwards,
    stopping: () => stopping,
    ...allowCallers(options),
  });
  return {
    onEvent: (event) => listeners.forEach((onEvent) => onEvent(event)),
    ownRoutes: (request) => routes.fetch(request),
    begun: async (url) => {
      const facts = { url, version, mode, caching, handoffs, upstreams: byName, store, kept: kept.first ?? kept.says };
      if (json === undefined) await err.say(startPage({ ...options, url, access: accessTo(url, options) }, err));
      else json.say("listening", facts);
      lines.flush();
    },
    stopping: () => {
      stopping = true;
      watched.close();
      lines.flush();
      if (json === undefined) sayWhatIsOpen(inFlight(), err);
    },
    ended: async () => {
      await watched.ended();
      json?.say("stopped", { upSeconds: upSeconds(), totals: tally.totals() });
      lines.flush();
      if (json === undefined) await err.say(endPage(tally.totals()));
    },
  };
}

/** A person at a terminal would otherwise wait without knowing for what. */
function sayWhatIsOpen(answers: number, err: Stream): void {
  if (answers === 0) return;
  const may = answers === 1 ? "1 answer is in progress and may" : `${answers} answers are in progress and may`;
  void err.say(`stopping: ${may} finish; press Ctrl-C again to end now\n`);
}

function allowCallers({ token, loopback, allowedHosts }: OperationOptions) {
  return { token: token.token, loopback, allowedHosts };
}

interface Logs {
  readonly lines: LineWriter;
  readonly json: Log | undefined;
  readonly redact: Redactor;
}

function createLogs({ log, terminal }: OperationOptions, { lines, json, redact }: Logs): readonly EmitEvent[] {
  if (json !== undefined) return [json.onEvent];
  return log === "pretty" ? [prettyLog(lines, terminal.err, redact)] : [];
}

function secondsSince(started: number): () => number {
  return () => Math.floor((performance.now() - started) / SECOND_MS);
}

/** What the dashboard shows beside the store; it is undefined where its files were not built. */
function watching(options: FiguresOptions) {
  const feed = createEventFeed();
  const figures = createFigures(options);
  const files = readDashboardFiles();
  const onEvent: EmitEvent = (event) => {
    feed.onEvent(event);
    figures.onEvent(event);
  };
  const dashboard = files === undefined ? undefined : { files, feed, figures };
  return { onEvent, dashboard, close: feed.close, ended: figures.close };
}

function prettyLog(lines: LineWriter, stream: Stream, redact: Redactor): EmitEvent {
  return (event) => lines.write(stream.fit(eventLine(event, { stream, redact, now: Date.now })));
}

function accessTo(url: string, { token, terminal }: OperationOptions): StartPage["access"] {
  return { link: loginLink(url, token.token), token: tokenPlace(token, terminal) };
}

interface StartPage {
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

interface CachingShown {
  readonly enabled: boolean;
  readonly strategy: string;
  readonly ttl: "5m" | "1h";
}

interface UpstreamShown {
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

function startPage(page: StartPage, { paint, columns }: Stream): string {
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

function endPage(totals: Totals): string {
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
