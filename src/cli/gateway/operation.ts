/** What goes on beside the requests of `precis serve`: counting, logging, the pages it prints and those it serves. */
import { createRedactor, type Redactor } from "../../core/redaction/redactor.ts";
import type { EmitEvent } from "../../gateway/contract.ts";
import { createEventFeed } from "../../gateway/dashboard/pages.ts";
import { createFigures, type FiguresOptions } from "../../gateway/dashboard/figures.ts";
import { readDashboardFiles } from "../../gateway/dashboard/pages.ts";
import type { History } from "../../gateway/history/contract.ts";
import { createLog, type Log } from "../../gateway/operation/log.ts";
import { createMetrics } from "../../gateway/operation/metrics.ts";
import type { TenantStore } from "../../gateway/operation/metrics.ts";
import { createOwnRoutes } from "../../gateway/operation/own-routes.ts";
import { loginLink } from "../../gateway/operation/access.ts";
import { createTally } from "../../gateway/operation/tally.ts";
import { loadSecretRules, type SecretSettings } from "../../secrets/rules.ts";
import { eventLine, lineWriter, type LineWriter } from "./log.ts";
import { endPage, startPage, type StartPage } from "./page.ts";
import { tokenPlace, type OperatorToken } from "./token.ts";
import type { Stream, Terminal } from "../screen/terminal.ts";

export interface OperationOptions extends Omit<StartPage, "url" | "access"> {
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
