/** Over the corpus, PostgreSQL finds the same messages and originals as SQLite, in the same order, with the same text. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { tokensOf } from "../../src/core/recall/words.ts";
import { protocols } from "../../src/protocols/index.ts";
import { openStore } from "../../src/store/index.ts";
import { type HistoryStore } from "../../src/store/store.ts";
import { corpusFiles, corpusText, describeCorpus } from "../support/corpus.ts";
import { chain } from "./contract/things.ts";
import { NO_POSTGRES, startPostgres, type TestPostgres } from "./postgres-server.ts";

const LOADING_MS_MAX = 300_000;
const QUERIES_A_FILE = Number(process.env["PRECIS_TEST_RUNS"] ?? 0) > 1_000 ? 12 : 1;
const FOUND_MAX = 20;

const files = corpusFiles("openai");
const transcripts = files.map((file) => protocols["openai-chat"].decode(corpusText(file)).transcript);

/** A few words of every so many a message: some queries find one place, some thousands. */
function queriesOf(texts: readonly string[]): readonly string[] {
  const step = Math.max(1, Math.floor(texts.length / QUERIES_A_FILE));
  return texts
    .filter((_, at) => at % step === 0)
    .map((text, at) => {
      const tokens = [...tokensOf(text)];
      return [1, 3, 7].map((place) => tokens[(place * (at + 1)) % Math.max(1, tokens.length)] ?? "the").join(" ");
    });
}

describeCorpus("a search over the corpus", () => {
  const folder = mkdtempSync(join(tmpdir(), "precis-same-search-"));
  let server: TestPostgres | undefined;
  let stores: readonly [HistoryStore, HistoryStore] | undefined;
  beforeAll(async () => {
    if (NO_POSTGRES !== undefined) return;
    server = await startPostgres();
    stores = [await openStore(join(folder, "history.db")), await openStore(await server!.newSchema())];
    for (const { messages } of transcripts) {
      const links = chain.linksOf(messages);
      const originals = messages.slice(0, 20).map(({ wire }, at) => {
        return { id: `r${links[at]!.slice(0, 9)}`, kind: "result" as const, label: `${at}`, text: wire?.raw ?? "" };
      });
      for (const store of stores!) {
        await store.appendChain("t", { links, messages });
        await store.putOriginals("t", originals);
      }
    }
  }, LOADING_MS_MAX);
  afterAll(async () => {
    await Promise.all((stores ?? []).map((store) => store.close()));
    await server?.close();
    rmSync(folder, { recursive: true });
  });

  it.skipIf(NO_POSTGRES !== undefined).each(files.map((file, at) => [file, transcripts[at]!] as const))(
    "for words of %s",
    async (_, { messages }) => {
      const queries = queriesOf(messages.map(({ wire }) => wire?.raw ?? ""));
      let found = 0;
      for (const words of queries) {
        const [some, others] = await Promise.all(stores!.map((store) => store.searchMessages("t", words, FOUND_MAX)));
        expect(others).toEqual(some);
        const [kept, same] = await Promise.all(stores!.map((store) => store.search("t", words, FOUND_MAX)));
        expect(same).toEqual(kept);
        found += some!.length + kept!.length;
      }
      expect(found).toBeGreaterThan(0);
    },
    LOADING_MS_MAX,
  );
});
