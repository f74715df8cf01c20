/** Two keys see nothing of each other, and no key is ever written down. */
import { hash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createChain } from "../../src/core/transcript/links.ts";
import { tenantOf } from "../../src/gateway/tenant.ts";
import { createProvider } from "../../src/lab/provider/provider.ts";
import { protocols } from "../../src/protocols/index.ts";
import { openSqliteStore } from "../../src/store/index.ts";
import { ask, bodyOf, PROTOCOLS, worked, type Asking, type Told } from "./support/asking.ts";
import { serve } from "./support/serving.ts";
import { atEnd, stand, temporaryFolder } from "./support/standing.ts";
import { upstreamOf } from "./support/upstream.ts";

const WINDOW_TOKENS = 8_000;
const RECALL_ID = /\br[0-9a-f]{9}\b/;

const headersOf = (protocol: Asking["protocol"], key: string) =>
  protocol === "anthropic-messages" ? ([["x-api-key", key]] as const) : ([["authorization", `Bearer ${key}`]] as const);

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
    const [one, other] = ["sk-first", "sk-other"].map((key) => tenantOf(headersOf(protocol, key), "per_key", true));
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
    const paths = {
      "openai-chat": "/v1/chat/completions",
      "openai-responses": "/v1/responses",
      "anthropic-messages": "/v1/messages",
    };
    for (const protocol of PROTOCOLS) {
      for (const step of [2, 20, 30, 31])
        await call(paths[protocol], bodyOf(protocol, worked("secret", step), { stream: step % 2 === 0 }));
      await call(paths[protocol], "{");
      await call(paths[protocol], '{"model":"nobody","messages":[]}');
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
