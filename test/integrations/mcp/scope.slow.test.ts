/** Nothing of another tenant, and with `--session` nothing of another session, is reached by any call. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSqliteStore } from "../../../src/store/index.ts";
import { temporaryFolder, type Folder } from "../../cli/precis.ts";
import { connected, gatewayOn, longer, workedAfter, type Connected } from "./client.ts";

const WINDOW_TOKENS = 14_000;
const OTHER = "acme-industries";
/** Words that stand only in what may not be reached; a canary is in no argument of a call. */
const STRANGER = { word: "numbat", chinese: "袋食蚁兽", canary: "CANARY-91f3" };
const SIBLING = { word: "quokka", chinese: "袋鼠", canary: "CANARY-77ab" };
type Told = typeof STRANGER;

interface Strangers {
  readonly sessions: readonly string[];
  readonly links: readonly string[];
  readonly recallIds: readonly string[];
}

let folder: Folder;
let strangers: Strangers;
let siblings: Strangers;
beforeAll(async () => {
  folder = temporaryFolder();
  const kept = await gatewayOn(folder.path, WINDOW_TOKENS);
  const mine = workedAfter("alpha", "the wallaby lives at home, 家");
  await kept.say("local", mine, "mine-session");
  await kept.say("local", longer(mine, `Where does the ${SIBLING.word} live? At ${SIBLING.canary}.`), "my-branch");
  await kept.say("local", workedAfter("sibling", notes(SIBLING)), "sibling-session");
  await kept.say(OTHER, workedAfter("stranger", notes(STRANGER)), "stranger-session");
  // Another tenant may have the very same id.
  await kept.say(OTHER, workedAfter("same", notes(STRANGER)), "mine-session");
  strangers = await idsOf(OTHER, ["stranger-session", "mine-session"]);
  siblings = await idsOf("local", ["sibling-session", "my-branch"]);
  await kept.close();
});
afterAll(() => folder.remove());

function notes({ word, chinese, canary }: Told): string {
  return Array.from({ length: 60 }, (_, at) => `${word} ${at} lives at ${canary}, ${chinese}`).join("\n");
}

async function idsOf(tenant: string, sessions: readonly string[]): Promise<Strangers> {
  const store = await openSqliteStore({ path: join(folder.path, "history.db"), readOnly: true });
  const links: string[] = [];
  const recallIds: string[] = [];
  for (const id of sessions) {
    const { head } = (await store.getSession(tenant, id))!;
    const chain = await store.readLinks(tenant, head);
    links.push(...chain.slice(-3));
    for (const { compaction } of await store.listCompactions(tenant, chain))
      recallIds.push(...compaction.evicted.map(({ id: one }) => one));
  }
  await store.close();
  return { sessions, links, recallIds };
}

/** Every tool with every id that could lead out, and words that are there. */
function attempts({ sessions, links, recallIds }: Strangers, tenant: string, { word, chinese }: Told) {
  const names = sessions.filter((id) => id !== "mine-session");
  const odd = names.flatMap((id) => [
    id.slice(0, 3),
    id.toUpperCase(),
    ` ${id} `,
    `${tenant}/${id}`,
    `${tenant}\n${id}`,
    `${tenant}:${id}`,
    `${id}\0`,
    `mine-session/../${id}`,
  ]);
  const wild = [
    "%",
    "_",
    "*",
    "?",
    "\0",
    "' or '1'='1",
    "x' union select * from sessions --",
    "__proto__",
    "📎",
    "\u2060",
  ];
  const ids = [...names, ...odd, ...wild, ...links, ...links.map((link) => link.slice(0, 8)), ...recallIds];
  return [
    ...ids.flatMap((id) => [
      { name: "describe", given: { id }, fails: true },
      { name: "expand", given: { id }, fails: true },
      { name: "expand", given: { id, messages: "1-99" }, fails: true },
      { name: "timeline", given: { id }, fails: true },
      { name: "restore", given: { id }, fails: true },
      { name: "compact", given: { id }, fails: true },
      { name: "drop", given: { id, messages: "1" }, fails: true },
      { name: "pin", given: { id, fact: "x" }, fails: true },
      { name: "unpin", given: { id, pin: "p000000" }, fails: true },
      { name: "search", given: { words: "lives", session: id }, fails: true },
    ]),
    ...[word, `${word} lives`, chinese, `${word}*`, `"${word}"`, `wallaby OR ${word}`, `NEAR(${word})`, tenant].map(
      (words) => ({ name: "search", given: { words }, fails: false }),
    ),
    ...["describe", "timeline", "expand"].map((name) => ({ name, given: {}, fails: false })),
    ...["tenant", "session", "__proto__"].map((key) => ({
      name: "expand",
      given: Object.fromEntries([
        ["id", "mine-session"],
        [key, tenant],
      ]),
      fails: key !== "__proto__",
    })),
  ];
}

