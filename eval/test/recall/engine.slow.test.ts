/**
 * The engine beside the newest messages on real sessions: the whole comparison is `npm run eval`. It need not be ahead of
 * `cover`, which does nothing but what the measure counts: a record of turns tells what happened, and files can be read again.
 */
import { expect, it } from "vitest";
import { baselineOf, type Baseline } from "../../src/recall/baselines.ts";
import { engineCompactor } from "../../src/recall/compactor.ts";
import { readCorpus } from "../../src/recall/corpus.ts";
import { cutsOf, EVALUATION_CUTS } from "../../src/recall/cuts.ts";
import { createExam } from "../../src/recall/exam.ts";
import { createReader } from "../../src/recall/reader.ts";
import { CORPUS, describeCorpus } from "../../../test/support/corpus.ts";

/** Of that many sessions `npm test` takes one, `npm run test:full` every one. */
const EVERY = Number(process.env["PRECIS_TEST_RUNS"] ?? 500) > 500 ? 1 : 4;

describeCorpus("recall on whole sessions", () => {
  it.each<[budget: number, baseline: Baseline, timesAhead: number]>([
    [0.05, "tail", 1.4],
    [0.1, "tail", 1.4],
    [0.2, "tail", 1.2],
  ])("at a budget of %d is ahead of %s", async (budget, baseline, timesAhead) => {
    const bound = { engine: 0, baseline: 0 };
    const sessions = [...readCorpus(CORPUS)].filter((_, at) => at % EVERY === 0);
    for (const { messages } of sessions) {
      const reader = createReader();
      for (const cut of cutsOf(messages, reader, EVALUATION_CUTS)) {
        const exam = createExam(cut, reader);
        const room = Math.floor(budget * exam.total);
        const kept = exam.score((await engineCompactor()(cut.prefix, room)).text);
        expect(kept.kept).toBeLessThanOrEqual(room);
        bound.engine += kept.bound;
        bound.baseline += exam.score(baselineOf(baseline, cut.prefix, { budget, reader })).bound;
      }
    }
    expect(bound.baseline).toBeGreaterThan(0);
    expect(bound.engine).toBeGreaterThan(bound.baseline * timesAhead);
  });
});
