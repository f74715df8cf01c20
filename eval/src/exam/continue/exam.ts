/** An exam of agents that go on: cases and contestants first, and the runs when a person has agreed. */
import { createRedactor } from "../../../../src/core/redaction/redactor.ts";
import { loadSecretRules } from "../../../../src/secrets/rules.ts";
import { createAsker, createEstimator, type Estimate } from "../ask.ts";
import { contextOf } from "../contexts.ts";
import type { ExamRequest } from "../exam.ts";
import { openExamFolder } from "../folder.ts";
import { examModels } from "../models.ts";
import { createSpendingLimit, type Spending } from "../spending-limit.ts";
import { createRenderContext } from "../render.ts";
import type { Step } from "../../measure/evaluate.ts";
import { continueCasesIn, type ContinueCase } from "./case-folders.ts";
import { runTrials, type TrialsOutcome, type Work } from "./trials.ts";

export interface ContinueRequest extends Pick<
  ExamRequest,
  "contestants" | "examFolder" | "configuration" | "surroundings"
> {
  /** The folder of cases, absolute. */
  readonly casesFolder: string;
  readonly runs: number;
  readonly work: Work;
}

export interface PreparedTrials {
  readonly cases: readonly ContinueCase[];
  readonly estimate: Estimate;
  readonly run: (limitUsd: number, onStep: (step: Step) => Promise<void>) => Promise<HeldTrials>;
}

export interface HeldTrials extends TrialsOutcome {
  /** On the handoffs; what the agents cost is not known. */
  readonly spent: Spending;
}

/** No agent is run yet, and no model asked. Only contestants that let a model write need one. */
export async function prepareTrials(request: ContinueRequest): Promise<PreparedTrials> {
  const { configuration, surroundings, contestants, runs, work, examFolder } = request;
  const marksOnly = work.by === "hand" && work.now === "mark";
  const asksModel = !marksOnly && contestants.some(({ model }) => model);
  const models = asksModel ? { handoff: examModels(configuration, {}, surroundings).handoff } : {};
  const secrets = await loadSecretRules(configuration.redaction);
  const mask = createRedactor(secrets);
  const context = createRenderContext(mask);
  const cases = continueCasesIn(request.casesFolder, context);
  const folder = openExamFolder(examFolder);
  const options = { configuration, secrets, context, ...models };
  const estimator = createEstimator({ folder, mask, purse: createSpendingLimit() });
  for (const one of cases)
    for (const contestant of contestants.filter(({ model }) => model && asksModel))
      await contextOf(one, contestant, { ...options, asker: estimator });
  return {
    cases,
    estimate: estimator.estimate(),
    run: async (limitUsd, onStep) => {
      const purse = createSpendingLimit(limitUsd);
      const asker = createAsker({ folder, mask, purse });
      const { environment } = surroundings;
      const plan = { cases, contestants, runs, work, environment, folder, onStep };
      const outcome = await runTrials({ ...plan, options: { ...options, asker } });
      return { ...outcome, spent: purse.spent() };
    },
  };
}
