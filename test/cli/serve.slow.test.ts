/** `precis serve` as a shell runs it, in front of the strict provider: forwards, compacts, logs without content, ends. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import OpenAI from "openai";
import Anthropic from "@anthropic-ai/sdk";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createProvider, type Provider } from "../../provider/src/provider.ts";
import { textMessage } from "../../src/core/transcript/message.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import type { Listening } from "../../src/cli/gateway/port.ts";
import { chatMessages, NODE_ENVIRONMENT, precis, precisHere, temporaryFolder, type Folder } from "./precis.ts";

type Json = Record<string, unknown>;

const BIN = resolve(import.meta.dirname, "../../src/cli/bin.ts");
const KEY = "a-key-of-the-client-0123456789";
const SECRET = "the words of the user";
const WINDOW_TOKENS = 20_000;

let folder: Folder;
let provider: Provider;
let upstream: Listening;
beforeAll(async () => {
  folder = temporaryFolder();
  provider = createProvider({ every: { windowTokens: WINDOW_TOKENS } });
  upstream = await provider.listen();
});
afterAll(async () => {
  await upstream.close();
  folder.remove();
});

interface Options {
  readonly environment?: Readonly<Record<string, string>>;
  /** Without it the log is JSON. */
  readonly pretty?: boolean;
}

/** A running gateway. `next` gives what it logs, `end` interrupts it and gives its exit code and all that it printed. */
async function serving(words: readonly string[], { environment = {}, pretty = false }: Options = {}) {
  const flags = ["serve", "--port", "0", "--upstream", upstream.url, ...(pretty ? [] : ["--json"]), ...words];
  const child = spawn(process.execPath, [BIN, ...flags], {
    cwd: folder.path,
    env: { ...NODE_ENVIRONMENT, HOME: folder.path, ...environment },
  });
  const printed = { out: "", err: "" };
  child.stdout.on("data", (chunk) => (printed.out += String(chunk)));
  child.stderr.on("data", (chunk) => (printed.err += String(chunk)));
  const lines = createInterface(pretty ? child.stderr : child.stdout)[Symbol.asyncIterator]();
  const next = async (): Promise<Json> => JSON.parse(String((await lines.next()).value)) as Json;
  const first = pretty ? /on (http\S+)/.exec(String((await lines.next()).value))?.[1] : (await next())["url"];
  const end = async (signal: "SIGINT" | "SIGTERM" = "SIGTERM") => {
    child.kill(signal);
    const [code] = (await once(child, "close")) as [number | null];
    return { code, ...printed };
  };
  return { url: String(first), next, end };
}

