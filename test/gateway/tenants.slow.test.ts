/** Two keys see nothing of each other, and no key is ever written down. */
import { hash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { createChain } from "../../src/core/transcript/links.ts";
import { textMessage, type Transcript } from "../../src/core/transcript/message.ts";
import type { HeaderLines } from "../../src/gateway/contract.ts";
import { ownerOf } from "../../src/gateway/tenants/owner.ts";
import { RECALL_TOOL } from "../../src/session/recall/answer.ts";
import { createProvider } from "../../provider/src/provider.ts";
import { protocols } from "../../src/protocols/index.ts";
import { openSqliteStore } from "../../src/store/index.ts";
import { ask, bodyOf, PROTOCOLS, worked, type Asking, type Told } from "./support/asking.ts";
import { agentForms } from "../support/agent/forms.ts";
import { PROTOCOL_MODELS } from "../../provider/test/models.ts";
import { serve } from "./support/serving.ts";
import { atEnd, front, stand, temporaryFolder } from "./support/standing.ts";
import { upstreamOf } from "./support/upstream.ts";

const WINDOW_TOKENS = 8_000;
const RECALL_ID = /\br[0-9a-f]{16}\b/;

const headersOf = (protocol: Asking["protocol"], key: string): HeaderLines =>
  Object.entries(agentForms[protocol].credentials(key));

const tenantWith = (headers: HeaderLines, target = "/v1/messages", credentialNames?: readonly string[]): string => {
  const { tenant, isolated } = ownerOf({ headers, target }, { policy: "per_key", loopback: true, credentialNames });
  return isolated ? "isolated" : tenant;
};

describe.each(PROTOCOLS)("two keys with the same %s conversation", (protocol) => {
  it("share no message, no compaction, no original and no session", async () => {
    const { url, store, provider } = await stand({
      provider: { every: { windowTokens: WINDOW_TOKENS }, script: { text: "Read." } },
      gateway: { contextLength: WINDOW_TOKENS, tenant: "per_key" },
      file: true,
    });
    const body = bodyOf(protocol, worked("theirs", 30));
    const first = await ask(url, { protocol, body, key: "sk-first" });
    expect([first.status, first.treatment]).toEqual([200, expect.stringMatching(/fresh$/)]);
    const [one, other] = ["sk-first", "sk-other"].map((key) => tenantWith(headersOf(protocol, key)));
    const { messages } = protocols[protocol].decode(body).transcript;
    const links = createChain((text) => hash("sha256", text)).linksOf(messages);
    const id = RECALL_ID.exec(provider.requests.at(-1)!.body)![0];
    expect((await store.findCompaction(one!, links)).compaction).toBeDefined();
    expect(await store.getOriginal(one!, id)).toBeDefined();
    expect((await store.findCompaction(other!, links)).compaction).toBeUndefined();
    expect(await store.getOriginal(other!, id)).toBeUndefined();
    expect(await store.readChain(other!, links.at(-1)!)).toEqual([]);
    expect(await store.search(other!, "theirs", 10)).toEqual([]);
    expect(await store.searchMessages(other!, "theirs", 10)).toEqual([]);
    expect(await store.listSessions(other!, { limit: 10 })).toEqual([]);
    // The other one's request finds nothing that stands: it is compacted for itself.
    const second = await ask(url, { protocol, body, key: "sk-other" });
    expect([second.status, second.treatment]).toEqual([200, expect.stringMatching(/fresh$/)]);
    const third = await ask(url, { protocol, body, key: "sk-first" });
    expect(third.treatment).toMatch(/^rewritten; before=\d+; after=\d+$/);
    expect((await store.holdings(one!)).sessions).toBe(1);
    expect((await store.holdings(other!)).sessions).toBe(1);
  });

  it("are one tenant on a machine of one's own, because tokens rotate", async () => {
    const { url } = await stand({
      provider: { every: { windowTokens: WINDOW_TOKENS }, script: { text: "Read." } },
      gateway: { contextLength: WINDOW_TOKENS, tenant: "auto" },
    });
    const body = bodyOf(protocol, worked("mine", 30));
    const told: Told[] = [];
    for (const key of ["sk-first", "sk-other"]) told.push(await ask(url, { protocol, body, key }));
    expect(told.map(({ treatment }) => treatment.endsWith("fresh"))).toEqual([true, false]);
  });
});

/** Where providers, and the gateways in front of them, take a client's key. */
const HEADER_PLACES = ["x-api-key", "api-key", "x-goog-api-key", "ocp-apim-subscription-key", "cf-aig-authorization"];
const QUERY_PLACES = ["key", "api_key", "api-key", "subscription-key", "access_token", "KEY", "%6Bey"];
const OWN_PLACE = "x-employee";

interface Caller {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: string;
}

type Place = readonly [place: string, callerOf: (key: string) => Caller];

/** SDKs want some key: all clients of an operator who takes another send the same one. */
const PLACEHOLDER = { "content-type": "application/json", authorization: "Bearer none" };
const PLACES: readonly Place[] = [
  ...[...HEADER_PLACES, OWN_PLACE].map((name): Place => [
    `the header ${name}`,
    (key) => ({ headers: { ...PLACEHOLDER, [name]: key }, query: "" }),
  ]),
  ...[...QUERY_PLACES, OWN_PLACE].map((name): Place => [
    `?${name}=`,
    (key) => ({ headers: PLACEHOLDER, query: `?${name}=${key}` }),
  ]),
];

describe.each(PLACES)("two keys in %s", (_, callerOf) => {
  it("share no compaction, and the recall tool gives one nothing of the other", async () => {
    const answers: string[] = [];
    let id = "";
    const { url, store, events } = await stand({
      provider: {
        every: { windowTokens: WINDOW_TOKENS },
        script: (asked) => {
          const list = JSON.stringify(asked.body["messages"]);
          if (!list.includes("Recall it")) {
            id ||= RECALL_ID.exec(list)?.[0] ?? "";
            return { text: "Read." };
          }
          if (!list.includes(`"${RECALL_TOOL}"`)) return { calls: [{ name: RECALL_TOOL, arguments: { wanted: id } }] };
          answers.push(list);
          return { text: "Done." };
        },
      },
      gateway: {
        contextLength: WINDOW_TOKENS,
        tenant: "per_key",
        credentialNames: [OWN_PLACE],
        recall: { offer: "always" },
      },
    });
    const call = async (key: string, body: string): Promise<string> => {
      const { headers, query } = callerOf(key);
      const answer = await fetch(`${url}/v1/chat/completions${query}`, { method: "POST", headers, body });
      await answer.text();
      return `${answer.status} ${answer.headers.get("x-precis")}`;
    };
    const long = bodyOf("openai-chat", worked("theirs", 30));
    expect(await call("K1-first", long)).toMatch(/^200 rewritten.*fresh$/);
    expect(id).toMatch(RECALL_ID);
    expect(await call("K2-other", long)).toMatch(/^200 rewritten.*fresh$/);
    const asking = (key: string): string => {
      const { messages } = worked(`${key} alone`, 30);
      return bodyOf("openai-chat", { system: [], messages: [...messages, textMessage("user", "Recall it.")] });
    };
    expect(await call("K1-first", asking("K1"))).toMatch(/^200/);
    expect(await call("K3-third", asking("K3"))).toMatch(/^200/);
    await vi.waitFor(() => expect(events.filter(({ kind }) => kind === "recall")).toHaveLength(2));
    expect(events.filter(({ kind }) => kind === "recall")).toMatchObject([{ found: true }, { found: false }]);
    expect(answers.map((list) => list.includes(`Unknown recall id ${id}`))).toEqual([false, true]);
    const tenants = await store.listTenants();
    expect(tenants).toHaveLength(3);
    const found = tenants.map(({ tenant }) => store.searchMessages(tenant, "theirs", 5));
    expect((await Promise.all(found)).map(({ length }) => length > 0).toSorted()).toEqual([false, true, true]);
  });
});

it.each<readonly [string, HeaderLines, string]>([
  ["an idempotency key", [["idempotency-key", "1"]], ""],
  ["an empty key", [["authorization", " "]], "?key="],
  ["a parameter about something else", [["x-request-id", "1"]], "?api-version=1&monkey_business=2"],
])("%s tells nobody apart", (_, headers, query) => {
  expect(tenantWith(headers, `/v1/messages${query}`)).toBe("isolated");
});

describe("requests without a key", () => {
  it("share nothing, are compacted for themselves, and leave nothing", async () => {
    const overflow = `{"error":{"message":"This model's maximum context length is 5000 tokens.","code":"context_length_exceeded"}}`;
    const answer = `{"choices":[{"message":{"role":"assistant","content":"Read."}}],"usage":{"prompt_tokens":5000,"completion_tokens":1}}`;
    const upstream = await upstreamOf((at) => (at === 0 ? { status: 400, pieces: [overflow] } : { pieces: [answer] }));
    const { url, store, events } = await front(upstream.url, { contextLength: 16_000, tenant: "per_key" });
    const call = async (transcript: Transcript): Promise<string> => {
      const headers = { "content-type": "application/json", "x-precis-session": "mine" };
      const body = bodyOf("openai-chat", transcript);
      const told = await fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body });
      expect([told.status, await told.text()]).toEqual([200, answer]);
      return told.headers.get("x-precis") ?? "";
    };
    expect(await call(worked("open", 5))).toMatch(/fresh$/);
    // The window that the first one was told is not known to the second, nor is its compaction.
    expect(await call(worked("open", 5))).toBe("unchanged");
    expect(await call(worked("open", 40))).toMatch(/fresh$/);
    expect(await call(worked("open", 40))).toMatch(/fresh$/);
    await vi.waitFor(() => expect(events.filter(({ kind }) => kind === "request")).toHaveLength(4));
    expect(events.every(({ tenant }) => tenant === "anonymous")).toBe(true);
    expect(await store.holdings()).toMatchObject({ sessions: 0, messages: 0, compactions: 0, originals: 0 });
    expect(await store.listTenants()).toEqual([]);
  });
});

