/** The whole corpus copied into PostgreSQL and back, killed on the way each time, ends as the same store. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { protocols } from "../../src/protocols/index.ts";
import { compareStores } from "../../src/store/copy.ts";
import { openStore } from "../../src/store/open.ts";
import { corpusFiles, corpusText, describeCorpus } from "../support/corpus.ts";
import { chain, compaction } from "./contract/things.ts";
import { NO_POSTGRES, startPostgres, type TestPostgres } from "./postgres-server.ts";

const COMMAND = join(import.meta.dirname, "../../src/cli/bin.ts");
const KILLS = 3;
/** A process takes half of it to start. */
const KILL_MS = 600;
const TEST_MS_MAX = 300_000;

describeCorpus("a copy of the corpus", () => {
  const folder = mkdtempSync(join(tmpdir(), "precis-copy-"));
  let server: TestPostgres;
  beforeAll(async () => {
    if (NO_POSTGRES === undefined) server = await startPostgres();
  });
  afterAll(async () => {
    await server?.close();
    rmSync(folder, { recursive: true });
  });

  async function fill(address: string): Promise<void> {
    const store = await openStore(address);
    for (const file of corpusFiles("openai")) {
      const { messages } = protocols["openai-chat"].decode(corpusText(file)).transcript;
      const links = chain.linksOf(messages);
      await store.appendChain("local", { links, messages });
      await store.putCompaction("local", compaction(links.at(-1)!, links.length, ["r1"]));
      await store.putState("local", links[0]!, { file });
    }
    await store.close();
  }

  /** The exit code, or null where it was killed before it ended. */
  async function copy(from: string, to: string, killAfterMs?: number): Promise<number | null> {
    const child = spawn(process.execPath, [COMMAND, "store", "copy", from, to], { stdio: "ignore" });
    const ended = once(child, "exit");
    const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfterMs);
    const [code] = (await ended) as [number | null];
    clearTimeout(timer);
    return code;
  }

  it.skipIf(NO_POSTGRES !== undefined)("goes on where it was killed, both ways", { timeout: TEST_MS_MAX }, async () => {
    const [from, there, back] = [join(folder, "from.db"), await server.newSchema(), join(folder, "back.db")];
    await fill(from);
    for (const [source, target] of [
      [from, there],
      [there, back],
    ] as const) {
      // prettier-ignore
      const ends: (number | null)[] = [];
      while (ends.at(-1) !== 0 && ends.length < KILLS) ends.push(await copy(source, target, KILL_MS));
      if (ends.at(-1) !== 0) ends.push(await copy(source, target));
      expect([ends.includes(null), ends.at(-1)]).toEqual([true, 0]);
      expect(await compareStores({ address: from }, { address: target })).toEqual([]);
    }
    const store = await openStore(back);
    expect(await store.check()).toEqual([]);
    await store.close();
  });
});
