/** A gateway with its dashboard built, and a store filled by recorded sessions that lived through it, each against a strict provider. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildDashboard } from "../../../../scripts/build-dashboard.ts";
import type { EmitEvent } from "../../../../src/gateway/contract.ts";
import { createEventFeed, readDashboardFiles } from "../../../../src/gateway/dashboard/pages.ts";
import { createFigures } from "../../../../src/gateway/dashboard/figures.ts";
import { createHistory } from "../../../../src/gateway/history/history.ts";
import { createGateway } from "../../../../src/gateway/index.ts";
import { loginLink } from "../../../../src/gateway/operation/access.ts";
import { createMetrics } from "../../../../src/gateway/operation/metrics.ts";
import { createOwnRoutes } from "../../../../src/gateway/operation/own-routes.ts";
import { createTally } from "../../../../src/gateway/operation/tally.ts";
import type { ProtocolName } from "../../../../src/core/protocols.ts";
import { replayAsAgent } from "../../../support/agent/replay.ts";
import { createProvider } from "../../../../provider/src/provider.ts";
import { readRecording } from "../../../../provider/src/replay.ts";
import { openSqliteStore } from "../../../../src/store/index.ts";
import { type HistoryStore } from "../../../../src/store/store.ts";
import { PROTOCOL_MODELS } from "../../../../provider/test/models.ts";
import { corpusText } from "../../../support/corpus.ts";

export const TOKEN = "the token of the operator";
const EXAMPLES = join(import.meta.dirname, "../../../../examples");

export interface RecordedSession {
  readonly name: string;
  readonly protocol: ProtocolName;
  /** A file of examples/, or of the corpus. */
  readonly file: string;
}

export const EXAMPLE_SESSIONS: readonly RecordedSession[] = [
  { name: "bookings", protocol: "openai-chat", file: "bookings.openai-chat.json" },
  { name: "restart", protocol: "openai-responses", file: "restart.claude-code.jsonl" },
  { name: "refunds", protocol: "anthropic-messages", file: "refunds.openai-chat.json" },
];

export interface StandOptions {
  readonly folder: string;
  readonly contextLength: number;
  readonly sessions: readonly RecordedSession[];
}

export interface DashboardStand {
  readonly url: string;
  readonly store: HistoryStore;
  /** Opens the dashboard, once. */
  readonly link: () => string;
  /** Lives one of the sessions through the gateway. */
  readonly live: (name: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

export async function standDashboard({ folder, contextLength, sessions }: StandOptions): Promise<DashboardStand> {
  const files = join(folder, "browser");
  await buildDashboard(files);
  const store = await openSqliteStore({ path: join(folder, "history.db") });
  const providers = await Promise.all(sessions.map((session) => standProvider(session, contextLength)));
  const { ownRoutes, onEvent, close } = operation(store, { files, contextLength });
  const gateway = createGateway({
    store,
    contextLength,
    upstreams: Object.fromEntries(providers.map(({ name, url }) => [name, { url }])),
    tenant: { name: "local" },
    onEvent,
    ownRoutes,
  });
  const listening = await gateway.listen({ port: 0 });
  return {
    url: listening.url,
    store,
    link: () => loginLink(listening.url, TOKEN),
    live: (name) =>
      liveThrough(
        listening.url,
        providers.find((one) => one.name === name)!,
      ),
    close: async () => {
      await close();
      await listening.close();
      await gateway.close();
      for (const provider of providers) await provider.close();
      await store.close();
    },
  };
}

interface StandingProvider extends RecordedSession {
  readonly recording: ReturnType<typeof readRecording>;
  readonly url: string;
  readonly close: () => Promise<void>;
}

async function standProvider(session: RecordedSession, windowTokens: number): Promise<StandingProvider> {
  const { file } = session;
  const text = file.startsWith("openai/") ? corpusText(file) : readFileSync(join(EXAMPLES, file), "utf8");
  const recording = readRecording(text, file);
  const { url, close } = await createProvider({ replay: recording.messages, every: { windowTokens } }).listen();
  return { ...session, recording, url, close };
}

async function liveThrough(url: string, { name, protocol, recording }: StandingProvider): Promise<void> {
  const headers = { "x-precis-upstream": name };
  const { refusal } = await replayAsAgent({ url, protocol, model: PROTOCOL_MODELS[protocol], recording, headers });
  if (refusal !== undefined) throw new Error(`${name} was refused: ${refusal.message}`);
}

/** What `precis serve` puts beside the requests. */
function operation(
  store: HistoryStore,
  { files, contextLength }: { readonly files: string; readonly contextLength: number },
) {
  const feed = createEventFeed();
  const figures = createFigures({ store });
  const tally = createTally();
  const onEvent: EmitEvent = (event) => [feed, figures, tally].forEach((listener) => listener.onEvent(event));
  const routes = createOwnRoutes({
    metrics: createMetrics({ upstreams: [], processMetrics: false }),
    status: () => ({
      version: "1",
      mode: "rewrite",
      upstreams: {},
      store: "",
      upSeconds: 0,
      totals: tally.totals(),
    }),
    checkStore: async () => undefined,
    stopping: () => false,
    history: createHistory({ store, contextLength }),
    dashboard: { files: readDashboardFiles(files)!, feed, figures },
    loopback: true,
    token: TOKEN,
  });
  const close = (): Promise<void> => {
    feed.close();
    return figures.close();
  };
  return { ownRoutes: (request: Request) => routes.fetch(request), onEvent, close };
}
