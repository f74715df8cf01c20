/** `precis export --for training` and the marks of `compact --json`: nothing that precis wrote passes for conversation, and no secret leaves. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { ask, bodyOf, PROTOCOLS, worked } from "../gateway/support/asking.ts";
import { stand, TENANT } from "../gateway/support/standing.ts";
import { chatMessages, precis, precisHere, temporaryFolder, type Folder } from "./precis.ts";

type Json = Readonly<Record<string, unknown>>;

const TOKEN = `ghp_${"a1B2c3D4e5F6g7H8i9J0".repeat(2).slice(0, 36)}`;
const MESSAGES = [
  ...chatMessages(),
  { role: "assistant", content: `Use ${TOKEN}.` },
  { role: "user", content: "Go on." },
];

let folder: Folder;
beforeEach(() => {
  folder = temporaryFolder();
  folder.write("session.json", JSON.stringify(MESSAGES));
});
afterEach(() => folder.remove());

const here = (...words: string[]) => precisHere(words, { folder: folder.path });
const read = (name: string): string => readFileSync(join(folder.path, name), "utf8");
const lines = (name: string): readonly Json[] =>
  read(name)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Json);

async function compacted(): Promise<void> {
  const words = ["compact", "session.json", "--budget", "20%", "--keep", "originals.json", "--out", "smaller.json"];
  expect((await here(...words)).code).toBe(0);
}

it("restores a compacted file, leaves out what precis wrote, masks secrets, and says so in a manifest", async () => {
  await compacted();
  const words = ["export", "--for", "training", "smaller.json", "--keep", "originals.json", "--out", "data", "--json"];
  const { code, out } = await precis(words, { folder: folder.path });
  expect(code).toBe(0);
  const text = read("data/conversations.jsonl");
  expect(text).not.toContain(TOKEN);
  expect(text).not.toContain("precis handoff");
  const [line] = lines("data/conversations.jsonl");
  const safe = MESSAGES.map((message) => JSON.stringify(message).replace(TOKEN, "*"));
  const written = (line!["messages"] as Json[]).map(({ role, content }) => [role, content]);
  expect(written.length).toBe(safe.length);
  expect(written.slice(0, -2)).toEqual(MESSAGES.slice(0, -2).map(({ role, content }) => [role, content]));
  const manifest = JSON.parse(read("data/manifest.json")) as Json;
  expect(JSON.parse(out)).toEqual(manifest);
  const sha256 = createHash("sha256").update(text).digest("hex");
  expect(manifest).toMatchObject({
    for: "training",
    options: { synthetic: "drop", to: "openai-chat" },
    counts: { conversations: 1, messages: MESSAGES.length, missing: 0, labelled: 0, redacted: 1 },
    sources: [{ kind: "file", id: "smaller.json", protocol: "openai-chat", line: 1, sha256 }],
    files: [{ name: "conversations.jsonl", bytes: Buffer.byteLength(text), sha256 }],
  });
  expect((manifest["counts"] as { dropped: number }).dropped).toBeGreaterThan(0);
  for (const name of ["conversations.jsonl", "manifest.json"])
    expect(statSync(join(folder.path, "data", name)).mode & 0o777).toBe(0o600);
});

it("labels instead, and says what could not be put back", async () => {
  await compacted();
  const label = ["export", "--for", "training", "smaller.json", "--synthetic", "label", "--out", "data"];
  await here(...label, "--keep", "originals.json");
  const labels = (lines("data/conversations.jsonl")[0]!["messages"] as Json[]).map((one) => one["precis_origin"]);
  expect(labels).toContain("summary");
  expect(labels.filter((one) => one === undefined)).toHaveLength(MESSAGES.length);
  const { err } = await here(...label);
  expect(err).toMatch(/originals are missing/);
  const { counts } = JSON.parse(read("data/manifest.json")) as { counts: { missing: number; restored: number } };
  expect(counts).toMatchObject({ restored: 0 });
  expect(counts.missing).toBeGreaterThan(0);
});

it.each(PROTOCOLS)("takes every session that a gateway kept of %s", async (protocol) => {
  const path = join(folder.path, "history.db");
  const store = await openSqliteStore({ path });
  const windowTokens = 12_000;
  const { url, gateway } = await stand({
    provider: { every: { windowTokens } },
    gateway: { contextLength: windowTokens, store },
  });
  const { treatment } = await ask(url, { protocol, body: bodyOf(protocol, worked("notes", 18)) });
  expect(treatment).toMatch(/fresh$/);
  await gateway.settled();
  await store.close();
  const { code, err } = await here("export", "--for", "training", "--store", path, "--tenant", TENANT, "--out", "data");
  expect([code, err]).toEqual([0, expect.stringMatching(/^1 conversation of 37 messages in data/)]);
  expect(lines("data/conversations.jsonl")[0]!["messages"]).toHaveLength(37);
  const strangers = await here("export", "--for", "training", "--store", path, "--out", "none");
  expect(strangers.err).toMatch(/^no session of the tenant "local"/);
  const id = String(lines("data/conversations.jsonl")[0]!["id"]);
  const marked = await here("sessions", "export", id, "--compacted", "--store", path, "--tenant", TENANT);
  expect(marked.out).toMatch(/"precis_origin":"summary"/);
});

it("leaves nothing behind where it fails, and says what is missing", async () => {
  expect(await here("export", "session.json", "--out", "data")).toMatchObject({ code: 2 });
  expect(await here("export", "--for", "training", "session.json")).toMatchObject({ code: 2 });
  folder.write("broken.json", "{");
  expect(await here("export", "--for", "training", "broken.json", "--out", "data")).toMatchObject({ code: 3 });
  expect(existsSync(join(folder.path, "data/conversations.jsonl.part"))).toBe(false);
  expect(existsSync(join(folder.path, "data/manifest.json"))).toBe(false);
});

it.each(PROTOCOLS)("compact --json says which messages of %s precis wrote", async (protocol) => {
  folder.write("request.json", bodyOf(protocol, worked("notes", 40)));
  const { out } = await here(
    "compact",
    "request.json",
    "--budget",
    "20%",
    "--json",
    "--set",
    "compression.note=system",
  );
  const { messages, synthetic } = JSON.parse(out) as {
    messages: Json[];
    synthetic: { in: string; index?: number; origin: string }[];
  };
  const marked = synthetic.filter((one) => one.in === "messages");
  const summary = marked.find(({ origin }) => origin === "summary")!;
  expect(JSON.stringify(messages[summary.index!])).toContain("[precis handoff 1]");
  const others = messages.filter((_, at) => !marked.some(({ index }) => index === at));
  expect(JSON.stringify(others)).not.toMatch(/\[(?:precis|digest)|recall r[0-9a-f]{16}/);
  expect(others.length).toBeGreaterThan(0);
  const note = synthetic.find(({ origin }) => origin === "note");
  expect(note?.in).toBe(protocol.startsWith("openai") ? "messages" : "system");
});
