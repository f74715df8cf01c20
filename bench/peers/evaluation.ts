/** What `precis eval` prints for the corpus, kept as it prints it, so that the page and the command say the same. */
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { evaluate } from "../../src/lab/eval/evaluate.ts";
import { figuresOf } from "../../src/lab/eval/figures.ts";
import { sectionsOf, summaryOf, type Section } from "../../src/lab/eval/report.ts";
import { createProgress } from "./progress.ts";

const BUDGETS = [0.05, 0.1, 0.2];
const QUICK_BUDGETS = [0.1];
const DEFAULT_CORPUS = "../shared/corpus";

export interface Evaluated {
  readonly summary: string;
  readonly sections: readonly Section[];
}

export async function evaluated(quick: boolean): Promise<Evaluated> {
  const folder = resolve(process.env["PRECIS_CORPUS"] ?? DEFAULT_CORPUS);
  const budgets = quick ? QUICK_BUDGETS : BUDGETS;
  let progress: ReturnType<typeof createProgress> | undefined;
  let doing = "";
  const request = {
    paths: [resolve(folder, "openai")],
    folder,
    budgets,
    engines: ["compressor"],
    threads: availableParallelism(),
  };
  const evaluation = await evaluate(request, async (step) => {
    if (step.doing !== doing) {
      progress?.end();
      doing = step.doing;
      progress = createProgress(doing, step.of);
    }
    progress?.step("");
  });
  progress?.end();
  return { summary: summaryOf(evaluation), sections: sectionsOf(evaluation, figuresOf(evaluation)) };
}
