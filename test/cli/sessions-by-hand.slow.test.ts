/** `precis sessions edit` and `compact --messages` on a real file. */
import { hash } from "node:crypto";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createChain } from "../../src/core/transcript/links.ts";
import { protocols } from "../../src/protocols/index.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { chatMessages, precisHere, temporaryFolder, type Folder, type Ran } from "./precis.ts";

const FACT = "The build number is 4711.";
const chain = createChain((text) => hash("sha256", text));

let folder: Folder;
const messages = protocols["openai-chat"].decode(JSON.stringify({ messages: chatMessages().slice(1) })).transcript
  .messages;
beforeEach(async () => {
  folder = temporaryFolder();
  const store = await openSqliteStore({ path: join(folder.path, "history.db") });
  await store.appendChain("local", { links: chain.linksOf(messages), messages, session: "work" });
  await store.close();
});
afterEach(() => folder.remove());

const sessions = (...words: string[]): Promise<Ran> =>
  precisHere(["sessions", ...words, "--store", "history.db"], { folder: folder.path });

async function sent(): Promise<string> {
  return (await sessions("export", "work", "--compacted", "--synthetic", "keep")).out;
}

/** The second exchange with a result, as numbers from 1. */
const call = messages.findIndex(({ role }, at) => role === "tool" && at > 3);

it("pins messages and facts, which the next compaction keeps", async () => {
  const range = `${call}-${call + 1}`;
  expect((await sessions("edit", "work", "--pin", range)).out).toContain(`messages ${call} to ${call + 1}`);
  expect((await sessions("edit", "work", "--fact", FACT)).out).toContain(FACT);
  const listed = JSON.parse((await sessions("edit", "work", "--json")).out) as { pins: { id: string }[] };
  expect(listed.pins).toHaveLength(2);
  expect((await sessions("compact", "work", "--budget", "30%")).code).toBe(0);
  expect(await sent()).toContain(`- ${FACT}`);
  const { code, out } = await sessions("edit", "work", "--unpin", listed.pins[1]!.id);
  expect([code, out.includes(FACT)]).toEqual([0, false]);
  expect(await sessions("edit", "work", "--unpin", "p000000")).toMatchObject({ code: 2 });
  expect(await sessions("edit", "work", "--pin", range, "--fact", FACT)).toMatchObject({ code: 2 });
});

it("drops a range, names the recall id, and takes it back", async () => {
  const whole = await sent();
  const { code, out } = await sessions("edit", "work", "--drop", `${call}-${call + 1}`);
  expect([code, out]).toEqual([0, expect.stringContaining("recall")]);
  const shorter = await sent();
  expect(shorter.length).toBeLessThan(whole.length);
  const [id = ""] = /dropped by hand.*?recall (r[0-9a-f]{16})/.exec(shorter)?.slice(1) ?? [];
  const recalled = await precisHere(["recall", id, "--store", "history.db"], { folder: folder.path });
  expect(recalled.code).toBe(0);
  expect(recalled.out).not.toBe("");
  const gone = JSON.stringify(JSON.parse(recalled.out.split("\n")[1]!)).slice(1, -1);
  expect(whole).toContain(gone.slice(0, 200));
  // What is made later is made without it.
  expect((await sessions("compact", "work", "--budget", "60%")).code).toBe(0);
  expect(await sent()).not.toContain(gone.slice(0, 200));
  const undo = () => precisHere(["undo", "work", "--store", "history.db"], { folder: folder.path });
  expect([(await undo()).code, (await undo()).code]).toEqual([0, 0]);
  expect(await sent()).toBe(whole);
  expect(await sessions("edit", "work", "--drop", "1-99999")).toMatchObject({ code: 2 });
});

it("compacts the results of one range alone", async () => {
  const sizes = messages.map(({ role, parts }) => (role === "tool" ? JSON.stringify(parts).length : 0));
  const largest = sizes.indexOf(Math.max(...sizes)) + 1;
  const { code, out } = await sessions("compact", "work", "--messages", String(largest), "--json");
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ kind: "compacted", report: { messages: { edited: 1, summarised: 0 } } });
  expect(await sessions("compact", "work", "--messages", "3", "--budget", "20%")).toMatchObject({ code: 2 });
});

it("does the same in a file", async () => {
  folder.write("chat.json", JSON.stringify(chatMessages()));
  const words = ["compact", "chat.json", "--budget", "40%", "--keep", "kept.json", "--json"];
  const ran = await precisHere([...words, "--pin", `${call}-${call + 1}`, "--fact", FACT, "--drop", "8-9,12"], {
    folder: folder.path,
  });
  expect(ran.code).toBe(0);
  const result = JSON.parse(ran.out) as { messages: object[]; report: { changed: boolean; violations: object } };
  expect(result.report).toMatchObject({ changed: true, violations: { after: [] } });
  expect(JSON.stringify(result.messages)).toContain(FACT);
  for (const at of [call, call + 1]) expect(result.messages).toContainEqual(chatMessages()[at]);
  const beyond = await precisHere([...words, "--pin", "1-99999"], { folder: folder.path });
  expect([beyond.code, beyond.err]).toEqual([2, expect.stringContaining("is no range of its")]);
  const both = await precisHere([...words, "--pin", "8", "--drop", "8-9"], { folder: folder.path });
  expect([both.code, both.err]).toEqual([2, expect.stringContaining("is pinned")]);
});

it("sets from where on the session is compacted, shows it, and removes it", async () => {
  const { code, out } = await sessions("edit", "work", "--threshold", "30%");
  expect([code, out]).toEqual([0, "compacted at 38,400 tokens, set to 30 % of the window\n"]);
  expect((await sessions("show", "work")).out).toMatch(/threshold +set for this session: 30 % of the window/);
  expect((await sessions("edit", "work", "--threshold", "off")).out).toBe(
    "compacted at 64,000 tokens, as configured\n",
  );
  expect((await sessions("show", "work")).out).not.toContain("set for this session");
  for (const wrong of ["99%", "half"])
    expect(await sessions("edit", "work", "--threshold", wrong)).toMatchObject({ code: 2 });
});

it("says that a threshold does not hold after an undo, and what to do", async () => {
  await sessions("compact", "work", "--budget", "30%");
  await precisHere(["undo", "work", "--store", "history.db"], { folder: folder.path });
  const { out } = await sessions("edit", "work", "--threshold", "30%");
  expect(out).toContain("the newest compaction was undone");
  expect(out).toContain("run `precis sessions compact work`");
  await sessions("compact", "work", "--budget", "30%");
  expect((await sessions("edit", "work", "--threshold", "30%")).out).not.toContain("undone");
});
