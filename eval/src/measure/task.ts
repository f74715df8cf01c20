/** The three kinds of work of an evaluation, each small enough to be given to a thread. */
import { reasonOf } from "../../../src/platform/system-errors.ts";
import type { Cache } from "./cache.ts";
import { examine, type ExamineRequest } from "./examine.ts";
import type { ExaminedEngine, Finding } from "./plan.ts";
import { probe, type ProbeOutcome } from "./probes/probes.ts";
import { survival, survivalBaselines, type SurvivalOutcome } from "./probes/survival.ts";
import type { Source } from "./sources.ts";
import { surveyOf, type Survey } from "./survey.ts";

export type Task =
  | { readonly kind: "survey"; readonly source: Source }
  | ({ readonly kind: "examine" } & ExamineRequest)
  | { readonly kind: "probe"; readonly entrant: ExaminedEngine; readonly seed: number }
  /** Without an entrant: of the baselines. */
  | { readonly kind: "survival"; readonly entrant?: ExaminedEngine; readonly seed: number };

export type Product =
  | { readonly kind: "survey"; readonly survey: Survey }
  | { readonly kind: "finding"; readonly finding: Finding }
  | { readonly kind: "fault"; readonly file: string; readonly because: string }
  | { readonly kind: "probe"; readonly outcomes: readonly ProbeOutcome[] }
  | { readonly kind: "survival"; readonly outcomes: readonly SurvivalOutcome[] };

export async function* perform(task: Task, cache: Cache): AsyncGenerator<Product> {
  switch (task.kind) {
    case "survey":
      yield { kind: "survey", survey: surveyOf(task.source) };
      return;
    case "examine":
      yield* examined(task, cache);
      return;
    case "probe": {
      const { entrant, seed } = task;
      yield { kind: "probe", outcomes: await cache.get(["probe", entrant, seed], () => probe(entrant, seed)) };
      return;
    }
    case "survival": {
      const { entrant, seed } = task;
      const make = () => (entrant === undefined ? survivalBaselines(seed) : survival(entrant, seed));
      yield { kind: "survival", outcomes: await cache.get(["survival", entrant ?? null, seed], make) };
    }
  }
}

/** What an engine trips over in one session must not cost the findings of all others. */
async function* examined(task: ExamineRequest, cache: Cache): AsyncGenerator<Product> {
  try {
    for await (const finding of examine(task, cache)) yield { kind: "finding", finding };
  } catch (error) {
    const because = reasonOf(error);
    yield { kind: "fault", file: task.source.name, because };
  }
}
