/** An exam as a command asks for it: chosen cases and their price first, and the run behind it when a person has agreed. */
import type { Configuration } from "../../../src/config/schema.ts";
import { createRedactor } from "../../../src/core/redaction/redactor.ts";
import type { WriterEnvironment } from "../../../src/models/writers.ts";
import { loadSecretRules } from "../../../src/secrets/rules.ts";
import type { Step } from "../measure/evaluate.ts";
import { sourcesOf } from "../measure/sources.ts";
import { createAsker, type Estimate } from "./ask.ts";
import { chooseCases, type ChosenCases } from "./cases.ts";
import { openExamFolder } from "./folder.ts";
import { examModels, type ExamModels, type ModelNames } from "./models.ts";
import { QUESTIONS, type ExamPlan } from "./plan.ts";
import { createSpendingLimit, type Spending } from "./spending-limit.ts";
import { createRenderContext } from "./render.ts";
import { runExam, type Exam, type ExamOutcome } from "./run.ts";

export interface ExamRequest extends Pick<ExamPlan, "contestants" | "readers" | "seed"> {
  /** Files and folders, absolute. */
  readonly paths: readonly string[];
  /** What names are shown relative to. */
  readonly folder: string;
  /** Where answers are kept; made when the first is. */
  readonly examFolder: string;
  readonly cases: number;
  readonly configuration: Configuration;
  readonly models: ModelNames;
  readonly surroundings: WriterEnvironment;
}

export interface PreparedExam extends ChosenCases {
  readonly plan: ExamPlan;
  readonly models: ExamModels;
  readonly estimate: Estimate;
  /** Asks the models; what it spends stays within the limit. */
  readonly run: (limitUsd: number, onStep: (step: Step) => Promise<void>) => Promise<ExamOutcome & WithSpending>;
}

interface WithSpending {
  readonly spent: Spending;
}

/** Nobody is asked yet. Throws `usage` if no model is configured, and `unreadable_input` for a path that is not there. */
export async function prepareExam(request: ExamRequest): Promise<PreparedExam> {
  const { configuration, contestants, readers, seed } = request;
  const models = examModels(configuration, request.models, request.surroundings);
  const secrets = await loadSecretRules(configuration.redaction);
  const mask = createRedactor(secrets);
  const context = createRenderContext(mask);
  const sources = sourcesOf(request.paths, request.folder);
  const tokensMax = models.writer.writer.windowTokens - RESERVED_TOKENS * QUESTIONS;
  const chosen = chooseCases({ sources, cases: request.cases, seed, context, tokensMax });
  const plan: ExamPlan = { contestants, readers, seed, cases: chosen.cases };
  const options = { configuration, secrets, context };
  const folder = openExamFolder(request.examFolder);
  const estimator = createAsker({ folder, mask });
  const exam: Omit<Exam, "asker"> = { plan, models, options };
  await runExam({ ...exam, asker: estimator });
  return {
    ...chosen,
    plan,
    models,
    estimate: estimator.estimate(),
    run: async (limitUsd, onStep) => {
      const purse = createSpendingLimit(limitUsd);
      const asker = createAsker({ folder, mask, purse });
      const outcome = await runExam({ ...exam, asker, folder, onStep });
      return { ...outcome, spent: purse.spent() };
    },
  };
}

/** Of the window of the model that writes the questions, for each of them and for the instructions. */
const RESERVED_TOKENS = 700;
