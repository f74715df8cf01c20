/** `precis sessions …`, `undo`, and `recall` on a real file: what is kept is found, shown without secrets, and changed as told. */
import { hash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createChain } from "../../src/core/transcript/links.ts";
import { protocols } from "../../src/protocols/index.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { chatMessages, precisHere, temporaryFolder, type Folder, type Ran } from "./precis.ts";

const SECRET = "sk-proj-Zx81mQ2vTn47LrWb90KpYcDs63HfAeGj";
const chain = createChain((text) => hash("sha256", text));

let folder: Folder;
let long: string;
let short: string;
beforeEach(async () => {
  folder = temporaryFolder();
  long = await kept(chatMessages().slice(1));
  short = await kept([
    { role: "user", content: `端口配置在哪里? ${SECRET}` },
    { role: "assistant", content: "在 config/服务器.yaml" },
    { role: "user", content: "谢谢" },
  ]);
});
afterEach(() => folder.remove());

const precis = (...words: string[]): Promise<Ran> =>
  precisHere([...words, "--store", "history.db"], { folder: folder.path });
const json = async <Shape>(...words: string[]): Promise<Shape> =>
  JSON.parse((await precis(...words, "--json")).out) as Shape;

/** A conversation in the file; its session's id. */
async function kept(list: readonly object[], tenant = "local"): Promise<string> {
  const store = await openSqliteStore({ path: join(folder.path, "history.db") });
  const { messages } = protocols["openai-chat"].decode(JSON.stringify({ model: "m", messages: list })).transcript;
  const links = chain.linksOf(messages);
  const { session } = await store.appendChain(tenant, { links, messages });
  const usage = { input: 4_321, output: 5, cacheRead: 0, cacheWrite: 0 };
  if (list.length > 3)
    await store.putUsage(tenant, { ...usage, link: links.at(-1)!, model: "gpt-4.1", at: Date.now() });
  await store.close();
  return session;
}

interface Shown {
  readonly compactions: number;
  readonly undone: boolean;
  readonly history: readonly { readonly undone: boolean; readonly stands: boolean; readonly covered: number }[];
}

