/** The operator's calls over HTTP: who may make them, what they answer and refuse, and that they are the command line's. */
import { hash } from "node:crypto";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { createChain } from "../../../src/core/transcript/links.ts";
import { missingIn } from "../../../src/core/receipt/counts.ts";
import { textMessage } from "../../../src/core/transcript/message.ts";
import type {
  CompactionPreview,
  CompactionView,
  ContextView,
  History,
  MessageInFull,
} from "../../../src/session/history.ts";
import { createHistory } from "../../../src/gateway/history/history.ts";
import { createGateway } from "../../../src/gateway/index.ts";
import { ADMIN_LIMITS } from "../../../src/gateway/operation/admin-request.ts";
import { createModelBook } from "../../../src/gateway/models/models.ts";
import { createMetrics } from "../../../src/gateway/operation/metrics.ts";
import { createOwnRoutes, type OwnRoutesOptions } from "../../../src/gateway/operation/own-routes.ts";
import { createTally } from "../../../src/gateway/operation/tally.ts";
import { createRegistry } from "../../../src/models/registry/registry.ts";
import { createMemoryStore, openSqliteStore } from "../../../src/store/index.ts";
import { type HistoryStore } from "../../../src/store/store.ts";
import { worked } from "../support/asking.ts";
import { atEnd, temporaryFolder } from "../support/standing.ts";

const TOKEN = "a token of the operator";
const JSON_HEADERS = { "content-type": "application/json" };
const chain = createChain((text) => hash("sha256", text));

let store: HistoryStore;
let history: History;
let alpha: string;
beforeEach(() => fill(createMemoryStore()));

async function fill(kept: HistoryStore): Promise<void> {
  store = kept;
  history = createHistory({ store });
  atEnd(() => kept.close());
  alpha = await keep("one", "alpha");
  await keep("two", "beta");
}

async function keep(tenant: string, name: string): Promise<string> {
  const { messages } = worked(name, 12, 200);
  return (await store.appendChain(tenant, { links: chain.linksOf(messages), messages })).session;
}

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly options?: Partial<OwnRoutesOptions>;
}

function routesOf(options: Partial<OwnRoutesOptions>): ReturnType<typeof createOwnRoutes> {
  return createOwnRoutes({
    metrics: createMetrics({ upstreams: [], processMetrics: false }),
    status: () => ({
      version: "1",
      mode: "",
      upstreams: {},
      store: "",
      upSeconds: 0,
      totals: createTally().totals(),
    }),
    checkStore: async () => undefined,
    stopping: () => false,
    loopback: true,
    token: TOKEN,
    history,
    ...options,
  });
}

function ask(path: string, { method = "GET", headers = {}, body, options = {} }: Asked = {}): Promise<Response> {
  const init = {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, ...headers },
    ...(body === undefined ? {} : { body }),
  };
  return Promise.resolve(routesOf(options).fetch(new Request(`http://127.0.0.1:4020/_precis/api${path}`, init)));
}

async function got<Shape>(path: string, asked?: Asked): Promise<Shape> {
  const response = await ask(path, asked);
  expect([path, response.status]).toEqual([path, 200]);
  expect(response.headers.get("cache-control")).toBe("no-store");
  return (await response.json()) as Shape;
}

function post<Shape>(path: string, body: object = {}): Promise<Shape> {
  return got(path, { method: "POST", headers: JSON_HEADERS, body: JSON.stringify(body) });
}

/** Status and code of a refusal. */
async function refused(path: string, asked?: Asked): Promise<readonly [number, string]> {
  const response = await ask(path, asked);
  const { error } = (await response.json()) as { error: { code: string; hint: string } };
  expect(error.hint).not.toBe("");
  return [response.status, error.code];
}

