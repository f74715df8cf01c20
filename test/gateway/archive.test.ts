/**
 * A session that restarts from a summary (Dual Compression chapter, 16.7): what it was is kept as a session of its own, and
 * its figures and hidden results are told over HTTP and by `precis sessions`.
 */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { contentText, textMessage, type Transcript } from "../../src/core/transcript/message.ts";
import type { GatewayEvent } from "../../src/gateway/contract.ts";
import { createHistory } from "../../src/gateway/history/history.ts";
import type { SessionShown } from "../../src/session/history.ts";
import { sessionList, sessionPage } from "../../src/cli/screen/sessions.ts";
import { createMetrics } from "../../src/gateway/operation/metrics.ts";
import { createOwnRoutes } from "../../src/gateway/operation/own-routes.ts";
import { createTally } from "../../src/gateway/operation/tally.ts";
import { openSqliteStore } from "../../src/store/index.ts";
import type { GatewayOptions } from "../../src/gateway/index.ts";
import { answer, startEndpoint } from "../support/scripted-endpoint.ts";
import { writerAt } from "../support/writers.ts";
import { ask, bodyOf, PROTOCOLS, worked } from "./support/asking.ts";
import { atEnd, stand, temporaryFolder, TENANT } from "./support/standing.ts";
import { spread } from "../support/cases.ts";

const WINDOW_TOKENS = 24_000;
const TOKEN = "the operator's own";
const HOUR_MS = 3_600_000;
const paper = { columns: 200, paint: (_: string, text: string) => text } as unknown as Parameters<
  typeof sessionPage
>[2];

/** A plan that fills the target alone: digests and cuts cannot make room. Each is the one before and further steps. */
function planned(steps: number): Transcript {
  const { system, messages } = worked("plan", steps, 300);
  const words = Array.from({ length: 7_500 }, (_, at) => `word${at}`).join(" ");
  const plan = `Keep to this plan: src/plan/0.ts is read first, and src/plan/1.ts is read second. ${words}`;
  return {
    system,
    messages: [textMessage("user", plan), textMessage("assistant", "I shall keep to it."), ...messages],
  };
}

async function standing(more: Partial<GatewayOptions> = {}) {
  const store = await openSqliteStore({ path: join(temporaryFolder(), "history.db") });
  atEnd(store.close);
  const tally = createTally();
  const events: GatewayEvent[] = [];
  const history = createHistory({ store, contextLength: WINDOW_TOKENS });
  const own = createOwnRoutes({
    metrics: createMetrics({ upstreams: [], processMetrics: false }),
    status: () => ({ ...STATUS, totals: tally.totals() }),
    checkStore: async () => undefined,
    stopping: () => false,
    loopback: true,
    token: TOKEN,
    history,
  });
  const { url, gateway } = await stand({
    provider: { script: { text: "Done." } },
    gateway: {
      store,
      contextLength: WINDOW_TOKENS,
      engine: "sacred-zone",
      caching: { enabled: false },
      ...more,
      ownRoutes: (request) => own.fetch(request),
      onEvent: (event) => (events.push(event), tally.onEvent(event)),
    },
  });
  const headers = { authorization: `Bearer ${TOKEN}` };
  const api = async <Answer>(path: string): Promise<Answer> =>
    (await fetch(`${url}/_precis/${path}`, { headers })).json() as Promise<Answer>;
  return { url, gateway, events, api, history };
}

const STATUS = { version: "1", mode: "rewrite", upstreams: {}, store: "history.db", upSeconds: 1 };