function ask(url: string, messages: readonly object[], headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}`, ...headers },
    body: JSON.stringify({ model: "gpt-4.1", messages }),
  });
}

const short = [{ role: "user", content: SECRET }];
/** More than the provider's window. */
const long = chatMessages({ turns: 60, lines: 40 });

describe("precis serve", () => {
  it("keeps a session alive that its provider refuses, says what it did, and keeps it on the disk", async () => {
    expect((await ask(upstream.url, long)).status).toBe(400);
    const { url, next, end } = await serving(["--context-length", String(WINDOW_TOKENS)]);
    const answer = await ask(url, long);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("x-precis")).toMatch(/^rewritten; before=\d+; after=\d+; fresh$/);
    await answer.text();
    const logged = [await next(), await next()];
    const again = await ask(url, [
      ...long,
      { role: "assistant", content: "Done." },
      { role: "user", content: "Go on." },
    ]);
    expect([again.status, again.headers.get("x-precis")]).toEqual([
      200,
      expect.stringMatching(/^rewritten.*\d$/) as string,
    ]);
    logged.push(await next());
    expect(logged.map(({ event }) => event)).toEqual(["compaction", "request", "request"]);
    expect(logged[1]).toMatchObject({
      id: answer.headers.get("x-precis-request"),
      upstream: "upstream",
      tenant: "local",
      outcome: "answered",
      treatment: { kind: "rewritten", fresh: true },
    });
    const { code, out, err } = await end();
    expect([code, err]).toEqual([0, ""]);
    expect(JSON.parse(out.trim().split("\n").at(-1)!)).toMatchObject({ event: "stopped", totals: { compactions: 1 } });
    expect(out).not.toMatch(new RegExp(`${KEY}|src/part|never touch vendor`));

    const file = join(folder.path, ".local/share/precis/history.db");
    expect(statSync(file).mode & 0o077).toBe(0);
    const { out: held } = await precisHere(["store", "check", "--quick", "--json"], { folder: folder.path });
    expect(JSON.parse(held)).toMatchObject({ sessions: 1, messages: 1 + 60 * 2 + 2 + 2, compactions: 1 });
  });

  it("says what it waits for when it is interrupted", async () => {
    const silent = createServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    folder.write("drain.yaml", "gateway:\n  limits:\n    drain_seconds: 0.5\n");
    const words = ["--upstream", `silent=http://127.0.0.1:${port}`, "--store", "memory", "--config", "drain.yaml"];
    const { url, end } = await serving(words, { pretty: true });
    const open = ask(url, short, { "x-precis-upstream": "silent" }).catch(() => undefined);
    await once(silent, "connection");
    const { err } = await end("SIGINT");
    expect(err).toContain("stopping: 1 answer is in progress and may finish");
    await open;
    silent.close();
  });

  it("prints settings for every client, a line for each request, and totals, without content", async () => {
    const { url, end } = await serving(["--store", "memory"], { pretty: true });
    await (await ask(url, short)).text();
    await ask(url, short, { "x-precis-upstream": "nowhere" });
    const { code, out, err } = await end("SIGINT");
    expect([code, out]).toEqual([0, ""]);
    for (const client of ["Claude Code", "Codex", "OpenCode", "pi", "OpenAI SDKs", "Anthropic SDKs"])
      expect(err).toContain(client);
    expect(err).toContain(`ANTHROPIC_BASE_URL=${url} claude`);
    expect(err).toContain(`every route (upstream)`);
    expect(err).toMatch(/POST \/v1\/chat\/completions {2}200 {2}gpt-4\.1/);
    expect(err).toContain("404 turned_away");
    expect(err).toContain("2 requests: 1 answered, 1 not");
    expect(err).not.toMatch(new RegExp(`${KEY}|${SECRET}`));
  });

  it("logs each event on one line where no terminal gives a width", async () => {
    const { url, end } = await serving(["--store", "memory", "--context-length", "20k"], { pretty: true });
    await (await ask(url, long)).text();
    const { err } = await end();
    const logged = err.split("\n").filter((line) => /^\d\d:\d\d:\d\d {2}/.test(line));
    expect(Math.max(...logged.map(({ length }) => length))).toBeGreaterThan(100);
  });

  it("rewrites nothing with --observe, and says what it would have done", async () => {
    const { url, next, end } = await serving(["--observe", "--store", "memory", "--context-length", "20k"]);
    const answer = await ask(url, long);
    expect([answer.status, answer.headers.get("x-precis")]).toEqual([
      400,
      expect.stringMatching(/^observed;/) as string,
    ]);
    const events = [await next(), await next()];
    expect(events.find(({ event }) => event === "request")).toMatchObject({ treatment: { kind: "observed" } });
    await end();
  });

  it("serves the vendors' own clients, told by their own variables", async () => {
    const { url, end } = await serving(["--store", "memory"]);
    vi.stubEnv("OPENAI_BASE_URL", `${url}/v1`);
    vi.stubEnv("ANTHROPIC_BASE_URL", url);
    const openai = new OpenAI({ apiKey: KEY });
    const chat = await openai.chat.completions.create({ model: "gpt-4.1", messages: [{ role: "user", content: "x" }] });
    expect(chat.choices[0]?.message.role).toBe("assistant");
    const anthropic = new Anthropic({ apiKey: KEY });
    const message = await anthropic.messages.create({
      model: "claude-sonnet-4-5",
      max_tokens: 100,
      messages: [{ role: "user", content: "x" }],
    });
    expect(message.role).toBe("assistant");
    vi.unstubAllEnvs();
    const { out } = await end();
    expect(out.match(/"outcome":"answered"/g)).toHaveLength(2);
  });

  it("shows metrics and what it did, to whoever has the token where there is one", async () => {
    folder.write("token.yaml", "gateway: { token_env: OPERATOR }");
    const words = ["--store", "memory", "--config", "token.yaml"];
    const { url, end } = await serving(words, { environment: { OPERATOR: "s3cret-s3cret-s3cret-s3cret-s3cret" } });
    const status = async (path: string, token = ""): Promise<number> =>
      (await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } })).status;
    expect([await status("/_precis/health"), await status("/_precis/ready")]).toEqual([200, 200]);
    expect([
      await status("/_precis/metrics"),
      await status("/_precis/metrics", "s3cret-s3cret-s3cret-s3cret-s3cret"),
    ]).toEqual([401, 200]);
    const told = await fetch(`${url}/_precis/`, {
      headers: { authorization: "Bearer s3cret-s3cret-s3cret-s3cret-s3cret" },
    });
    expect(await told.json()).toMatchObject({
      mode: "rewrite",
      store: "memory",
      upstreams: { upstream: upstream.url },
    });
    const { out } = await end();
    expect(out).not.toContain("s3cret-s3cret-s3cret-s3cret-s3cret");
    const without = await precis(["serve", "--config", "token.yaml"], { folder: folder.path });
    expect([without.code, without.err]).toEqual([2, expect.stringContaining("OPERATOR, which is not set") as string]);
  });

  it("asks for a token of its own making where none is set, and its own commands know it", async () => {
    const file = join(folder.path, ".local/state/precis/operator-token");
    rmSync(file, { force: true });
    const { url, end } = await serving(["--store", "memory"]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const paths = ["/_precis/", "/_precis/metrics", "/_precis/api/sessions", "/_precis/api/search?q=a"];
    const statuses = async (authorization: string): Promise<readonly number[]> =>
      Promise.all(paths.map(async (path) => (await fetch(`${url}${path}`, { headers: { authorization } })).status));
    expect(await statuses("")).toEqual([401, 401, 401, 401]);
    const { out: token } = await precisHere(["token"], { folder: folder.path });
    expect(token.trim()).toHaveLength(43);
    expect(await statuses(`Bearer ${token.trim()}`)).toEqual([200, 200, 200, 200]);
    const link = await precisHere(["token", "--link", "--port", new URL(url).port], { folder: folder.path });
    // Run from its sources, it has no dashboard to lead to.
    expect(await (await fetch(link.out.trim())).json()).toMatchObject({ error: { code: "no_dashboard" } });
    const { out, err } = await end();
    expect(out + err).not.toContain(token.trim());
    const again = await serving(["--store", "memory"]);
    expect((await precisHere(["token"], { folder: folder.path })).out).toBe(token);
    await again.end();
  });

  it("says at its start where the token is and how to open its page", async () => {
    const { end } = await serving(["--store", "memory"], { pretty: true });
    const { err } = await end();
    const [, link = ""] = /dashboard +(http\S+)/.exec(err) ?? [];
    expect(link).toMatch(/\/_precis\/login\?code=/);
    expect(err).toMatch(/token +in ~?\S*operator-token/);
    expect(err).toContain("precis token --link");
  });

  it("serves with a token for the run where none can be kept, and refuses one that others may read", async () => {
    folder.write("no-folder", "");
    const environment = { XDG_STATE_HOME: join(folder.path, "no-folder") };
    const { url, end } = await serving(["--store", "memory"], { environment });
    expect((await fetch(`${url}/_precis/metrics`)).status).toBe(401);
    expect((await end()).code).toBe(0);
    mkdirSync(join(folder.path, "open/precis"), { recursive: true });
    folder.write("open/precis/operator-token", `${"x".repeat(43)}\n`);
    chmodSync(join(folder.path, "open/precis/operator-token"), 0o644);
    const open = { folder: folder.path, environment: { XDG_STATE_HOME: join(folder.path, "open") } };
    for (const words of [["serve", "--store", "memory", "--port", "0"], ["token"]]) {
      const { code, err } = await precisHere(words, open);
      expect([code, err]).toEqual([2, expect.stringContaining("others on this machine may read") as string]);
    }
  });

  it("says once what it keeps, where and for how long, and deletes nothing of an older store at once", async () => {
    const path = join(folder.path, "kept.db");
    let now = Date.now() - 90 * 86_400_000;
    const old = await openSqliteStore({ path, now: () => now });
    const messages = [textMessage("user", "a conversation of long ago")];
    await old.appendChain("local", { links: ["a".repeat(64)], messages });
    await old.close();
    const first = await (await serving(["--store", "kept.db"], { pretty: true })).end();
    expect(first.err).toMatch(/Conversations are kept in kept\.db, not encrypted, as they are sent, secrets included/);
    expect(first.err).toMatch(
      /30 days after their last use, at most 2,048 MB\. What is there already stays until \d{4}/,
    );
    const second = await (await serving(["--store", "kept.db"], { pretty: true })).end();
    expect(second.err).not.toContain("Conversations are kept");
    expect(second.err).toMatch(/kept +30 days after their last use, at most 2,048 MB/);
    now = Date.now();
    const store = await openSqliteStore({ path });
    expect((await store.holdings()).sessions).toBe(1);
    // As if the week were over.
    await store.putState("", "retention", { notBefore: 1 });
    await store.close();
    await (await serving(["--store", "kept.db"])).end();
    const left = await openSqliteStore({ path });
    expect((await left.holdings()).sessions).toBe(0);
    await left.close();
  });

  it("keeps a store encrypted with the key of a variable, and says which is missing", async () => {
    const key = randomBytes(32).toString("base64");
    const own = ["--store", "secret.db", "--set", "gateway.store_key_env=STORE_KEY"];
    const { url, end } = await serving(own, { environment: { STORE_KEY: key } });
    await (await ask(url, short)).text();
    await end();
    expect(readFileSync(join(folder.path, "secret.db"), "latin1")).not.toContain(SECRET);
    const list = (environment: Record<string, string>) =>
      precisHere(["sessions", "--json", ...own], { folder: folder.path, environment });
    expect(JSON.parse((await list({ STORE_KEY: key })).out)).toHaveLength(1);
    expect(await list({})).toMatchObject({
      code: 2,
      err: expect.stringContaining("STORE_KEY, which is not set") as string,
    });
    expect((await list({ STORE_KEY: "short" })).code).toBe(2);
    expect((await list({ STORE_KEY: randomBytes(32).toString("hex") })).err).toContain("another key");
    const without = await precisHere(["sessions", "--store", "secret.db"], { folder: folder.path });
    expect([without.code, without.err]).toEqual([3, expect.stringContaining("gateway.store_key_env") as string]);
  });

  it("keeps no secret where it is told to mask what it keeps, and recall says so", async () => {
    const token = "ghp_aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYzA99";
    const own = ["--store", "masked.db", "--set", "redaction.stored=true"];
    const { url, end } = await serving([...own, "--context-length", String(WINDOW_TOKENS)]);
    const secret = long.map((one) =>
      one["role"] === "tool" ? { ...one, content: `${String(one["content"])} ${token}` } : one,
    );
    expect((await ask(url, secret)).status).toBe(200);
    await end();
    const here = (...words: string[]) => precisHere([...words, ...own], { folder: folder.path });
    const [{ id }] = JSON.parse((await here("sessions", "--json")).out) as [{ id: string }];
    expect((await here("sessions", "export", id, "--with-secrets")).out).not.toContain(token.slice(8));
    const bytes = readFileSync(join(folder.path, "masked.db"), "latin1").toLowerCase();
    expect(bytes).not.toContain(token.slice(8, 30).toLowerCase());
    const shown = JSON.parse((await here("sessions", "show", id, "--json")).out) as {
      history: { report: { recall: string[] } }[];
    };
    const { out, err } = await here("recall", shown.history[0]!.report.recall[0]!);
    expect(out).toContain("compute(");
    expect(err).toContain("masked before it was kept");
    expect((await here("sessions", "compact", id, "--budget", "10%")).out).toContain("secrets masked");
    expect((await here("undo", id)).out.replaceAll(/\s+/g, " ")).toContain("has its secrets masked");
  });

  it("lets an answer under way end when it is told to stop, and is no longer ready", async () => {
    const slow = createProvider({ pace: 60, script: { text: "word ".repeat(30) } });
    const behind = await slow.listen();
    const { url, end } = await serving(["--store", "memory", "--upstream", `slow=${behind.url}`]);
    const body = JSON.stringify({ model: "gpt-4.1", stream: true, messages: short });
    const answer = await fetch(`${url}/upstreams/slow/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${KEY}` },
      body,
    });
    const [text, { code }] = await Promise.all([answer.text(), end()]);
    expect(text).toContain("[DONE]");
    expect(code).toBe(0);
    await behind.close();
  });
});