describe("what they answer", () => {
  beforeEach(async () => fill(await openSqliteStore({ path: join(temporaryFolder(), "history.db") })));

  it("lists the sessions of all tenants, or of the one that is named", async () => {
    expect(await got("/tenants")).toMatchObject([{ tenant: "two" }, { tenant: "one", sessions: 1 }]);
    const all = await got<{ tenant: string }[]>("/sessions");
    expect(all.map(({ tenant }) => tenant).toSorted()).toEqual(["one", "two"]);
    expect(await got("/sessions?tenant=one&limit=5")).toMatchObject([{ id: alpha, title: "Read all of alpha." }]);
    expect(await got("/sessions?tenant=nobody")).toEqual([]);
    expect(await got(`/sessions/${alpha.slice(0, 10)}?tail=2`)).toMatchObject({
      id: alpha,
      tail: [{}, { role: "tool" }],
    });
  });

  it("lists learned windows and forgets those that are named", async () => {
    const models = createModelBook({ store, registry: createRegistry(), contextLength: undefined, unknownTokens: 1 });
    const window = { tokens: 64_000, by: "named", refusedTokens: 70_000, countsOutput: true } as const;
    for (const tenant of ["one", "two"])
      for (const upstream of ["http://a.example", "http://b.example"])
        models.learnWindow({ tenant, model: "claude-opus-4-5", upstream }, window);
    await expect.poll(() => got<unknown[]>("/windows")).toHaveLength(4);
    expect(await got("/windows?tenant=one")).toMatchObject([{ tenant: "one", ...window }, { tenant: "one" }]);
    const choice = { model: "claude-opus-4-5", upstream: "http://a.example" };
    expect(await post("/windows/forget?tenant=one", choice)).toMatchObject([{ tenant: "one", ...choice }]);
    expect(await got("/windows?tenant=one")).toMatchObject([{ upstream: "http://b.example" }]);
    expect(await post<unknown[]>("/windows/forget")).toHaveLength(3);
    expect(await got("/windows")).toEqual([]);
    const headers = { ...JSON_HEADERS, authorization: "Bearer another" };
    expect(await refused("/windows/forget", { method: "POST", headers })).toEqual([401, "token_needed"]);
  });

  it("shows what fills a context, and what a compaction made of each message", async () => {
    const before = await got<ContextView>(`/sessions/${alpha}/context`);
    expect(before.original).toHaveLength(25);
    expect(before.sent).toEqual(before.original);
    expect(before.fills.map(({ role, tool }) => `${role} ${tool ?? ""}`)).toEqual(["tool read", "assistant ", "user "]);
    expect(before.fills.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(before.original.at(-1));
    await post(`/sessions/${alpha}/compact`, { budget: 4_000 });
    const after = await got<ContextView>(`/sessions/${alpha}/context`);
    expect(after.original).toEqual(before.original);
    const [{ at, undone } = { at: 0 }] = after.compactions;
    expect([at > 9, at <= 25, undone]).toEqual([true, true, false]);
    expect(after.sent.at(-1)).toBeLessThan(before.original.at(-1)! / 2);
    expect(after.sent.slice(0, at - 1)).toEqual(before.original.slice(0, at - 1));
    const view = await got<CompactionView>(`/sessions/${alpha}/compactions/1`);
    expect(view.before.map(({ number }) => number)).toEqual(Array.from({ length: at }, (_, place) => place + 1));
    expect(view.before.map(({ became }) => became.kind)).toContain("summarised");
    expect(view.after.some(({ origin }) => origin !== undefined)).toBe(true);
    const ids = new Set(view.before.flatMap(({ recall }) => (recall === undefined ? [] : [recall])));
    expect(ids.size).toBeGreaterThan(0);
    for (const id of ids) expect(await got(`/recall/${id}?tenant=one`)).toMatchObject({ id });
    const lines = view.before.filter(({ became, recall }) => became.kind === "summarised" && recall === undefined);
    expect(lines).toEqual([]);
    await post(`/sessions/${alpha}/undo`);
    expect(await got(`/sessions/${alpha}/context`)).toMatchObject({
      sent: before.sent,
      compactions: [{ undone: true }],
    });
    expect(await refused(`/sessions/${alpha}/compactions/2`)).toEqual([404, "unknown_compaction"]);
    expect(await refused(`/sessions/${alpha}/compactions/none`)).toEqual([400, "bad_query"]);
    expect(await refused("/sessions/nobody/context")).toEqual([404, "unknown_session"]);
  });

  it("compacts, exports what would be sent, recalls what went, and takes it back", async () => {
    const made = await post<{ kind: string; report: { recall: string[] } }>(`/sessions/${alpha}/compact`, {
      focus: "line 12",
      budget: 4_000,
    });
    expect(made.kind).toBe("compacted");
    const sent = await got<{ precis_origin?: string }[]>(`/sessions/${alpha}/export?compacted=true`);
    expect(sent.map((one) => one.precis_origin)).toContain("summary");
    const lines = await (await ask(`/sessions/${alpha}/export?format=jsonl&to=anthropic-messages`)).text();
    expect(lines.trim().split("\n").length).toBeGreaterThan(sent.length);
    const [recallId] = made.report.recall;
    expect(await got(`/recall/${recallId}`)).toMatchObject({ id: recallId });
    expect(await got("/search?q=alpha+line&session=" + alpha.slice(0, 9) + "&limit=3")).toHaveLength(3);
    expect(await post(`/sessions/${alpha}/undo`)).toMatchObject({ session: alpha, undone: { reason: "explicit" } });
    expect(await got(`/sessions/${alpha}`)).toMatchObject({ undone: true, compactions: 0 });
  });

  it("takes a budget in tokens, as a person writes it, or as a share of the session", async () => {
    type Made = { report: { tokens: { before: number; after: number } } };
    const { report } = await post<Made>(`/sessions/${alpha}/compact`, { budget: "25%" });
    expect(report.tokens.after).toBeLessThanOrEqual(report.tokens.before / 4);
    expect(report.tokens.after).toBeGreaterThan(report.tokens.before / 10);
    await post(`/sessions/${alpha}/undo`);
    const smaller = await post<Made>(`/sessions/${alpha}/compact`, { budget: "1.5k" });
    expect(smaller.report.tokens.after).toBeLessThanOrEqual(1_500);
  });

  it("forks", async () => {
    expect(await post(`/sessions/${alpha}/fork`, { at: 1, name: "a/fork" })).toEqual({
      session: "a/fork",
      parent: alpha,
      messages: 1,
    });
    expect(await got(`/sessions/${encodeURIComponent("a/fork")}`)).toMatchObject({ id: "a/fork", forkedAt: 1 });
  });
});

it("are served on the gateway's port", async () => {
  const gateway = createGateway({ store, ownRoutes: (request) => routesOf({}).fetch(request) });
  const { url, close } = await gateway.listen();
  atEnd(close);
  const path = `${url}/_precis/api/sessions/${alpha}`;
  const authorization = `Bearer ${TOKEN}`;
  const send = async (what: string, headers: Record<string, string>, body: string | undefined) =>
    (
      await fetch(`${path}/${what}`, {
        method: "POST",
        headers: { authorization, ...headers },
        ...(body === undefined ? {} : { body }),
      })
    ).status;
  expect(await send("compact", {}, "{}")).toBe(415);
  expect(await send("compact", JSON_HEADERS, JSON.stringify({ focus: "x".repeat(9 * ADMIN_LIMITS.bodyBytes) }))).toBe(
    413,
  );
  expect(await send("compact", JSON_HEADERS, '{"budget": 4000}')).toBe(200);
  expect(await send("undo", JSON_HEADERS, undefined)).toBe(200);
  expect(await (await fetch(path, { headers: { authorization } })).json()).toMatchObject({ undone: true });
});

describe("what they refuse", () => {
  it.each([
    ["unknown_session", 404, "/sessions/nothing"],
    ["unknown_original", 404, "/recall/r000000000"],
    ["bad_query", 400, "/sessions?limit=0"],
    ["bad_query", 400, `/sessions?limit=${ADMIN_LIMITS.listed + 1}`],
    ["bad_query", 400, "/search"],
    ["bad_query", 400, `/search?q=${"x".repeat(ADMIN_LIMITS.queryChars + 1)}`],
    ["bad_query", 400, `/sessions/${"x".repeat(ADMIN_LIMITS.idChars + 1)}`],
    ["no_such_route", 404, "/nothing"],
  ])("a GET: %s", async (code, status, path) => {
    expect(await refused(path)).toEqual([status, code]);
  });

  it.each([
    ["bad_query", 400, "compact", '{"focus": 1}'],
    ["bad_query", 400, "compact", '{"foucs": "x"}'],
    ["bad_query", 400, "compact", "[]"],
    ["bad_query", 400, "compact", "{"],
    ["bad_query", 400, "compact", '{"budget": -1}'],
    ["bad_query", 400, "compact", '{"budget": "120%"}'],
    ["bad_query", 400, "compact", '{"budget": "20"}'],
    ["bad_query", 400, "compact", '{"budget": true}'],
    ["bad_query", 400, "compact", JSON.stringify({ focus: "x".repeat(ADMIN_LIMITS.focusChars + 1) })],
    ["too_large", 413, "compact", JSON.stringify({ focus: "x".repeat(ADMIN_LIMITS.bodyBytes) })],
    ["nothing_to_undo", 409, "undo", ""],
    ["bad_fork", 400, "fork", '{"at": 2}'],
    ["bad_fork", 400, "fork", '{"name": "no name"}'],
  ])("a POST: %s", async (code, status, what, body) => {
    const path = `/sessions/${alpha}/${what}`;
    expect(await refused(path, { method: "POST", headers: JSON_HEADERS, body })).toEqual([status, code]);
    expect(await got(`/sessions/${alpha}`)).toMatchObject({ compactions: 0, branches: 0 });
  });

  it("shows a compaction before it is made, and makes exactly that one", async () => {
    const made = await post<CompactionPreview>(`/sessions/${alpha}/compact`, { preview: true, budget: "30%" });
    expect(made).toMatchObject({ kind: "preview", session: alpha });
    expect(await got(`/sessions/${alpha}`)).toMatchObject({ compactions: 0 });
    const path = `/sessions/${alpha}/previews/${made.preview}`;
    const view = await got<CompactionView>(`${path}?from=2&count=3`);
    expect(view.before.map(({ number }) => number)).toEqual([2, 3, 4]);
    expect(view.report).toEqual(made.report);
    const whole = await got<CompactionView>(path);
    expect([whole.before.length, whole.before.slice(1, 4)]).toEqual([view.map.length, view.before]);
    const wrong = { method: "POST", headers: JSON_HEADERS, body: JSON.stringify({ apply: "none" }) };
    expect(await refused(`/sessions/${alpha}/compact`, wrong)).toEqual([404, "unknown_preview"]);
    const again = { ...wrong, body: JSON.stringify({ apply: made.preview }) };
    expect(await got(`/sessions/${alpha}/compact`, again)).toMatchObject({ kind: "compacted", report: made.report });
    const kept = await got<CompactionView>(`/sessions/${alpha}/compactions/1?from=2&count=3`);
    expect(kept).toEqual(view);
    expect(await refused(`/sessions/${alpha}/compact`, again)).toEqual([404, "unknown_preview"]);
    expect(await got(`/sessions/${alpha}`)).toMatchObject({
      compactions: 1,
      compactedBy: "compressor",
      lastCompaction: { tokens: made.report.tokens },
    });
  });

  it("applies a preview as a person edited it, after the same checks, and undoes it", async () => {
    const made = await post<CompactionPreview>(`/sessions/${alpha}/compact`, { preview: true, budget: "30%" });
    const path = `/sessions/${alpha}/previews/${made.preview}`;
    const shown = await got<CompactionView>(path);
    const lines = shown.handoff!.split("\n");
    const said = [
      ...lines.slice(0, -1),
      "- Deploy with key sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789.",
      lines.at(-1),
    ];
    const edited = await post<CompactionPreview>(path, { handoff: said.join("\n") });
    expect(edited.preview).not.toBe(made.preview);
    expect(edited.report.summary).toMatchObject({ edited: true });
    expect(edited.report.tokens.after).toBeGreaterThan(made.report.tokens.after);
    // The first preview is what it was.
    expect((await got<CompactionView>(path)).handoff).toBe(shown.handoff);
    expect(await post(`/sessions/${alpha}/compact`, { apply: edited.preview })).toMatchObject({
      kind: "compacted",
      report: edited.report,
    });
    const kept = await got<CompactionView>(`/sessions/${alpha}/compactions/1`);
    expect(kept.handoff).toContain("- Deploy with key");
    expect(kept.handoff!.split("\n").slice(0, 2)).toEqual(lines.slice(0, 2));
    const sent = await (await ask(`/sessions/${alpha}/export?compacted=true&secrets=keep`)).text();
    expect(sent).toContain("- Deploy with key");
    expect(sent).not.toContain("sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789");
    await post(`/sessions/${alpha}/undo`, {});
    expect(await got(`/sessions/${alpha}`)).toMatchObject({ compactions: 0, undone: true });
  });

  it("sets the threshold of one session, and removes it", async () => {
    const path = `/sessions/${alpha}/threshold`;
    expect(await post(path, { threshold: "30%" })).toEqual({
      session: alpha,
      set: { share: 0.3 },
      thresholdTokens: 38_400,
    });
    expect(await got(`/sessions/${alpha}`)).toMatchObject({ threshold: { share: 0.3 } });
    expect(await post(path, { threshold: 20_000 })).toMatchObject({ thresholdTokens: 20_000 });
    expect(await post(path, {})).toEqual({ session: alpha, thresholdTokens: 64_000 });
    const sending = (body: object): Asked => ({ method: "POST", headers: JSON_HEADERS, body: JSON.stringify(body) });
    expect(await refused(path, sending({ threshold: "99%" }))).toEqual([400, "bad_threshold"]);
    expect(await refused(path, sending({ threshold: 0.5 }))).toEqual([400, "bad_threshold"]);
    expect(await refused(path, sending({ threshold: true }))).toEqual([400, "bad_query"]);
    expect(await refused("/sessions/nowhere/threshold", sending({ threshold: "30%" }))).toEqual([
      404,
      "unknown_session",
    ]);
  });

  it("says anew what an edited handoff does not hold", async () => {
    const { messages } = worked("gamma", 12, 200);
    const asking = messages.toSpliced(5, 0, textMessage("user", "Leave the exported names as they are."));
    const { session } = await store.appendChain("one", { links: chain.linksOf(asking), messages: asking });
    const made = await post<CompactionPreview>(`/sessions/${session}/compact`, { preview: true, budget: "30%" });
    const path = `/sessions/${session}/previews/${made.preview}`;
    const { report } = await post<CompactionPreview>(path, { handoff: "Nothing of what was said." });
    expect(missingIn(report.receipt)).toBeGreaterThan(missingIn(made.report.receipt));
    expect(report.tokens.after).toBeLessThan(made.report.tokens.after);
  });

  it("refuses a handoff that no compaction may have", async () => {
    const made = await post<CompactionPreview>(`/sessions/${alpha}/compact`, { preview: true, budget: "30%" });
    const path = `/sessions/${alpha}/previews/${made.preview}`;
    const { handoff } = await got<CompactionView>(path);
    const edit = (body: object): Asked => ({ method: "POST", headers: JSON_HEADERS, body: JSON.stringify(body) });
    for (const text of [
      " ",
      "\n",
      handoff!.replace(/recall r[0-9a-f]{16}/, "recall r000000000"),
      "many words ".repeat(15_000),
    ])
      expect(await refused(path, edit({ handoff: text }))).toEqual([400, "bad_handoff"]);
    expect(await refused(path, edit({}))).toEqual([400, "bad_query"]);
    expect(await refused(path, edit({ handoff: 1 }))).toEqual([400, "bad_query"]);
    expect(await refused(path, edit({ handoff: "x".repeat(600_000) }))).toEqual([413, "too_large"]);
    expect(await refused(`/sessions/${alpha}/previews/none`, edit({ handoff: "x" }))).toEqual([404, "unknown_preview"]);
    expect(await got(`/sessions/${alpha}`)).toMatchObject({ compactions: 0 });
  });

  it("gives messages part by part and lists by page, secrets masked", async () => {
    const page = await got<readonly MessageInFull[]>(`/sessions/${alpha}/messages?from=2&count=2`);
    expect(page.map(({ number, role }) => [number, role])).toEqual([
      [2, "assistant"],
      [3, "tool"],
    ]);
    expect(page[0]!.parts.at(-1)).toMatchObject({ kind: "call" });
    expect(page[1]!.parts[0]).toMatchObject({ kind: "result", tool: page[0]!.parts.at(-1)!.tool });
    expect(await got(`/sessions/${alpha}/messages?from=9999`)).toEqual([]);
    const all = await got<readonly object[]>("/sessions");
    expect(await got("/sessions?limit=1&offset=1")).toEqual(all.slice(1));
    expect(await got("/sessions?offset=2")).toEqual([]);
    expect(await refused("/sessions?offset=x")).toEqual([400, "bad_query"]);
  });

  it("changes nothing for a form of another site", async () => {
    const path = `/sessions/${alpha}/compact`;
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      undefined,
    ]) {
      const headers: Record<string, string> = type === undefined ? {} : { "content-type": type };
      expect(await refused(path, { method: "POST", headers, body: "{}" })).toEqual([415, "json_needed"]);
    }
    const elsewhere = { method: "POST", headers: { ...JSON_HEADERS, host: "evil.example" }, body: "{}" };
    expect(await refused(path, elsewhere)).toEqual([403, "foreign_host"]);
    const preflight = await ask(path, { method: "OPTIONS", headers: { origin: "http://evil.example" } });
    expect(preflight.headers.get("access-control-allow-origin")).toBeNull();
  });

  it("answers nobody without the token, on this machine or beyond", async () => {
    for (const loopback of [true, false])
      for (const path of ["/sessions", `/sessions/${alpha}/export?secrets=keep`, "/search?q=alpha"]) {
        const options = { loopback };
        expect((await refused(path, { options, headers: { authorization: "" } }))[0]).toBe(401);
        expect((await ask(path, { options })).status).toBe(200);
      }
  });

  it("says that the store is gone without the words of its error", async () => {
    await store.close();
    expect(await refused("/sessions")).toEqual([503, "store_closed"]);
    const broken = { ...createHistory({ store }), tenants: () => Promise.reject(new Error("a secret of the machine")) };
    const response = await ask("/tenants", { options: { history: broken } });
    expect([response.status, await response.text()]).toEqual([500, expect.not.stringContaining("secret") as string]);
  });
});
