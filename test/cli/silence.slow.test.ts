/** No telemetry: whatever is run, no socket is opened, and no name is looked up, but to reach what is configured. */
import { readFileSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProvider } from "../../provider/src/provider.ts";
import type { Listening } from "../../src/cli/gateway/port.ts";
import { chatMessages, NODE_ENVIRONMENT, precis, temporaryFolder, type Folder } from "./precis.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const BIN = join(ROOT, "src/cli/bin.ts");

/** Writes down every way out of the process, in each of its threads, before anything of ours is loaded. */
const WATCHER = `
import { appendFileSync } from "node:fs";
import net from "node:net";
import dgram from "node:dgram";
import dns from "node:dns";
const note = (what) => appendFileSync(process.env.WATCHED, what + "\\n");
const connect = net.Socket.prototype.connect;
net.Socket.prototype.connect = function (...args) {
  const [first] = Array.isArray(args[0]) ? args[0] : args;
  const options = typeof first === "object" ? first : { port: first, host: args[1] };
  note("connect " + (options.path ?? (options.host ?? "localhost") + ":" + options.port));
  return Reflect.apply(connect, this, args);
};
for (const name of ["lookup", "resolve", "resolve4", "resolve6", "resolveTxt", "resolveSrv"]) {
  const plain = dns[name];
  dns[name] = (host, ...rest) => { if (net.isIP(host) === 0) note("look up " + host); return plain(host, ...rest); };
}
const send = dgram.Socket.prototype.send;
dgram.Socket.prototype.send = function (...args) { note("send"); return Reflect.apply(send, this, args); };
note("watched");
`;

let folder: Folder;
let upstream: Listening;
let watched: string;
let node: readonly string[];
beforeAll(async () => {
  folder = temporaryFolder();
  folder.write("watcher.mjs", WATCHER);
  folder.write("talk.json", JSON.stringify(chatMessages({ turns: 30, lines: 40 })));
  watched = join(folder.path, "watched.txt");
  node = ["--import", join(folder.path, "watcher.mjs")];
  upstream = await createProvider({ every: { windowTokens: 20_000 } }).listen();
});
afterAll(async () => {
  await upstream.close();
  folder.remove();
});

/** Where it went since, each once; that it was watched at all is checked on the way. */
function ways(): readonly string[] {
  const [first, ...others] = readFileSync(watched, "utf8").trim().split("\n");
  expect(first).toBe("watched");
  return [...new Set(others.filter((line) => line !== "watched"))];
}

describe("no telemetry", () => {
  it.each([
    ["inspect", "talk.json"],
    ["compact", "talk.json", "--budget", "30%", "-o", "small.json"],
    ["precis-eval", "replay", "talk.json"],
    ["config", "check"],
    ["plugins"],
    ["doctor", "--offline", "--set", "gateway.port=0"],
    ["token"],
    ["sessions"],
    ["store", "check", "--quick"],
    ["--version"],
    ["nonsense"],
  ])("precis %s %s goes nowhere", async (...words) => {
    writeFileSync(watched, "");
    const { code } = await precis(
      words.filter((word) => word !== undefined),
      {
        folder: folder.path,
        node,
        environment: { WATCHED: watched },
      },
    );
    expect(code).not.toBe(70);
    expect(ways()).toEqual([]);
  });

  it("precis serve goes to its upstreams and nowhere else, from its start to its end", async () => {
    writeFileSync(watched, "");
    const words = ["serve", "--port", "0", "--upstream", upstream.url, "--json", "--context-length", "20000"];
    const child = spawn(process.execPath, [...node, BIN, ...words], {
      cwd: folder.path,
      env: { ...NODE_ENVIRONMENT, HOME: folder.path, WATCHED: watched },
    });
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const { url } = JSON.parse(String((await lines.next()).value)) as { url: string };
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: "Bearer key" },
      body: JSON.stringify({ model: "gpt-4.1", messages: chatMessages({ turns: 30, lines: 40 }) }),
    });
    expect(answer.status).toBe(200);
    await answer.text();
    child.kill("SIGTERM");
    await once(child, "close");
    expect(ways()).toEqual([`connect ${new URL(upstream.url).host}`]);
  });

  it("is said where people look for it", () => {
    expect(readFileSync(join(ROOT, "docs/operating.md"), "utf8")).toMatch(/^## No telemetry$/m);
  });
});
