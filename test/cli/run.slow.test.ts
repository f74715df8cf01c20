/** `precis run` as a shell runs it, with clients that are small scripts, in front of the strict provider. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProvider, type Provider } from "../../provider/src/provider.ts";
import type { Listening } from "../../src/cli/gateway/port.ts";
import { NODE_ENVIRONMENT, precis, temporaryFolder, type Folder } from "./precis.ts";

const BIN = resolve(import.meta.dirname, "../../src/cli/bin.ts");

/** Notes how it was started, asks once at the address that it was given, and ends as it is told. */
const CLIENT = `#!${process.execPath}
const { writeFileSync } = require("node:fs");
const { env, argv } = process;
const configured = env.OPENCODE_CONFIG_CONTENT && JSON.parse(env.OPENCODE_CONFIG_CONTENT).provider.anthropic.options.baseURL;
const codex = argv.find((word) => word.startsWith("model_providers.precis.base_url="));
const base = configured?.replace(/\\/v1$/, "") ?? env.PRECIS_PI_GATEWAY ?? env.ANTHROPIC_BASE_URL ?? env.GOOGLE_GEMINI_BASE_URL
  ?? (codex && JSON.parse(codex.slice(codex.indexOf("=") + 1)).replace(/\\/v1$/, ""));
const body = { model: "claude-sonnet-4-5", max_tokens: 50, messages: [{ role: "user", content: "Hello." }] };
const headers = { "x-api-key": "key", "anthropic-version": "2023-06-01", "content-type": "application/json" };
fetch(base + "/v1/messages", { method: "POST", headers, body: JSON.stringify(body) }).then(async (response) => {
  const noted = { words: argv.slice(2), base, search: env.ENABLE_TOOL_SEARCH, openai: env.OPENAI_BASE_URL };
  const x = response.headers.get("x-precis");
  writeFileSync(env.NOTES, JSON.stringify({ ...noted, status: response.status, x, pid: process.pid, configured: env.OPENCODE_CONFIG_CONTENT }));
  if (argv.includes("--wait")) setInterval(() => {}, 1000);
  else process.exit(argv.includes("--fail") ? 7 : 0);
});
`;

let folder: Folder;
let provider: Provider;
let upstream: Listening;
let environment: Record<string, string>;
let notes: string;
beforeAll(async () => {
  folder = temporaryFolder();
  provider = createProvider();
  upstream = await provider.listen();
  const programs = join(folder.path, "programs");
  mkdirSync(programs);
  for (const name of ["claude", "codex", "gemini", "opencode", "pi", "agent"]) {
    writeFileSync(join(programs, name), CLIENT);
    chmodSync(join(programs, name), 0o755);
  }
  notes = join(folder.path, "notes.json");
  environment = {
    PATH: `${programs}${delimiter}${NODE_ENVIRONMENT.PATH ?? ""}`,
    NOTES: notes,
    ANTHROPIC_BASE_URL: upstream.url,
    PRECIS_GATEWAY_PORT: "1",
  };
});
afterAll(async () => {
  await upstream.close();
  folder.remove();
});

interface Noted {
  readonly words: readonly string[];
  readonly base: string;
  readonly status: number;
  readonly x: string;
  readonly pid: number;
  readonly search?: string;
  readonly openai?: string;
  readonly configured?: string;
}
const noted = (): Noted => JSON.parse(readFileSync(notes, "utf8")) as Noted;
const run = (...words: string[]) => precis(["run", ...words], { folder: folder.path, environment });
const answersAt = async (url: string): Promise<boolean> =>
  fetch(`${url}/_precis/health`).then(
    ({ ok }) => ok,
    () => false,
  );

