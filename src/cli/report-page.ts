/** A report on recorded sessions as a person reads it: the answer first, then the sessions, what would be missing, and the settings that follow. */
import { wrapped } from "../config/wrap.ts";
import type { NamedOutlook, Outlook } from "../session/outlook/outlook.ts";
import { change, count, counted, percent } from "./amounts.ts";
import { RECEIPT_NAMES } from "./receipt-names.ts";
import { clip, columnWidths, padStart } from "./bars.ts";
import { namedLines } from "./table.ts";
import type { Stream } from "./terminal.ts";

export interface Report extends Outlook {
  readonly folders: readonly string[];
  /** As it was asked for: `7d`. */
  readonly since: string;
  readonly engine: string;
  /** Files beyond the limit, and those that are older. */
  readonly notTaken: number;
  readonly older: number;
  readonly skipped: readonly { readonly name: string; readonly because: string }[];
}

const SESSIONS_SHOWN_MAX = 12;
const SKIPPED_SHOWN_MAX = 3;
const EXAMPLE_COLUMNS_MAX = 48;
const NAME_COLUMNS = 14;
/** On narrower terminals the table has a column less. */
const WIDE_COLUMNS = 60;

export function reportPage(report: Report, stream: Stream): string {
  const { paint } = stream;
  const section = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : ["", paint("strong", title), ...lines];
  return [
    ...wrapped(verdict(report), stream.columns).map((line) => paint("strong", line)),
    ...facts(report).flatMap(([name, says]) => named(name, says, stream)),
    ...section("Sessions with the largest savings", sessionRows(report.sessions, stream)),
    ...section("What the results do not hold", missingLines(report, stream)),
    ...section("Settings that follow", adviceLines(report, stream)),
    ...section("Not looked at", skippedLines(report, stream)),
    "",
  ].join("\n");
}

/** What somebody wants to know who reads one sentence. */
function verdict({ sessions, compacted, compactions, tokens }: Report): string {
  if (sessions.length === 0) return "No session with an answer of a model was found.";
  const of = counted(sessions.length, "session");
  if (compactions === 0) return `precis would have left all of ${of} as they are.`;
  return `precis would have compacted ${compacted} of ${of}, ${counted(compactions, "time")} in all: ${change(tokens.without, tokens.with)} input tokens.`;
}

function facts(report: Report): readonly (readonly [name: string, says: string])[] {
  const { requests, tokens, usd, agentCompactions, later, since, engine, folders } = report;
  if (report.sessions.length === 0) return [["looked at", `${folders.join(", ")}, files of the last ${since}`]];
  return [
    ["looked at", `${counted(requests, "request")} of the last ${since} in ${folders.join(", ")}; engine ${engine}`],
    ["input", `${count(tokens.without)} tokens as the agents sent them, ${count(tokens.with)} with precis`],
    ...(usd === undefined ? [] : [["cost", costText(usd, report.sessions.length)] as const]),
    [
      "agents",
      agentCompactions === 0
        ? "they did not compact by themselves"
        : `they compacted ${counted(agentCompactions, "time")} by themselves, with a model`,
    ],
    ...(later.used === 0
      ? []
      : [
          [
            "used later",
            `${percent(later.held / later.used)} of ${counted(later.used, "identifier")} that the agents used after a compaction would still have been in their context`,
          ] as const,
        ]),
  ];
}

function costText({ without, with: with_, sessions }: NonNullable<Report["usd"]>, all: number): string {
  const only = sessions === all ? "" : `, for the ${sessions} whose model has a known price`;
  return `about ${dollars(without)} as sent, ${dollars(with_)} with precis (${change(without, with_)})${only}; both with a prompt cache of five minutes`;
}

function dollars(usd: number): string {
  return `$${usd.toFixed(2)}`;
}

function named(name: string, says: string, stream: Stream): readonly string[] {
  return namedLines(name, says, { left: NAME_COLUMNS }, stream);
}

function bySavings(sessions: readonly NamedOutlook[]): readonly NamedOutlook[] {
  return sessions
    .filter((one) => one.compactions.length > 0)
    .toSorted((a, b) => b.without.inputTokens - b.with.inputTokens - (a.without.inputTokens - a.with.inputTokens));
}

function shortName(path: string): string {
  return path.split(/[/\\]/).slice(-2).join("/");
}

function sessionRows(sessions: readonly NamedOutlook[], { paint, columns }: Stream): readonly string[] {
  const shown = bySavings(sessions).slice(0, SESSIONS_SHOWN_MAX);
  if (shown.length === 0) return [];
  const wide = columns >= WIDE_COLUMNS;
  const header = ["requests", "largest", wide ? "with precis" : "with", ...(wide ? ["cuts"] : []), "input"];
  const rows = shown.map((one) => [
    count(one.requests),
    count(one.largest.without),
    count(one.largest.with),
    ...(wide ? [count(one.compactions.length)] : []),
    change(one.without.inputTokens, one.with.inputTokens),
  ]);
  const widths = columnWidths([header, ...rows]);
  const cells = (row: readonly string[]): string => row.map((cell, at) => padStart(cell, widths[at]!)).join("  ");
  return [
    `  ${paint("dim", cells(header))}`,
    ...rows.flatMap((row, at) => {
      const figures = cells(row);
      const room = columns - figures.length - 4;
      const name = shortName(shown[at]!.name);
      return room >= 24
        ? [`  ${figures}  ${paint("dim", clip(name, room))}`]
        : [`  ${figures}`, `    ${paint("dim", clip(name, columns - 4))}`];
    }),
  ];
}

function missingLines({ missing }: Report, stream: Stream): readonly string[] {
  return missing.flatMap(({ kind, recallable, lost, examples }) => [
    ...named(RECEIPT_NAMES[kind], `${count(recallable)} recallable, ${count(lost)} lost`, stream),
    ...examples.map(
      (one) => `${" ".repeat(NAME_COLUMNS + 2)}${stream.paint("dim", `"${clip(one, EXAMPLE_COLUMNS_MAX)}"`)}`,
    ),
  ]);
}

function adviceLines({ advice }: Report, { paint, columns }: Stream): readonly string[] {
  return advice.flatMap(({ setting, because }) => [
    ...(setting === undefined ? [] : [`  ${paint("accent", setting)}`]),
    ...wrapped(because, columns - 4).map((line) => `    ${line}`),
  ]);
}

function skippedLines({ skipped, older, notTaken }: Report, { columns }: Stream): readonly string[] {
  return [
    ...(older === 0 ? [] : [`  ${counted(older, "older file")}: --since looks further back`]),
    ...(notTaken === 0 ? [] : [`  ${counted(notTaken, "file")} beyond the limit: raise it with --limit`]),
    ...skipped
      .slice(0, SKIPPED_SHOWN_MAX)
      .map(({ name, because }) => `  ${clip(`${shortName(name)}: ${because}`, columns - 2)}`),
    ...(skipped.length > SKIPPED_SHOWN_MAX
      ? [`  and ${counted(skipped.length - SKIPPED_SHOWN_MAX, "more file")} that could not be read`]
      : []),
  ];
}
