/** The engine beside the best baseline on real sessions: the whole comparison is `npm run eval`. */
import { expect, it } from "vitest";
import { baselineOf } from "../../../src/lab/recall/baselines.ts";
import { engineCompactor } from "../../../src/lab/recall/compactor.ts";
import { cutsOf, EVALUATION_CUTS } from "../../../src/lab/recall/cuts.ts";
import type { ChatMessage } from "../../../src/lab/recall/definition.ts";
import { createExam } from "../../../src/lab/recall/exam.ts";
import { createReader } from "../../../src/lab/recall/reader.ts";
import { corpusText, describeCorpus } from "../../support/corpus.ts";

/** A long session on top in `npm run test:full`. */
const FULL = Number(process.env["PRECIS_TEST_RUNS"] ?? 500) > 500;
const FILES = ["openai/entire_claude__7d66f047ac98_0.json", ...(FULL ? ["openai/pi__large-session.json"] : [])];

describeCorpus("recall on whole sessions", () => {
  it.each([0.05, 0.1, 0.2])("is ahead of the best baseline at a budget of %d", async (budget) => {
    const bound = { engine: 0, cover: 0 };
    for (const file of FILES) {
      const reader = createReader();
      const messages = JSON.parse(corpusText(file)) as readonly ChatMessage[];
      for (const cut of cutsOf(messages, reader, EVALUATION_CUTS)) {
        const exam = createExam(cut, reader);
        const room = Math.floor(budget * exam.total);
        const kept = exam.score((await engineCompactor()(cut.prefix, room)).text);
        expect(kept.kept).toBeLessThanOrEqual(room);
        bound.engine += kept.bound;
        bound.cover += exam.score(baselineOf("cover", cut.prefix, { budget, reader, random: () => 0 })).bound;
      }
    }
    expect(bound.engine).toBeGreaterThan(bound.cover);
  });
});