async function findsNothing(agent: Connected, strange: Strangers, tenant: string, told: Told): Promise<number> {
  const tried = attempts(strange, tenant, told);
  for (const { name, given, fails } of tried) {
    const { text, failed } = await agent.call(name, given);
    const asked = JSON.stringify(given);
    expect(text, `${name} ${asked}`).not.toContain(told.canary);
    if (fails) expect(failed, `${name} ${asked}: ${text}`).toBe(true);
    for (const word of [tenant, ...strange.sessions, ...strange.recallIds])
      if (word !== "local" && word !== "mine-session" && !asked.includes(word) && !asked.includes(word.toUpperCase()))
        expect(text, `${name} ${asked}`).not.toContain(word);
  }
  return tried.length;
}

const CALLS_MIN = 100;

describe("another tenant", () => {
  it.each([
    ["from all of a tenant's sessions", []],
    ["from all of them, with writes", ["--allow-writes"]],
    ["from one session", ["--session", "mine-session", "--allow-writes"]],
  ] as const)("cannot be reached %s", async (_, flags) => {
    expect(strangers.recallIds.length).toBeGreaterThan(0);
    const agent = await connected(folder.path, flags);
    expect(await findsNothing(agent, strangers, OTHER, STRANGER)).toBeGreaterThan(CALLS_MIN);
    await agent.client.close();
  });

  it("can be by itself, and is as it was", async () => {
    const owner = await connected(folder.path, ["--tenant", OTHER]);
    expect((await owner.call("search", { words: STRANGER.word })).text).toContain(STRANGER.canary);
    for (const id of strangers.recallIds) expect(await owner.call("expand", { id })).toMatchObject({ failed: false });
    expect((await owner.call("describe", { id: "stranger" })).text).toContain("1 active, 0 undone");
    await owner.client.close();
  });
});

describe("another session", () => {
  it("cannot be reached where one is named", async () => {
    const agent = await connected(folder.path, ["--session", "mine-s", "--allow-writes"]);
    // What the branch lost before it left is this session's too.
    const ours = new Set((await idsOf("local", ["mine-session"])).recallIds);
    const recallIds = siblings.recallIds.filter((id) => !ours.has(id));
    expect(recallIds.length).toBeGreaterThan(0);
    expect(await findsNothing(agent, { ...siblings, recallIds }, "local", SIBLING)).toBeGreaterThan(CALLS_MIN);
    const shared = (await agent.call("search", { words: "wallaby" })).text;
    expect(shared).toContain("lives at home");
    expect(shared).toContain("session mine-session");
    for (const id of ours) expect(await agent.call("expand", { id })).toMatchObject({ failed: false });
    await agent.client.close();
  });

  it("can be where none is named, and is as it was", async () => {
    const wide = await connected(folder.path);
    expect((await wide.call("search", { words: SIBLING.word })).text).toContain(SIBLING.canary);
    expect((await wide.call("describe", { id: "my-branch" })).text).toMatch(/left the session mine-session/);
    expect((await wide.call("describe", { id: "sibling" })).text).toContain("1 active, 0 undone");
    await wide.client.close();
  });
});
