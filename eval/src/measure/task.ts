/** The two kinds of work of an evaluation, each small enough to be given to a thread. */
import { reasonOf } from "../../../src/platform/system-errors.ts";
import { examine, type ExamineRequest } from "./examine.ts";
import type { Finding } from "./plan.ts";
import type { Source } from "./sources.ts";
import { surveyOf, type Survey } from "./survey.ts";

export type Task =
  | { readonly kind: "survey"; readonly source: Source }
  | ({ readonly kind: "examine" } & ExamineRequest);

export type Product =
  | { readonly kind: "survey"; readonly survey: Survey }
  | { readonly kind: "finding"; readonly finding: Finding }
  | { readonly kind: "fault"; readonly file: string; readonly because: string };

export async function* perform(task: Task): AsyncGenerator<Product> {
  if (task.kind === "survey") yield { kind: "survey", survey: surveyOf(task.source) };
  else yield* examined(task);
}

/** What an engine trips over in one session must not cost the findings of all others. */
async function* examined(task: ExamineRequest): AsyncGenerator<Product> {
  try {
    for await (const finding of examine(task)) yield { kind: "finding", finding };
  } catch (error) {
    const because = reasonOf(error);
    yield { kind: "fault", file: task.source.name, because };
  }
}
