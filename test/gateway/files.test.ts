/** Files of an agent on this machine, put back by a compaction behind the gateway; never where other machines can connect. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readFilesIn } from "../../src/session/read-files.ts";
import { ask, bodyOf, PROTOCOLS, worked } from "./support/asking.ts";
import { atEnd, stand, temporaryFolder } from "./support/standing.ts";

const WINDOW_TOKENS = 30_000;
const STEPS = 60;

async function standWith() {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "src/notes"), { recursive: true });
  for (let step = 0; step < STEPS; step++)
    writeFileSync(join(folder, `src/notes/${step}.ts`), `the new text of ${step}`);
  return stand({
    provider: { every: { windowTokens: WINDOW_TOKENS } },
    gateway: { contextLength: WINDOW_TOKENS, engine: "layered", readFile: readFilesIn(folder) },
  });
}

it.each(PROTOCOLS)("are sent with what they hold now: %s", async (protocol) => {
  const { url, provider } = await standWith();
  const { status, treatment } = await ask(url, { protocol, body: bodyOf(protocol, worked("notes", STEPS)) });
  expect([status, treatment]).toEqual([200, expect.stringMatching(/fresh$/)]);
  const sent = JSON.stringify(provider.requests.at(-1));
  const marked = [...sent.matchAll(/notes\/\d+\.ts, read again just now: changed since it was last read/g)];
  expect(marked).toHaveLength(5);
});

it("are not read where other machines can connect", async () => {
  const { gateway, provider } = await standWith();
  const open = await gateway.listen({ host: "0.0.0.0", port: 0 });
  atEnd(open.close);
  const url = open.url.replace("0.0.0.0", "127.0.0.1");
  const { status } = await ask(url, { protocol: "openai-chat", body: bodyOf("openai-chat", worked("notes", STEPS)) });
  expect(status).toBe(200);
  expect(JSON.stringify(provider.requests.at(-1))).not.toContain("the new text");
});
