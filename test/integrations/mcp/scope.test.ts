/** Nothing of another tenant, and with `--session` nothing of another session, is reached by any call. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSqliteStore } from "../../../src/store/index.ts";
import { temporaryFolder, type Folder } from "../../cli/precis.ts";
import { connected, gatewayOn, longer, workedAfter, type Connected } from "./client.ts";

const WINDOW_TOKENS = 14_000;
/** Stands only in what may not be reached, and in no argument. */
const CANARY = "CANARY-91f3";
const WORD = "quokka";
const OTHER = "acme-industries";

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
  const notes = Array.from({ length: 60 }, (_, at) => `${WORD} ${at} lives at ${CANARY}, 袋鼠`).join("\n");
  const mine = workedAfter("alpha", "the wallaby lives at home, 家");
  await kept.say("local", mine, "mine-session");
  await kept.say("local", longer(mine, `Where does the ${WORD} live? At ${CANARY}.`), "my-branch");
  await kept.say("local", workedAfter("sibling", notes), "sibling-session");
  await kept.say(OTHER, workedAfter("stranger", notes), "stranger-session");
  // Another tenant may have the very same id.
  await kept.say(OTHER, workedAfter("same", notes), "mine-session");
  strangers = await idsOf(OTHER, ["stranger-session", "mine-session"]);
  siblings = await idsOf("local", ["sibling-session", "my-branch"]);
  await kept.close();
});
afterAll(() => folder.remove());

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

/** Every tool with every id that could lead out, and words that stand there. */
function attempts({ sessions, links, recallIds }: Strangers, tenant: string) {
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
  const wild = ["%", "_", "*", "?", "\0", "' or '1'='1", "x' union select * from sessions --", "__proto__", "📎", "⁠"];
  const ids = [...names, ...odd, ...wild, ...links, ...links.map((link) => link.slice(0, 8)), ...recallIds];
  return [
    ...ids.flatMap((id) => [
      { name: "describe", given: { id }, fails: true },
      { name: "expand", given: { id }, fails: true },
      { name: "expand", given: { id, from: 1, to: 99 }, fails: true },
      { name: "timeline", given: { id }, fails: true },
      { name: "restore", given: { id }, fails: true },
      { name: "search", given: { words: "lives", session: id }, fails: true },
    ]),
    ...[WORD, `${WORD} lives`, "袋鼠", `${WORD}*`, `"${WORD}"`, `wallaby OR ${WORD}`, `NEAR(${WORD})`, tenant].map(
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

async function findsNothing(agent: Connected, strange: Strangers, tenant: string): Promise<number> {
  const tried = attempts(strange, tenant);
  for (const { name, given, fails } of tried) {
    const { text, failed } = await agent.call(name, given);
    const asked = JSON.stringify(given);
    expect(text, `${name} ${asked}`).not.toContain(CANARY);
    if (fails) expect(failed, `${name} ${asked}: ${text}`).toBe(true);
    for (const word of [tenant, ...strange.sessions, ...strange.recallIds])
      if (word !== "local" && word !== "mine-session" && !asked.includes(word) && !asked.includes(word.toUpperCase()))
        expect(text, `${name} ${asked}`).not.toContain(word);
  }
  return tried.length;
}

describe.each([
  ["reading", []],
  ["with writes", ["--allow-writes"]],
] as const)("another tenant, %s", (_, flags) => {
  it("cannot be reached", async () => {
    const agent = await connected(folder.path, ["--session", "mine-session", ...flags]);
    expect(strangers.recallIds.length).toBeGreaterThan(0);
    expect(await findsNothing(agent, strangers, OTHER)).toBeGreaterThan(100);
    await agent.client.close();
    // Nor can it where all of a tenant's sessions may be seen; one of them holds the canary, so only ids are tried.
    const wide = await connected(folder.path, flags);
    const ids = [...strangers.recallIds, ...strangers.links, "stranger-session", "stranger", `${OTHER}/mine-session`];
    for (const id of ids)
      for (const name of ["describe", "expand", "timeline"])
        expect(await wide.call(name, { id }), `${name} ${id}`).toMatchObject({ failed: true });
    expect((await wide.call("describe")).text).not.toContain("stranger");
    await wide.client.close();
    const owner = await connected(folder.path, ["--tenant", OTHER]);
    expect((await owner.call("search", { words: WORD })).text).toContain(CANARY);
    for (const id of strangers.recallIds) expect(await owner.call("expand", { id })).toMatchObject({ failed: false });
    expect((await owner.call("describe", { id: "stranger" })).text).toContain("1 standing, 0 undone");
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
    expect(await findsNothing(agent, { ...siblings, recallIds, links: siblings.links }, "local")).toBeGreaterThan(100);
    const shared = (await agent.call("search", { words: "wallaby" })).text;
    expect(shared).toContain("lives at home");
    expect(shared).toContain("session mine-session");
    for (const id of ours) expect(await agent.call("expand", { id })).toMatchObject({ failed: false });
    await agent.client.close();
    const wide = await connected(folder.path);
    expect((await wide.call("search", { words: WORD })).text).toContain(CANARY);
    expect((await wide.call("describe", { id: "my-branch" })).text).toMatch(/left the session mine-session/);
    expect((await wide.call("describe", { id: "sibling" })).text).toContain("1 standing, 0 undone");
    await wide.client.close();
  });
});
