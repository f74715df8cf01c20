/** Any sequence of calls answers as a model does that is nothing but lists. */
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HistoryStore } from "../../../src/store/store.ts";
import { compaction, talk, type OpenStore } from "./things.ts";

/** Each run is a tenant of its own in one store. */
const RUNS = Math.ceil(Number(process.env["PRECIS_TEST_RUNS"] ?? 500) / 10);
const WORDS = ["alpha", "beta", "数据库", "getName"];
const IDS = ["r1", "r2", "r3"];

type Step =
  | {
      readonly kind: "append" | "put" | "find" | "undo" | "usage";
      readonly words: readonly string[];
      /** The client's name for the session, where it has one. */
      readonly session: string | undefined;
    }
  | { readonly kind: "original"; readonly id: string; readonly word: string }
  | { readonly kind: "search"; readonly word: string };

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constantFrom("append" as const, "put" as const, "find" as const, "undo" as const, "usage" as const),
      words: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 5 }),
      session: fc.constantFrom(undefined, undefined, "x", "y", "z"),
    }),
    fc.record({ kind: fc.constant("original" as const), id: fc.constantFrom(...IDS), word: fc.constantFrom(...WORDS) }),
    fc.record({ kind: fc.constant("search" as const), word: fc.constantFrom(...WORDS) }),
  ),
  { maxLength: 25 },
);

function createModel() {
  const links: string[] = [];
  const events: { readonly link: string; readonly number: number | "undo" }[] = [];
  const usages: { readonly link: string; readonly input: number }[] = [];
  let originals: { readonly id: string; readonly word: string }[] = [];
  /** The record that stands for a link: the first since it was last undone. */
  const standing = (link: string) => {
    const own = events.filter((event) => event.link === link);
    return own.slice(own.findLastIndex(({ number }) => number === "undo") + 1)[0]?.number;
  };
  return {
    append: (chain: readonly string[]) => {
      const fresh = chain.filter((link) => !links.includes(link));
      links.push(...fresh);
      return fresh.length;
    },
    put: (link: string, number: number) => {
      if (standing(link) === undefined) events.push({ link, number });
      return standing(link);
    },
    undo: (link: string) => {
      if (standing(link) !== undefined) events.push({ link, number: "undo" });
    },
    find: (chain: readonly string[]) => {
      const at = chain.findLastIndex((link) => standing(link) !== undefined);
      const undone = chain.slice(at + 1).some((link) => events.some((event) => event.link === link));
      return { number: at < 0 ? undefined : standing(chain[at]!), undone };
    },
    putUsage: (link: string, input: number) => usages.push({ link, input }),
    findUsage: (chain: readonly string[]) => {
      const link = chain.findLast((one) => usages.some((usage) => usage.link === one));
      return usages.findLast((usage) => usage.link === link)?.input;
    },
    original: (id: string, word: string) => {
      if (originals.some((one) => one.id === id && one.word === word)) return;
      originals = [...originals.filter((one) => one.id !== id), { id, word }];
    },
    search: (word: string) =>
      originals
        .filter((one) => one.word === word)
        .map(({ id }) => id)
        .toReversed(),
    messages: () => links.length,
  };
}

export function sequencesContract(open: OpenStore): void {
  describe("any sequence of calls", () => {
    let store: HistoryStore;
    let runs = 0;
    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store.close());

    it("answers as the model does", async () => {
      await fc.assert(
        fc.asyncProperty(steps, async (sequence) => {
          const tenant = `run ${runs++}`;
          const model = createModel();
          for (const [number, step] of sequence.entries()) await agree({ store, tenant, model, number }, step);
          expect((await store.holdings(tenant)).messages).toBe(model.messages());
          await checkSessions(store, tenant);
          await deleteOneByOne(store, tenant, model.messages());
          expect(await store.retain({ tenant, maxBytes: 0 })).toMatchObject({ sessions: 0, messages: 0, bodies: 0 });
        }),
        { numRuns: RUNS },
      );
    });
  });
}

/** Every session's head leads through all its messages, and a branch through the message where it left. */
async function checkSessions(store: HistoryStore, tenant: string): Promise<void> {
  const sessions = await store.listSessions(tenant, { limit: 1_000 });
  const ids = sessions.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { head, messages, parent } of sessions) {
    expect(await store.readChain(tenant, head)).toHaveLength(messages);
    if (parent !== undefined) expect(ids).toContain(parent);
  }
}

/** A session goes with what is on it and with nothing else; what is left is whole, until all is gone. */
async function deleteOneByOne(store: HistoryStore, tenant: string, messages: number): Promise<void> {
  const all = await store.listSessions(tenant, { limit: 1_000 });
  for (const { id } of all) {
    const before = (await store.listSessions(tenant, { limit: 1_000 })).map((session) => session.id);
    const expected = await store.withBranches(tenant, [id]);
    const gone = await store.deleteSessions(tenant, [id]);
    expect([...gone].toSorted()).toEqual([...expected].toSorted());
    if (before.includes(id)) expect(gone).toContain(id);
    const left = (await store.listSessions(tenant, { limit: 1_000 })).map((session) => session.id);
    expect(new Set(left)).toEqual(new Set(before.filter((one) => !gone.includes(one))));
    await checkSessions(store, tenant);
  }
  if (messages > 0) expect((await store.holdings(tenant)).messages).toBe(0);
}

interface Run {
  readonly store: HistoryStore;
  readonly tenant: string;
  readonly model: ReturnType<typeof createModel>;
  readonly number: number;
}

async function agree({ store, tenant, model, number }: Run, step: Step): Promise<void> {
  if (step.kind === "original") {
    const text = `some ${step.word} text`;
    model.original(step.id, step.word);
    await store.putOriginals(tenant, [{ id: step.id, kind: "result", label: "x", text }]);
    expect((await store.getOriginal(tenant, step.id))?.text).toBe(text);
    return;
  }
  if (step.kind === "search") {
    expect((await store.search(tenant, step.word, 9)).map(({ id }) => id)).toEqual(model.search(step.word));
    return;
  }
  const { links, messages } = talk(...step.words);
  const last = links.at(-1)!;
  switch (step.kind) {
    case "append": {
      const named = step.session === undefined ? {} : { session: step.session };
      const { added, session } = await store.appendChain(tenant, { links, messages, ...named });
      expect(added).toBe(model.append(links));
      if (added > 0 || step.session !== undefined)
        expect(await store.getSession(tenant, session)).toMatchObject({ head: last, messages: links.length });
      expect((await store.readChain(tenant, last)).map(({ link }) => link)).toEqual(links);
      break;
    }
    case "put": {
      const put = await store.putCompaction(tenant, { ...compaction(last, links.length), state: number });
      expect(put.state).toBe(model.put(last, number));
      break;
    }
    case "undo":
      model.undo(last);
      await store.undoCompaction(tenant, last);
      break;
    case "find": {
      const { compaction: found, undone } = await store.findCompaction(tenant, links);
      expect({ number: found?.state, undone }).toEqual(model.find(links));
      break;
    }
    case "usage":
      model.putUsage(last, number);
      await store.putUsage(tenant, {
        link: last,
        model: "m",
        input: number,
        output: 0,
        cacheRead: 0,
        cacheWrite: 0,
        at: 0,
      });
      expect((await store.findUsage(tenant, [...links, "later"]))?.input).toBe(model.findUsage(links));
      break;
  }
}
