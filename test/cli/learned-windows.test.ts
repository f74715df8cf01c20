/** What the command line says of learned windows, until it is forgotten. */
import { hash } from "node:crypto";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createChain } from "../../src/core/transcript/links.ts";
import { textMessage } from "../../src/core/transcript/message.ts";
import { forgetWindows, listWindows } from "../../src/gateway/models/learned-windows.ts";
import { createModelBook } from "../../src/gateway/models/models.ts";
import { createRegistry } from "../../src/models/registry/registry.ts";
import { createRuntime } from "../../src/session/runtime.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import type { HistoryStore } from "../../src/store/store.ts";
import { precisHere, temporaryFolder, type Folder } from "./precis.ts";

const MODEL = "claude-opus-4-5";
const [A, B] = ["http://a.example/v1", "http://b.example/v1"];
const STORE = ["--store", "history.db"];

let folder: Folder;
beforeEach(() => (folder = temporaryFolder()));
afterEach(() => folder.remove());

async function precis(...words: string[]): Promise<string> {
  const { out, err } = await precisHere(words, { folder: folder.path });
  expect(err).toBe("");
  return out.replaceAll(/\s+/g, " ");
}

/** A session of which a gateway learned at A, and another window that it learned at B. */
async function learned(): Promise<HistoryStore> {
  const store = await openSqliteStore({ path: join(folder.path, "history.db") });
  const messages = [textMessage("user", "Hello."), textMessage("assistant", "Hello.")];
  const links = createChain((text) => hash("sha256", text)).linksOf(messages);
  await store.appendChain("local", { links, messages, session: "mine" });
  await store.putUsage("local", {
    link: links[1]!,
    model: MODEL,
    at: 1,
    input: 9,
    output: 1,
    cacheRead: 0,
    cacheWrite: 0,
  });
  const models = createModelBook({ store, registry: createRegistry(), contextLength: undefined, unknownTokens: 1 });
  for (const [upstream, tokens] of [
    [A, 64_000],
    [B, 32_000],
  ] as const)
    models.learnWindow(
      { tenant: "local", model: MODEL, upstream },
      { tokens, by: "named", refusedTokens: 70_000, countsOutput: true },
    );
  await expect.poll(async () => (await listWindows(store)).length).toBe(2);
  const session = createRuntime();
  const { window } = models.of("local", MODEL, A);
  session.modelChanged({ model: MODEL, contextLength: window.tokens, window });
  await store.putState("local", links[0]!, session.state());
  return store;
}

it("says of each learned window why and until when it counts, in every place, until it is forgotten", async () => {
  const store = await learned();
  const why =
    /learned just now, when http:\/\/a\.example\/v1 refused a request of 70,000 tokens and named this window; a larger one is tried in \d\d minutes/;
  expect(await precis("sessions", "show", "mine", ...STORE)).toMatch(new RegExp(`window 64,000 tokens, ${why.source}`));
  const doctor = await precisHere(["doctor", "--offline", "--json", ...STORE], { folder: folder.path });
  const { findings } = JSON.parse(doctor.out) as { readonly findings: readonly { readonly code: string }[] };
  const found = findings.filter(({ code }) => code === "window_learned");
  expect(found).toHaveLength(2);
  expect(found.find((one) => JSON.stringify(one).includes("a.example"))).toMatchObject({
    level: "note",
    says: expect.stringMatching(why),
  });

  await forgetWindows(store, { model: MODEL, upstream: A });
  expect(await precis("sessions", "show", "mine", ...STORE)).toContain(
    "window 200,000 tokens, known by the model's name",
  );
  await store.close();
});
