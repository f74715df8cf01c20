/** `precis doctor` on sound and on broken set-ups: each fault is named, with what mends it, and nothing else is called one. */
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Finding } from "../../src/cli/doctor/finding.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { precisHere, temporaryFolder, type Folder } from "./precis.ts";

const KEY = "sk-a-key-that-nobody-may-see-0123456789";

let folder: Folder;
const servers: Server[] = [];
beforeEach(() => (folder = temporaryFolder()));
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }
  folder.remove();
});

interface Told {
  readonly faults: number;
  readonly findings: readonly Finding[];
}

/** A free port in place of the usual one, so that what runs on this machine does not count. */
async function doctor(
  words: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<Told & { readonly code: number | null }> {
  const { code, out, err } = await precisHere(
    ["doctor", "--json", "--set", `gateway.port=${await freePort()}`, ...words],
    {
      folder: folder.path,
      environment: { PATH: join(folder.path, "bin"), ...environment },
    },
  );
  expect(err).toMatch(/^(?:Asking [^]*skips\s+this\.\n)?$/);
  expect(out).not.toContain(KEY);
  return { code, ...(JSON.parse(out) as Told) };
}

async function freePort(): Promise<number> {
  const { server, port } = await listening(() => 200);
  server.close();
  return port;
}

/** A server that answers with these statuses by path. */
async function listening(
  status: (path: string) => number,
): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer((request, response) => {
    response.writeHead(status(request.url ?? ""), { "content-type": "application/json" });
    response.end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  servers.push(server);
  return { server, port: (server.address() as AddressInfo).port };
}

/** A file below the folder, its folders made. */
function file(name: string, text: string, mode = 0o600): string {
  const path = join(folder.path, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode });
  return path;
}

function installed(command: string): void {
  file(`bin/${command}`, "#!/bin/sh\n", 0o755);
}

async function store(): Promise<string> {
  const path = join(folder.path, "history.db");
  await (await openSqliteStore({ path })).close();
  return path;
}

interface Broken {
  readonly name: string;
  /** Breaks it, and says with which flags and environment the doctor looks. */
  readonly set: () => Promise<Parameters<typeof doctor>> | Parameters<typeof doctor>;
  readonly code: string;
  readonly says: RegExp;
  readonly fix: RegExp;
}

const OFFLINE = ["--offline"] as const;

const BROKEN: readonly Broken[] = [
  {
    name: "a mistyped setting",
    set: () => (file("precis.yaml", "compression:\n  treshold: 0.4\n"), [OFFLINE]),
    code: "unknown_setting",
    says: /compression\.treshold/,
    fix: /compression\.threshold/,
  },
  {
    name: "two files that configure one project",
    set: () => (file("precis.yaml", ""), file(".precis/config.yaml", ""), [OFFLINE]),
    code: "two_files",
    says: /precis\.yaml and \.precis/,
    fix: /delete the other/,
  },
  {
    name: "a gateway open to others without a token",
    set: () => [["--offline", "--set", "gateway.host=0.0.0.0"]],
    code: "gateway_open",
    says: /no token is set/,
    fix: /gateway\.token_env/,
  },
  {
    name: "a store that others may read",
    set: async () => (chmodSync(await store(), 0o644), [["--offline", "--store", "history.db"]]),
    code: "store_open_to_others",
    says: /mode 644/,
    fix: /chmod 600 history\.db/,
  },
  {
    name: "a damaged store",
    set: async () => {
      const path = await store();
      const database = new DatabaseSync(path);
      database.exec(
        "insert into tenants values (1, 't'); insert into bodies (id, tenant, form, hash, encoding, content, bytes) values (1, 1, 'text', x'00', 'utf8', x'61', 1)",
      );
      database.close();
      return [["--offline", "--store", "history.db"]];
    },
    code: "store_damaged",
    says: /body 1 does not match its hash/,
    fix: /mv history\.db/,
  },
  {
    name: "a store of another program",
    set: () => {
      const database = new DatabaseSync(join(folder.path, "history.db"));
      database.exec("create table x (y)");
      database.close();
      chmodSync(join(folder.path, "history.db"), 0o600);
      return [["--offline", "--store", "history.db"]];
    },
    code: "store_foreign",
    says: /another program|not ours|no database of precis/i,
    fix: /file/,
  },
  {
    name: "a store of a later version",
    set: async () => {
      const database = new DatabaseSync(await store());
      database.exec("pragma user_version = 999");
      database.close();
      return [["--offline", "--store", "history.db"]];
    },
    code: "store_newer",
    says: /999|newer/,
    fix: /precis/,
  },
  {
    name: "an upstream where nothing listens",
    set: async () => [["--set", `gateway.upstreams={"mine":{"url":"http://127.0.0.1:${await freePort()}"}}`]],
    code: "upstream_unreachable",
    says: /mine: .*nothing listens there/,
    fix: /gateway\.upstreams\.mine\.url/,
  },
  {
    name: "an upstream with /v1 twice",
    set: () => [["--set", 'gateway.upstreams={"mine":{"url":"https://example.com/v1/v1"}}']],
    code: "upstream_path",
    says: /\/v1 twice/,
    fix: /to https:\/\/example\.com\/v1;/,
  },
  {
    name: "an upstream that is an endpoint",
    set: () => [["--set", 'gateway.upstreams={"mine":{"url":"https://example.com/v1/chat/completions"}}']],
    code: "upstream_path",
    says: /is an endpoint/,
    fix: /to https:\/\/example\.com\/v1\./,
  },
  {
    name: "an upstream with a wrong base path",
    set: async () => {
      const { port } = await listening((path) => (path === "/v1/models" ? 401 : 404));
      return [["--set", `gateway.upstreams={"mine":{"url":"http://127.0.0.1:${port}/openai"}}`]];
    },
    code: "upstream_path",
    says: /404 .* but under http:\/\/127\.0\.0\.1:\d+ it does/,
    fix: /to http:\/\/127\.0\.0\.1:\d+\./,
  },
  {
    name: "an upstream that sends keys in the clear",
    set: () => [["--offline", "--set", 'gateway.upstreams={"mine":{"url":"http://api.example.com"}}']],
    code: "upstream_plain",
    says: /not encrypted/,
    fix: /https:\/\/api\.example\.com/,
  },
  {
    name: "an upstream that is the gateway itself",
    set: async () => {
      const port = await freePort();
      const upstreams = `gateway.upstreams={"mine":{"url":"http://localhost:${port}/v1"}}`;
      return [["--offline", "--set", `gateway.port=${port}`, "--set", upstreams]];
    },
    code: "upstream_is_gateway",
    says: /would loop/,
    fix: /provider's own address/,
  },
  {
    name: "a key that is not set",
    set: () => [["--offline", "--set", "auxiliary.compression.model=claude-haiku-4-5"]],
    code: "key_missing",
    says: /ANTHROPIC_API_KEY is not set.*claude-haiku-4-5/,
    fix: /export ANTHROPIC_API_KEY=/,
  },
  {
    name: "a key in quotation marks",
    set: () => [["--offline", "--set", "auxiliary.compression.model=gpt-5.6-sol"], { OPENAI_API_KEY: `"${KEY}"` }],
    code: "key_malformed",
    says: /OPENAI_API_KEY holds quotation marks/,
    fix: /without them/,
  },
  {
    name: "a token that is not set",
    set: () => [["--offline", "--set", "gateway.host=0.0.0.0", "--set", "gateway.token_env=MY_TOKEN"]],
    code: "key_missing",
    says: /MY_TOKEN is not set/,
    fix: /gateway\.token_env/,
  },
  {
    name: "a window larger than the model's",
    set: () => [["--offline", "--set", "model.name=claude-sonnet-4-5", "--set", "model.context_length=2000000"]],
    code: "window_too_large",
    says: /2,000,000, but claude-sonnet-4-5 reads [\d,]+/,
    fix: /Set it to \d+/,
  },
  {
    name: "a reserve that leaves no room",
    set: () => [["--offline", "--set", "model.context_length=32000", "--set", "model.max_output_tokens=32000"]],
    code: "conflict",
    says: /max_output_tokens/,
    fix: /./,
  },
  {
    name: "a port that another program has",
    set: async () => {
      const { port } = await listening(() => 404);
      return [["--offline", "--set", `gateway.port=${port}`]];
    },
    code: "port_taken",
    says: /port \d+ is taken/,
    fix: /--port/,
  },
  {
    name: "Claude Code with /v1 twice",
    set: async () => {
      installed("claude");
      const port = await freePort();
      return [["--offline", "--set", `gateway.port=${port}`], { ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}/v1` }];
    },
    code: "client_path",
    says: /Claude Code adds \/v1 by itself/,
    fix: /Set it to http:\/\/127\.0\.0\.1:\d+\.$/,
  },
  {
    name: "OpenCode over TLS",
    set: async () => {
      installed("opencode");
      const port = await freePort();
      file("opencode.json", `{"provider":{"precis":{"options":{"baseURL":"https://127.0.0.1:${port}/v1"}}}}`);
      return [["--offline", "--set", `gateway.port=${port}`]];
    },
    code: "client_tls",
    says: /speaks no TLS/,
    fix: /Set it to http:\/\/127\.0\.0\.1:\d+\/v1\.$/,
  },
];

describe("precis doctor", () => {
  it.each(BROKEN)("names the fault of $name, and what mends it", async ({ set, code, says, fix }) => {
    const { code: exit, faults, findings } = await doctor(...(await set()));
    const wrong = findings.filter(({ level }) => level === "fault");
    expect(wrong.map((one) => one.code)).toEqual([code]);
    expect([exit, faults]).toEqual([1, 1]);
    expect(wrong[0]!.says).toMatch(says);
    expect(wrong[0]!.fix).toMatch(fix);
  });

  it("knows more than ten such set-ups", () => {
    expect(BROKEN.length).toBeGreaterThan(10);
  });

  it("finds no fault in a sound set-up, with a gateway on its port and every client pointed at it", async () => {
    const provider = await listening(() => 401);
    const gateway = createServer((_, response) => response.end('{"status":"ok"}')).listen(0, "127.0.0.1");
    await once(gateway, "listening");
    servers.push(gateway);
    const { port } = gateway.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    for (const command of ["claude", "codex", "opencode", "pi"]) installed(command);
    file(".claude/settings.json", JSON.stringify({ env: { ANTHROPIC_BASE_URL: url } }));
    const codex = [
      'model_provider = "precis" # mine',
      "[model_providers.precis]",
      `base_url = "${url}/v1"`,
      'env_key = "OPENAI_API_KEY"',
    ];
    file(".codex/config.toml", codex.join("\n"));
    file(".config/opencode/opencode.jsonc", `// mine\n{"provider":{"precis":{"options":{"baseURL":"${url}/v1"}}}}`);
    file(".pi/agent/models.json", `{"providers":{"precis":{"baseUrl":"${url}/v1"}}}`);
    await store();
    const told = await doctor(
      [
        "--store",
        "history.db",
        "--set",
        `gateway.port=${port}`,
        "--set",
        `gateway.upstreams={"mine":{"url":"http://127.0.0.1:${provider.port}"}}`,
      ],
      { OPENAI_API_KEY: KEY },
    );
    expect(told.findings.filter(({ level }) => level === "fault" || level === "warning")).toEqual([]);
    expect(told.code).toBe(0);
    expect(told.findings.filter(({ code }) => code === "client")).toHaveLength(4);
    expect(told.findings.map(({ code }) => code)).toContain("gateway_runs");
    expect(told.findings.find(({ code }) => code === "tool_search_off")).toMatchObject({
      level: "note",
      fix: expect.stringContaining("export ENABLE_TOOL_SEARCH=true") as string,
    });
    for (const [value, isOff] of [
      ["true", false],
      ["auto:5", false],
      ["false", true],
      ["", true],
    ] as const) {
      file(".claude/settings.json", JSON.stringify({ env: { ANTHROPIC_BASE_URL: url, ENABLE_TOOL_SEARCH: value } }));
      const { findings } = await doctor(["--offline", "--set", `gateway.port=${port}`]);
      expect(findings.some(({ code }) => code === "tool_search_off")).toBe(isOff);
    }
  });

  it("tells how to point a client here that is not, and that one points to another port", async () => {
    installed("pi");
    installed("claude");
    const port = await freePort();
    const { code, findings } = await doctor(["--offline", "--set", `gateway.port=${port}`], {
      ANTHROPIC_BASE_URL: "http://localhost:1",
    });
    expect(code).toBe(0);
    const of = (wanted: string) => findings.find((one) => one.code === wanted);
    expect(of("client_elsewhere")).toMatchObject({
      level: "warning",
      says: expect.stringContaining(`http://127.0.0.1:${port}`) as string,
      fix: expect.stringContaining("precis setup claude") as string,
    });
    expect(of("client_not_here")?.fix).toContain("precis run pi");
  });

  it.each([["claude"], ["opencode"], ["pi"]])(
    "knows that %s loads precis itself, and recommends no gateway",
    async (name) => {
      for (const one of [name, "precis"]) installed(one);
      const home = { HOME: folder.path, XDG_STATE_HOME: folder.path };
      const words = ["setup", name, ...(name === "pi" ? [] : ["--inside"]), "--yes"];
      expect(await precisHere(words, { folder: folder.path, environment: home })).toMatchObject({ code: 0 });
      const { findings } = await doctor(["--offline"], home);
      const [found, ...others] = findings.filter(({ area }) => area === "clients");
      expect(others).toEqual([]);
      expect(found).toMatchObject({ level: "fine", code: "client_inside" });
      expect(found).not.toHaveProperty("fix");
      rmSync(join(folder.path, "bin/precis"));
      const codes = (await doctor(["--offline"], home)).findings.map(({ code }) => code);
      expect(codes.includes("precis_not_on_path")).toBe(name === "claude");
    },
  );

  it("asks nobody when told to stay offline", async () => {
    let asked = 0;
    const { port } = await listening(() => (asked++, 200));
    const upstreams = `gateway.upstreams={"mine":{"url":"http://127.0.0.1:${port}"}}`;
    await doctor(["--offline", "--set", upstreams]);
    expect(asked).toBe(0);
    const { findings } = await doctor(["--set", upstreams]);
    expect([asked, findings.some(({ code }) => code === "upstream")]).toEqual([1, true]);
  });

  it("is a page that fits its terminal", async () => {
    file("precis.yaml", "compression:\n  treshold: 0.4\n");
    const { code, out } = await precisHere(["doctor", "--offline", "--set", `gateway.port=${await freePort()}`], {
      folder: folder.path,
      environment: { PATH: "" },
    });
    expect(code).toBe(1);
    expect(out).toContain("✗ ");
    expect(out).toContain("→ Did you mean `compression.threshold`?");
    expect(out.split("\n").every((line) => line.length <= 80)).toBe(true);
  });
});