describe("precis serve refuses to start", () => {
  it.each([
    [["--port", "x"], '`gateway.port` is "x"; expected a whole number from 0 to 65535'],
    [["--upstream", "not an address"], "`gateway.upstreams.upstream.url`"],
    [["--upstream", "My Server=http://a"], "gateway.upstreams"],
    [["--json", "--quiet"], "exclude one another"],
    [["--host", "0.0.0.0"], "no token protects the metrics"],
    [["--set", "gateway.tenant=two words"], "`auto`, `per_key` or a name"],
  ])("with %j, and says why", async (words, why) => {
    const { code, out, err } = await precisHere(["serve", "--store", "memory", ...words], { folder: folder.path });
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(why);
    expect(err).toMatch(/^ {2}next {2}|"hint":"/m);
  });

  it("on a port that is taken", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as AddressInfo;
    const { code, err } = await precisHere(["serve", "--store", "memory", "--port", String(port)], {
      folder: folder.path,
    });
    expect([code, err]).toEqual([2, expect.stringContaining(`port ${port} is taken`) as string]);
    taken.close();
  });

  it("with a store that is none, which it leaves as it is", async () => {
    folder.write("notes.txt", "no database\n".repeat(200));
    const { code, err } = await precisHere(["serve", "--port", "0", "--store", "notes.txt"], { folder: folder.path });
    expect(code).toBe(3);
    expect(err).toContain("notes.txt");
    expect(existsSync(join(folder.path, "notes.txt"))).toBe(true);
  });
});