describe.each(spread(PROTOCOLS, 2))("a restart in %s", (protocol) => {
  it("archives the session as it was, once, and links the two", async () => {
    const { url, api, history, events } = await standing();
    const send = async (transcript: Transcript): Promise<void> => {
      const told = await ask(url, { protocol, body: bodyOf(protocol, transcript) });
      expect([told.status, told.text.slice(0, 200)]).toEqual([200, expect.any(String)]);
    };
    for (const steps of [2, 6, 10]) await send(planned(steps));
    await send(planned(10));
    const restarts = events.filter((event) => event.kind === "compaction" && event.restarted);
    expect(restarts.length).toBeGreaterThan(0);

    const sessions = await api<readonly SessionShown[]>("api/sessions");
    const main = sessions.find(({ archives }) => archives.length > 0)!;
    expect(main.archives).toHaveLength(restarts.length);
    const [archive] = main.archives;
    const kept = await api<SessionShown>(`api/sessions/${archive!.session}`);
    expect(kept).toMatchObject({ archiveOf: main.id, messages: archive!.messages, tenant: TENANT });
    const messages = await history.messages({ tenant: TENANT, id: archive!.session });
    expect(messages).toHaveLength(archive!.messages);
    expect(contentText(messages[0]!.parts)).toContain("Keep to this plan");

    const shown = await api<SessionShown>(`api/sessions/${main.id}`);
    expect(shown.engine?.name).toBe("sacred-zone");
    expect(shown.engine?.statistics).toMatchObject({
      compactions: expect.any(Number),
      savedTokens: expect.any(Number),
    });
    expect(shown.engine!.statistics!.compactions).toBeGreaterThan(0);
    const page = sessionPage(shown, Date.now() + HOUR_MS, paper);
    expect(page).toContain(`its first ${archive!.messages} messages are archived as ${archive!.session}`);
    expect(page).toMatch(/statistics +\d+ compactions?, [\d,]+ tokens saved, [\d.]+ % on average/);
    expect(sessionPage(kept, Date.now(), paper)).toContain(`the archive of ${main.id}`);
    expect(sessionList(sessions, Date.now(), paper)).toContain("archive: Keep to this plan");
  });
});

it("has the configured model write the summary that the session goes on from", async () => {
  const none = (...headings: readonly string[]) => headings.flatMap((heading) => [heading, "None"]);
  const record = [
    ...none("## Goal", "## Constraints & Preferences", "### Done", "### In Progress", "### Blocked"),
    "## Key Decisions",
    "- src/plan/0.ts is read first",
    "- src/plan/1.ts is read second",
    ...none("## Relevant Files", "## Next Steps", "## Critical Context"),
  ];
  const writer = await startEndpoint({ script: answer(record.join("\n")) });
  atEnd(writer.close);
  const { url, gateway, events, api } = await standing({
    contextLength: 2 * WINDOW_TOKENS,
    writers: { auxiliary: writerAt(writer, "small-1") },
  });
  // Past the trigger at three quarters of the window, and not past the guard at 85 %, which waits for no model.
  for (const steps of [4, 6, 8, 9]) {
    await ask(url, { protocol: "openai-chat", body: bodyOf("openai-chat", planned(steps)) });
    await gateway.settled();
  }
  expect(writer.requests.length).toBeGreaterThan(0);
  expect(events.some((event) => event.kind === "compaction" && event.restarted && event.modelCalls > 0)).toBe(true);
  const main = (await api<readonly SessionShown[]>("api/sessions")).find(({ archives }) => archives.length > 0)!;
  const { history } = await api<SessionShown>(`api/sessions/${main.id}`);
  const told = history.filter(({ report }) => report.summary?.by === "model");
  expect(told[0]?.report).toMatchObject({ engine: "sacred-zone", restarted: true });
});

describe("the figures of an engine", () => {
  it("are in the totals, and hidden results in a session", async () => {
    const { url, api, events } = await standing();
    for (const steps of [4, 12, 24])
      await ask(url, { protocol: "openai-chat", body: bodyOf("openai-chat", worked("files", steps, 900)) });
    const made = events.flatMap((event) => (event.kind === "compaction" ? event : []));
    expect(made.length).toBeGreaterThan(0);
    const { totals } = await api<{ totals: { engines: Record<string, object> } }>("");
    expect(totals.engines["sacred-zone"]).toMatchObject({
      compactions: made.length,
      savedTokens: made.reduce((sum, { tokens }) => sum + tokens.before - tokens.after, 0),
      shortened: made.reduce((sum, { shortened }) => sum + shortened, 0),
    });
    const [session] = await api<readonly SessionShown[]>("api/sessions");
    const shown = await api<SessionShown>(`api/sessions/${session!.id}`);
    const { hidden } = shown.engine!;
    expect(hidden.length).toBeGreaterThan(0);
    expect(hidden[0]).toEqual({
      id: expect.stringMatching(/^r[0-9a-f]{16}$/),
      number: expect.any(Number),
      label: expect.stringContaining("src/files/"),
    });
    expect(sessionPage(shown, Date.now(), paper)).toContain(
      `${hidden.at(-1)!.id}  message ${hidden.at(-1)!.number}: read src/files/`,
    );
  });
});
