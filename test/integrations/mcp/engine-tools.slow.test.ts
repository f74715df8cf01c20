/** The tools of the configured engine are the agent's too, through the SDK's client and a process over a real file. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { temporaryFolder, type Folder } from "../../cli/precis.ts";
import { connected, gatewayOn, workedAfter, type Connected } from "./client.ts";

const NOTES = Array.from({ length: 300 }, (_, at) => `service ${at + 200} listens under ${(at * 7_919) % 60_000}-eu`);
const KEY = "sk-proj-Zx81mQ2vTn47LrWb90KpYcDs63HfAeGj";
const FOUND = [...NOTES, `the key of service 333 is ${KEY}`].join("\n");
const TOOLS = ["lcm_grep", "lcm_describe", "lcm_expand", "lcm_expand_query"];

let folder: Folder;
let agent: Connected;
beforeAll(async () => {
  folder = temporaryFolder();
  mkdirSync(join(folder.path, ".config", "precis"), { recursive: true });
  writeFileSync(join(folder.path, ".config", "precis", "config.yaml"), "context:\n  engine: lossless\n");
  const kept = await gatewayOn(folder.path, 14_000, "lossless");
  await kept.say("local", workedAfter("alpha", FOUND), "first");
  await kept.say("local", workedAfter("beta", "nothing of note"), "second");
  await kept.close();
  agent = await connected(folder.path);
});
afterAll(async () => {
  await agent.client.close();
  folder.remove();
});

it("lists them behind our own, each with the session it looks into", async () => {
  const { tools } = await agent.client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["search", "describe", "expand", "timeline", ...TOOLS]);
  for (const { inputSchema } of tools.slice(4)) expect(inputSchema.properties).toHaveProperty("session");
});

it("finds by a regular expression, describes, expands and answers a question, without secrets", async () => {
  const session = "first";
  const grep = await agent.call("lcm_grep", { words: "^service 33[0-9] listens", mode: "regex", session });
  expect(grep).toMatchObject({ failed: false, text: expect.stringContaining(NOTES[133]!) as string });
  const [id] = /r[0-9a-f]{16}/.exec(grep.text)!;
  expect((await agent.call("lcm_describe", { id, session })).text).toContain(`${id}: messages`);
  const expanded = await agent.call("lcm_expand", { id, session, tokens: 16_000 });
  expect(expanded.text).toContain(NOTES[0]);
  const answer = await agent.call("lcm_expand_query", { question: "What is the key of service 333?", session });
  expect(answer.text).toContain("the key of service 333 is");
  expect(expanded.text + answer.text).not.toContain(KEY);
});

it("looks into the session that was used last, and into no other where one is named", async () => {
  expect((await agent.call("lcm_grep", { words: "listens under" })).text).toMatch(/^not_answered: Nothing was found/);
  const unknown = await agent.call("lcm_grep", { words: "service", session: "third" });
  expect(unknown).toMatchObject({ failed: true, text: expect.stringMatching(/^unknown_session/) as string });
  const id = /r[0-9a-f]{16}/.exec((await agent.call("lcm_describe", { session: "first" })).text)![0];
  const scoped = await connected(folder.path, ["--session", "second"]);
  try {
    expect(await scoped.call("lcm_expand", { id })).toMatchObject({ failed: true });
    expect(await scoped.call("lcm_grep", { words: "service", session: "first" })).toMatchObject({ failed: true });
  } finally {
    await scoped.client.close();
  }
});

it("has none where the engine has none", async () => {
  const elsewhere = temporaryFolder();
  const kept = await gatewayOn(elsewhere.path, 14_000);
  await kept.say("local", workedAfter("alpha", FOUND), "first");
  await kept.close();
  const other = await connected(elsewhere.path);
  expect((await other.client.listTools()).tools).toHaveLength(4);
  await other.client.close();
  elsewhere.remove();
});