describe("a client", () => {
  it.each(["claude", "opencode", "pi"])("is started behind a gateway that ends with it: %s", async (client) => {
    const { code, err } = await run(client, "--continue", "-p", "hello world");
    expect([code, err]).toEqual([0, ""]);
    const { words, base, status, x } = noted();
    expect({ status, x }).toEqual({ status: 200, x: "unchanged" });
    expect(words.slice(-3)).toEqual(["--continue", "-p", "hello world"]);
    expect(base).not.toBe(upstream.url);
    expect(await answersAt(base)).toBe(false);
  });

  it("gets what it needs: Claude Code its tool search, Codex a provider, OpenCode its own settings beside ours", async () => {
    await run("claude");
    expect(noted().search).toBe("true");
    await run("codex", "exec", "hi");
    expect(noted().words.slice(-2)).toEqual(["exec", "hi"]);
    expect(noted().words).toContain('model_providers.precis.wire_api="responses"');
    environment["OPENCODE_CONFIG_CONTENT"] = '{"theme":"dark","provider":{"anthropic":{"options":{"timeout":1}}}}';
    await run("opencode");
    delete environment["OPENCODE_CONFIG_CONTENT"];
    expect(JSON.parse(noted().configured!)).toMatchObject({
      theme: "dark",
      provider: { anthropic: { options: { timeout: 1, baseURL: expect.stringContaining("/v1") } } },
    });
  });

  it("ends with its own exit code", async () => {
    expect((await run("claude", "--fail")).code).toBe(7);
  });

  it("uses the gateway that runs already, and leaves it running", async () => {
    const port = 20_000 + (process.pid % 10_000);
    const flags = ["serve", "--json", "--port", String(port), "--upstream", upstream.url, "--store", "memory"];
    const gateway = spawn(process.execPath, [BIN, ...flags], { env: { ...NODE_ENVIRONMENT, HOME: folder.path } });
    await once(gateway.stdout, "data");
    environment["PRECIS_GATEWAY_PORT"] = String(port);
    expect((await run("claude")).code).toBe(0);
    environment["PRECIS_GATEWAY_PORT"] = "1";
    expect(noted().base).toBe(`http://127.0.0.1:${port}`);
    expect(await answersAt(noted().base)).toBe(true);
    gateway.kill();
    await once(gateway, "close");
  });

  it("may be any program behind --", async () => {
    expect((await run("--", "agent", "--fast")).code).toBe(0);
    const { words, base, openai } = noted();
    expect([words, openai]).toEqual([["--fast"], `${base}/v1`]);
  });

  it("takes flags of the gateway before its name", async () => {
    const store = join(folder.path, "elsewhere.db");
    expect((await run("--store", store, "--set", "compression.threshold=0.4", "claude")).code).toBe(0);
    expect(existsSync(store)).toBe(true);
  });
});

describe("what goes wrong", () => {
  it("is told: no client, one that is not known, one that is not installed, a gateway that cannot start", async () => {
    expect(await run()).toMatchObject({ code: 2, err: expect.stringContaining("no client is named") });
    expect(await run("nano")).toMatchObject({ code: 2, err: expect.stringContaining("precis run -- nano") });
    expect(await run("--", "no-such-program")).toMatchObject({
      code: 2,
      err: expect.stringContaining("no-such-program"),
    });
    expect(await run("--set", "compression.threshold=9", "claude")).toMatchObject({
      code: 2,
      err: expect.stringContaining("compression.threshold"),
    });
  });

  it("leaves no gateway behind where precis itself is killed", async () => {
    const child = spawn(process.execPath, [BIN, "run", "claude", "--wait"], {
      env: { ...NODE_ENVIRONMENT, HOME: folder.path, ...environment },
      cwd: folder.path,
      stdio: "ignore",
    });
    writeFileSync(notes, "{}");
    await expect.poll(() => noted().base, { timeout: 20_000 }).toBeDefined();
    const { base, pid } = noted();
    expect(await answersAt(base)).toBe(true);
    child.kill("SIGKILL");
    await expect.poll(() => answersAt(base), { timeout: 10_000 }).toBe(false);
    process.kill(pid);
  });

  it("ends the client and the gateway on SIGTERM", async () => {
    writeFileSync(notes, "{}");
    const child = spawn(process.execPath, [BIN, "run", "claude", "--wait"], {
      env: { ...NODE_ENVIRONMENT, HOME: folder.path, ...environment },
      cwd: folder.path,
      stdio: "ignore",
    });
    await expect.poll(() => noted().base, { timeout: 20_000 }).toBeDefined();
    const { base } = noted();
    child.kill("SIGTERM");
    const [code] = (await once(child, "close")) as [number | null];
    expect([code, await answersAt(base)]).toEqual([143, false]);
  });

  it("writes nothing but the store into the home folder", () => {
    const made = readdirSync(folder.path).filter((name) => name.startsWith("."));
    expect(made.filter((name) => ![".local", ".cache"].includes(name))).toEqual([]);
  });
});