describe("precis sessions", () => {
  it("lists what is kept, the last used first, with usage or an estimate", async () => {
    const { code, out, err } = await precis("sessions");
    expect([code, err]).toEqual([0, ""]);
    const [header, first, second] = out.split("\n");
    expect(header).toMatch(/^session +age +model +messages +tokens/);
    expect(first).toMatch(new RegExp(`^${short.slice(0, 8)} .* 3 +≈\\d+ `));
    expect(second).toMatch(new RegExp(`^${long.slice(0, 8)} .*gpt-4\\.1 +\\d+ +4,321 +0 +0  The build`));
    expect(out).not.toContain(SECRET.slice(8));
    expect(out.split("\n").every((line) => line.length <= 80)).toBe(true);
    expect(await json<object[]>("sessions", "list", "--limit", "1")).toMatchObject([{ id: short, tenant: "local" }]);
  });

  it("shows a session by the beginning of its id, without secrets", async () => {
    const { code, out } = await precis("sessions", "show", short.slice(0, 6));
    expect(code).toBe(0);
    expect(out).toContain(short);
    expect(out).toContain("服务器");
    expect(out).not.toContain(SECRET.slice(8));
  });

  it("says from where on a session is compacted, why one that is due waits, and which model rests", async () => {
    const store = await openSqliteStore({ path: join(folder.path, "history.db") });
    const { messages } = protocols["openai-chat"].decode(
      JSON.stringify({ model: "m", messages: chatMessages().slice(1) }),
    ).transcript;
    const [root] = chain.linksOf(messages);
    const because = "a rewrite costs 9,000 tokens' worth of input now and saves 500 a request";
    const timing = { thresholdTokens: 100_000, compactsAtTokens: 170_000, postponed: { by: "prices", because } };
    const until = Date.now() + 3_500_000;
    const rests = [{ model: "small-1", role: "auxiliary", class: "quota", until }];
    const summarizer = { rests, calls: 1, costUsd: 0, windows: {} };
    await store.putState("local", root!, { schemaVersion: 1, timing, summarizer });
    await store.close();
    const shown = await precis("sessions", "show", long);
    expect(shown.out).toContain("at 170,000 tokens at the latest; the threshold is 100,000");
    expect(shown.out.replaceAll(/\s+/g, " ")).toContain(`waits ${because}`);
    expect(shown.out.replaceAll(/\s+/g, " ")).toContain(
      "the auxiliary model small-1 failed (quota) and is not asked for 59 minutes: check the credit or the quota",
    );
    expect((await precis("sessions")).out).toMatch(/ 0w /);
    expect(await json<object>("sessions", "show", long)).toMatchObject({ timing });
  });

  it("says who has sessions where one is not found, and which are meant where several could be", async () => {
    await kept([{ role: "user", content: "x" }], "someone");
    const none = await precis("sessions", "show", "nothing");
    expect([none.code, none.err]).toEqual([2, expect.stringContaining("someone (1)") as string]);
    const empty = await precis("sessions", "--tenant", "nobody");
    expect([empty.code, empty.out, empty.err]).toEqual([0, "", expect.stringContaining("someone (1), local (2)")]);
    const store = await openSqliteStore({ path: join(folder.path, "history.db") });
    const { messages } = protocols["openai-chat"].decode('[{"role":"user","content":"y"}]').transcript;
    for (const session of ["try-1", "try-2"])
      await store.appendChain("local", { links: chain.linksOf(messages), messages, session });
    await store.close();
    const several = await precis("sessions", "show", "try-");
    expect([several.code, several.err]).toEqual([2, expect.stringMatching(/try-[12], try-[12]/) as string]);
    expect((await precis("sessions", "show", "try-1")).code).toBe(0);
  });

  it("compacts, undoes and compacts again, and keeps an account of it", async () => {
    const made = await precis("sessions", "compact", long.slice(0, 8), "--context-length", "20k", "--focus", "part7");
    expect([made.code, made.err]).toEqual([0, ""]);
    expect(made.out).toMatch(/before .*tokens in 63 messages\n +after /);
    expect(await json<Shown>("sessions", "show", long)).toMatchObject({ compactions: 1, history: [{ stands: true }] });

    const undone = await precis("undo", long);
    expect([undone.code, undone.out]).toEqual([0, expect.stringContaining("undone") as string]);
    const again = await precis("undo", long);
    expect([again.code, again.out]).toEqual([1, ""]);
    expect(await json<Shown>("sessions", "show", long)).toMatchObject({ undone: true, history: [{ undone: true }] });
    expect((await precis("sessions")).out).toMatch(/ 0u /);

    await precis("sessions", "compact", long, "--budget", "20%");
    const after = await json<Shown>("sessions", "show", long);
    expect(after).toMatchObject({ undone: false, compactions: 1 });
    expect(after.history.map(({ stands }) => stands)).toEqual([false, true]);
    expect((await precis("store", "check")).code).toBe(0);
  });

  it("says why nothing smaller is to be had", async () => {
    const { code, out } = await precis("sessions", "compact", short);
    expect([code, out]).toEqual([0, expect.stringContaining("unchanged") as string]);
  });

  it("exports what a provider would take, masked, for its owner alone", async () => {
    await precis("sessions", "compact", long, "--budget", "20%");
    for (const how of [[], ["--compacted", "--synthetic", "keep"], ["--to", "anthropic-messages"], ["--compacted"]]) {
      const { code, out, err } = await precis("sessions", "export", long, "-o", "out.json", ...how);
      expect([code, out, err]).toEqual([0, "", expect.stringContaining("out.json") as string]);
      expect(statSync(join(folder.path, "out.json")).mode & 0o077).toBe(0);
      expect((await precisHere(["check", "out.json"], { folder: folder.path })).code).toBe(0);
    }
    expect(readFileSync(join(folder.path, "out.json"), "utf8")).toContain('"precis_origin":"summary"');
    const lines = (await precis("sessions", "export", short, "--format", "jsonl")).out.trimEnd().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { role: string }).role)).toEqual(["user", "assistant", "user"]);
    expect(lines.join("")).not.toContain(SECRET);
    expect((await precis("sessions", "export", short, "--with-secrets")).out).toContain(SECRET);
    expect((await precis("sessions", "export", short, "--original", "--compacted")).code).toBe(2);
  });
});

describe("precis recall", () => {
  it("finds what was said, CJK included, in one session or in all, without secrets", async () => {
    const cjk = await precis("recall", "服务器");
    expect([cjk.code, cjk.out]).toEqual([0, expect.stringMatching(/^\w{8} 2 assistant\n +在 config/) as string]);
    const masked = await precis("recall", "端口");
    expect(masked.out).toContain("1 user");
    expect(masked.out).not.toContain(SECRET.slice(8));
    expect((await precis("recall", "服务器", "--session", long.slice(0, 8))).code).toBe(1);
    expect(await json<object[]>("recall", "compute", "--limit", "3")).toHaveLength(3);
    const nobody = await precis("recall", "x", "--tenant", "nobody");
    expect([nobody.code, nobody.err]).toEqual([1, expect.stringContaining("local (2)") as string]);
  });

  it("gives back what a compaction removed, byte for byte", async () => {
    await precis("sessions", "compact", long, "--budget", "20%");
    const hits = await json<{ recall?: string; number: number }[]>("recall", "value_3_7", "--session", long);
    const { recall: id = "", number } = hits[0]!;
    const back = await precis("recall", id);
    expect([back.code, back.err]).toEqual([0, ""]);
    expect(back.out).toContain("export const value_3_7 = compute(21,");
    expect((await precis("recall", "value_3_7")).out).toContain(`in ${id}`);
    for (const named of [id, long.slice(0, 8)]) {
      const { out } = await precis("recall", named, String(number));
      expect(out).toMatch(new RegExp(`^── ${number} tool `));
      expect(out).toContain("export const value_3_7 = compute(21,");
    }
    expect((await precis("recall", long, "1-3", "--outline")).out).toMatch(/^1 user: .*\n2 assistant.*\n3 tool.*\n$/);
    expect((await precis("recall", "nothing", "1-3")).code).toBe(2);
    const none = await precis("recall", "r000000000");
    expect([none.code, none.err]).toEqual([
      1,
      expect.stringContaining("Unknown recall id r000000000; searched history.db") as string,
    ]);
  });
});
