/** Hooks at the command line: real commands and a real server hear of a compaction, without secrets, and cannot stop it. */
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { ask, bodyOf, worked } from "../gateway/support/asking.ts";
import { stand, TENANT } from "../gateway/support/standing.ts";
import { chatMessages, precis, precisHere, temporaryFolder, type Folder, type Ran } from "./precis.ts";

const TOKEN = `ghp_${"a1B2c3D4e5F6g7H8i9J0".repeat(2).slice(0, 36)}`;

interface Told {
  readonly event: string;
  readonly messages?: readonly { readonly role: string; readonly parts: readonly object[] }[];
  readonly compaction?: { readonly covered: number; readonly after: readonly object[]; readonly report: object };
  readonly noLongerVisible?: readonly { readonly target: string }[];
  readonly parent?: string;
  readonly child?: string;
}

let folder: Folder;
beforeEach(() => {
  folder = temporaryFolder();
  const [system, first, ...rest] = chatMessages();
  const note = { role: "assistant", content: `The token is ${TOKEN}.` };
  folder.write("session.json", JSON.stringify([system, first, note, ...rest]));
});
afterEach(() => folder.remove());

const compact = (settings: string, words: readonly string[] = ["--budget", "20%"], environment = {}): Promise<Ran> => {
  const run = Object.keys(environment).length > 0 ? precis : precisHere;
  folder.write("hooks.yaml", settings);
  const command = ["compact", "session.json", "--config", "hooks.yaml", "--out", "out.json", ...words];
  return run(command, { folder: folder.path, environment });
};
const told = (name: string): Told => JSON.parse(readFileSync(join(folder.path, name), "utf8")) as Told;

it("gives commands the documented data on standard input, without secrets", async () => {
  const settings =
    "hooks:\n  before_compact: ['cat > before.json']\n  after_compact: ['cat > after.json', 'env > env.txt']\n";
  const { code, err } = await compact(settings, ["--budget", "20%"], { SOME_API_KEY: TOKEN, HARMLESS: "seen" });
  expect([code, err.includes("hook")]).toEqual([0, false]);
  const before = told("before.json");
  expect(before).toMatchObject({ event: "before_compact", tenant: "local" });
  expect(before.messages).toHaveLength(chatMessages().length);
  const after = told("after.json");
  expect(after).toMatchObject({ event: "after_compact", compaction: { report: { reason: "budget" } } });
  expect(after.compaction!.after.length).toBeLessThan(before.messages!.length);
  expect(after.noLongerVisible!.map(({ target }) => target)).toContain("src/part3.ts");
  expect(after.parent).not.toBe(after.child);
  for (const name of ["before.json", "after.json", "env.txt"])
    expect(readFileSync(join(folder.path, name), "utf8")).not.toContain(TOKEN);
  expect(readFileSync(join(folder.path, "env.txt"), "utf8")).toContain("HARMLESS=seen");
});

it("posts the same to an address, and follows no redirection", async () => {
  const bodies: string[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    request.setEncoding("utf8");
    let body = "";
    request.on("data", (text: string) => (body += text));
    request.on("end", () => {
      bodies.push(`${request.method} ${request.url} ${body}`);
      response.writeHead(request.url === "/moved" ? 307 : 204, { location: "/elsewhere" }).end();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { code, err } = await compact(`hooks:\n  after_compact: ['${url}/told?x=1', '${url}/moved']\n`);
  server.close();
  expect(code).toBe(0);
  expect(bodies.map((body) => body.slice(0, 15)).toSorted()).toEqual(['POST /moved {"e', "POST /told?x=1 "]);
  expect(bodies.join()).not.toContain(TOKEN);
  expect(err).toMatch(/hooks\.after_compact\[1\] answered with status 307/);
});

it("tells of hooks that fail, take too long or cannot be reached, and compacts all the same", async () => {
  const failing = `echo "broken: ${TOKEN}" >&2; exit 3`;
  const slow = "(sleep 1; touch survived) & sleep 30";
  const settings = `hooks:\n  before_compact: ['${failing}', '${slow}']\n  after_compact: ['http://127.0.0.1:9/']\n  timeout_seconds: 0.4\n`;
  const { code, out, err } = await compact(settings, ["--budget", "20%", "--json"]);
  expect(code).toBe(0);
  expect(out).toBe("");
  const { report } = told("out.json") as unknown as { report: { changed: boolean; hookFailures: object[] } };
  expect(report.changed).toBe(true);
  expect(report.hookFailures).toEqual([
    {
      message: "the hook hooks.before_compact[0] exited with code 3",
      detail: expect.stringMatching(/^broken: /) as string,
    },
    {
      message: "the hook hooks.before_compact[1] took longer than 0.4 seconds (hooks.timeout_seconds) and was stopped",
    },
    { message: "the hook hooks.after_compact could not be reached" },
  ]);
  expect(err).not.toContain(TOKEN);
  expect(JSON.stringify(report)).not.toContain(TOKEN);
  await pause(1_000);
  expect(existsSync(join(folder.path, "survived"))).toBe(false);
});

it("tells of one attempt where --force tries twice", async () => {
  const { code, err } = await compact(`hooks:\n  before_compact: ['echo told >> ${folder.path}/times']\n`, [
    "--force",
    "--context-length",
    "1m",
  ]);
  expect([code, err]).toEqual([0, expect.stringMatching(/everything would be kept/)]);
  expect(readFileSync(join(folder.path, "times"), "utf8")).toBe("told\n");
});

it("are run by `precis sessions compact`, whose standard error tells of one that fails", async () => {
  const path = join(folder.path, "history.db");
  const store = await openSqliteStore({ path });
  const { url, gateway } = await stand({ gateway: { store } });
  await ask(url, { protocol: "openai-chat", body: bodyOf("openai-chat", worked("notes", 30)) });
  await gateway.settled();
  const [{ id = "" } = {}] = await store.listSessions(TENANT, { limit: 1 });
  await store.close();
  folder.write(
    "hooks.yaml",
    `hooks:\n  before_compact: ['cat > ${folder.path}/before.json']\n  after_compact: ['exit 7']\n`,
  );
  const where = ["--store", path, "--tenant", TENANT, "--config", "hooks.yaml"];
  const { code, err } = await precisHere(["sessions", "compact", id, "--budget", "20%", ...where], {
    folder: folder.path,
  });
  expect([code, err]).toEqual([0, expect.stringContaining("the hook hooks.after_compact exited with code 7")]);
  expect(told("before.json")).toMatchObject({ event: "before_compact", tenant: TENANT });
});

it.each([
  ["before_compact: ['https://user:pass@hooks.example.com/']", "hooks.before_compact"],
  ["after_compact: ['']", "hooks.after_compact"],
  ["timeout_seconds: 0", "hooks.timeout_seconds"],
  ["before: ['x']", "hooks.before"],
])("refuses %s", async (line, place) => {
  const { code, err } = await compact(`hooks:\n  ${line}\n`);
  expect(code).toBe(2);
  expect(err).toContain(place);
});
