/** An exam on a terminal: the plan with its price beforehand, and the figures with what they do not prove. */
import { wrapped, clip } from "../../../src/cli/screen/text.ts";
import type { PrecisError } from "../../../src/core/errors.ts";
import type { Estimate } from "../exam/ask.ts";
import type { PreparedExam } from "../exam/exam.ts";
import { QUESTIONS } from "../exam/plan.ts";
import type { Spending } from "../exam/spending-limit.ts";
import { failuresOf, sectionsOf, verdictsOf } from "../exam/report.ts";
import type { CaseResult } from "../exam/run.ts";
import type { ExamFigures } from "../exam/tally.ts";
import { count, counted } from "../../../src/cli/screen/amounts.ts";
import { sectionLines } from "./measure-page.ts";
import { withRowNote } from "../../../src/cli/screen/table.ts";
import type { Stream } from "../../../src/cli/screen/terminal.ts";

const REFUSED_SHOWN_MAX = 5;
const FAILURES_SHOWN_MAX = 20;

export function planPage(prepared: PreparedExam, stream: Stream): string {
  const { plan, models, cases, refused } = prepared;
  const { paint, columns } = stream;
  const seats = plan.contestants.length * plan.readers;
  const shown = refused.slice(0, REFUSED_SHOWN_MAX);
  const lines = [
    `${counted(cases.length, "case")}, ${counted(QUESTIONS, "question")} each, ${counted(seats, "reader")} a case`,
    ...cases.map(({ name, prefixTokens }) => `  ${name}  ${count(prefixTokens)} tokens`),
    ...shown.map(({ file, because }) =>
      paint("dim", `  ${clip(`not used: ${file.slice(file.lastIndexOf("/") + 1)}: ${because}`, columns - 2)}`),
    ),
    ...(refused.length > shown.length ? [paint("dim", `  not used: ${refused.length - shown.length} more`)] : []),
    ...labelled("contestants", plan.contestants.map(({ name }) => name).join(", "), stream),
    ...labelled(
      "models",
      Object.entries(models)
        .map(([role, { writer }]) => `${role} ${writer.model}`)
        .join(", "),
      stream,
    ),
    ...priceLines(prepared.estimate, stream),
  ];
  return `${lines.join("\n")}\n`;
}

function labelled(label: string, text: string, stream: Stream): readonly string[] {
  return withRowNote({ line: label, width: label.length, says: text }, stream);
}

function priceLines(estimate: Estimate, { paint, columns }: Stream): readonly string[] {
  const { calls, kept, inputTokens, outputTokens, usualUsd, largestUsd, unpriced } = estimate;
  const work = `${counted(calls, "model call")}, about ${count(inputTokens)} tokens in and ${count(outputTokens)} out; ${count(kept)} kept from before.`;
  const price =
    unpriced.length === 0
      ? `About $${usualUsd.toFixed(2)}; at most $${largestUsd.toFixed(2)} if every answer has the maximum length and is retried.`
      : `The price of ${unpriced.join(", ")} is not known${usualUsd > 0 ? `; of the others about $${usualUsd.toFixed(2)}` : ""}.`;
  return [...wrapped(work, columns), ...wrapped(price, columns).map((line) => paint("strong", line))];
}

export interface ExamReport {
  readonly figures: ExamFigures;
  readonly results: readonly CaseResult[];
  readonly spent: Spending;
  readonly ended?: PrecisError;
}

export function examPage({ figures, results, spent, ended }: ExamReport, stream: Stream): string {
  const { paint, columns } = stream;
  const failures = failuresOf(results);
  const graded = [
    ...sectionsOf(figures).flatMap((section) => sectionLines(section, stream)),
    ...verdictsOf(figures).flatMap((line) => wrapped(line, columns)),
    "",
  ];
  const lines = [
    ...(figures.cases === 0 ? ["No session could be graded."] : graded),
    ...failures.slice(0, FAILURES_SHOWN_MAX).map((line) => paint("warn", clip(`! ${line}`, columns))),
    ...(failures.length > FAILURES_SHOWN_MAX ? [`! ${failures.length - FAILURES_SHOWN_MAX} more failures`] : []),
    ...(ended === undefined ? [] : wrapped(`Ended early: ${ended.message}. ${ended.hint}`, columns)),
    spentLine(spent),
  ];
  return `${lines.join("\n")}\n`;
}

function spentLine({ requests, inputTokens, outputTokens, costUsd, priced }: Spending): string {
  const cost = priced ? `, $${costUsd.toFixed(2)}` : costUsd > 0 ? `, $${costUsd.toFixed(2)} as far as known` : "";
  return `This run: ${counted(requests, "request")}, ${count(inputTokens)} tokens in, ${count(outputTokens)} out${cost}.`;
}
