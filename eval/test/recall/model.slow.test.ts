/**
 * Bound recall of handoffs that a poor model wrote, over the corpus: it drops every second sentence, and what is likely to be
 * needed is there all the same, because code writes it back from the originals.
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Writers } from "../../../src/core/handoff/model/writer.ts";
import { engineCompactor } from "../../src/recall/compactor.ts";
import { readCorpus } from "../../src/recall/corpus.ts";
import { cutsOf, EVALUATION_CUTS, type Cut } from "../../src/recall/cuts.ts";
import { createExam, type Exam } from "../../src/recall/exam.ts";
import { createReader } from "../../src/recall/reader.ts";
import { CORPUS, describeCorpus } from "../../../test/support/corpus.ts";
import { forgetful } from "../../../test/support/model-answers.ts";
import { answer, startEndpoint, type ScriptedEndpoint } from "../../../test/support/scripted-endpoint.ts";
import { writerAt } from "../../../test/support/writers.ts";

/** Most of a handoff is the model's, so a poor one costs something, of what was said most: code writes back what tools returned. */
const KEPT_SHARE_MIN = 0.75;
/** Below, a handoff has no room for a model's sentences. */
const MODEL_SHARE_MIN = 0.75;
/** Of that many questions `npm test` asks one, `npm run test:full` every one. */
const EVERY = Number(process.env["PRECIS_TEST_RUNS"] ?? 500) > 500 ? 1 : 6;

interface Question {
  readonly cut: Cut;
  readonly exam: Exam;
}

/** Some transcripts of the corpus begin alike. */
function distinctQuestions(): readonly Question[] {
  const questions = new Map<string, Question>();
  for (const { messages } of readCorpus(CORPUS)) {
    const reader = createReader();
    for (const cut of cutsOf(messages, reader, EVALUATION_CUTS)) {
      const key = `${reader.size(cut.prefix)} ${reader.text(cut.prefix.at(-1)!)}`;
      if (!questions.has(key)) questions.set(key, { cut, exam: createExam(cut, reader) });
    }
  }
  return [...questions.values()].filter((_, at) => at % EVERY === 0);
}

describeCorpus("a model that drops every second sentence", () => {
  let endpoint: ScriptedEndpoint;
  beforeAll(async () => {
    endpoint = await startEndpoint({ script: answer(({ user }) => forgetful(user)) });
  });
  afterAll(() => endpoint.close());

  const questions = distinctQuestions();

  it.each([0.05, 0.1, 0.2])("at a budget of %d keeps most of what code alone binds", async (budget) => {
    const writers: Writers = { auxiliary: writerAt(endpoint, "poor-1"), resting: [] };
    const [alone, told] = [engineCompactor(), engineCompactor(writers)];
    const bound = { alone: 0, told: 0 };
    let written = 0;
    for (const { cut, exam } of questions) {
      const room = Math.floor(budget * exam.total);
      const handoff = await told(cut.prefix, room);
      bound.alone += exam.score((await alone(cut.prefix, room)).text).bound;
      bound.told += exam.score(handoff.text).bound;
      if (handoff.report?.summary?.by === "model") written++;
    }
    expect(bound.alone).toBeGreaterThan(0);
    expect(bound.told / bound.alone).toBeGreaterThanOrEqual(KEPT_SHARE_MIN);
    expect(written / questions.length).toBeGreaterThan(MODEL_SHARE_MIN);
  });
});