describe("keys that are planted everywhere a client may put one", () => {
  const PLANTED = {
    authorization: "Bearer planted-bearer-5f2c9a71d3",
    "x-api-key": "planted-xapikey-8b1e44c06a",
    "api-key": "planted-azure-2d90f7e1bc",
    "x-goog-api-key": "planted-google-77aa10c4e9",
    cookie: "session=planted-cookie-c3d2e1f0a9",
    "proxy-authorization": "Basic planted-proxy-0a1b2c3d4e",
  };
  const QUERY = "planted-query-61f0e2d3c4";
  const SECRET = /planted-[a-z]+-[0-9a-f]{10}/g;

  const everything = (text: string): readonly string[] => text.match(SECRET) ?? [];

  it("are in no file, log, metric or error, whatever goes wrong", async () => {
    const provider = createProvider({
      every: { windowTokens: WINDOW_TOKENS },
      script: { text: "Read." },
      faults: { "server-error": 0.2, cut: 0.1 },
    });
    const { url: upstream, close } = await provider.listen();
    atEnd(close);
    const folder = temporaryFolder();
    const gateway = await serve({ upstream, folder, flags: { "context-length": String(WINDOW_TOKENS) } });
    const seen: string[] = [];
    const call = async (path: string, body: string | undefined): Promise<void> => {
      const response = await fetch(`${gateway.url}${path}?key=${QUERY}&api_key=${QUERY}`, {
        method: body === undefined ? "GET" : "POST",
        headers: { "content-type": "application/json", "anthropic-version": "2023-06-01", ...PLANTED },
        ...(body === undefined ? {} : { body }),
      }).catch((error: unknown) => new Response(String(error)));
      // A body that broke off says nothing either.
      const text = await response.text().catch(String);
      seen.push(text, JSON.stringify([...response.headers]));
    };
    const pathOf = (protocol: Asking["protocol"]): string =>
      agentForms[protocol].pathOf({ model: PROTOCOL_MODELS[protocol], stream: false });
    for (const protocol of PROTOCOLS) {
      for (const step of [2, 20, 30, 31])
        await call(pathOf(protocol), bodyOf(protocol, worked("secret", step), { stream: step % 2 === 0 }));
      await call(pathOf(protocol), "{");
      await call(pathOf(protocol), '{"model":"nobody","messages":[]}');
    }
    for (const path of [
      "/v1/models",
      "/v1/nothing",
      "/upstreams/none/v1/messages",
      "/_precis/",
      "/_precis/metrics",
      "/_precis/health",
      "/_precis/nothing",
    ])
      await call(path, undefined);
    const dead = await serve({ upstream: "http://127.0.0.1:9", folder: temporaryFolder() });
    seen.push(
      await (
        await fetch(`${dead.url}/v1/chat/completions?key=${QUERY}`, {
          method: "POST",
          headers: PLANTED,
          body: bodyOf("openai-chat", worked("dead", 1)),
        })
      ).text(),
    );
    expect(everything(seen.join("\n"))).toEqual([]);
    expect(everything(gateway.output() + dead.output())).toEqual([]);
    // While it runs, with its write-ahead log, and after it has ended.
    for (const moment of ["running", "ended"]) {
      const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
        /\.(?:db|db-wal|db-shm|log|yaml|json)$/.test(name),
      );
      expect([moment, files.some((name) => name.endsWith(".db"))]).toEqual([moment, true]);
      for (const name of files)
        expect([moment, name, everything(readFileSync(join(folder, name), "latin1"))]).toEqual([moment, name, []]);
      if (moment === "running") await gateway.kill("SIGTERM");
    }
    expect(provider.requests.length).toBeGreaterThan(10);
    const store = await openSqliteStore({ path: join(folder, "history.db") });
    expect((await store.holdings()).messages).toBeGreaterThan(50);
    await store.close();
  });

  it("would be found, because what is planted in a message is", async () => {
    const folder = temporaryFolder();
    const { url: upstream } = await upstreamOf(() => ({ pieces: ["{}"] }));
    const gateway = await serve({ upstream, folder });
    const transcript = worked("planted-message-0123456789", 1);
    await ask(gateway.url, { protocol: "openai-chat", body: bodyOf("openai-chat", transcript) });
    await gateway.kill("SIGTERM");
    expect(everything(readFileSync(join(folder, "history.db"), "latin1")).length).toBeGreaterThan(0);
  });
});
