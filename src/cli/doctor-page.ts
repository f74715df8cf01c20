/** The doctor's findings as a person reads them: by area, each with what to do about it. */
import { wrapped } from "../config/wrap.ts";
import { counted } from "./amounts.ts";
import { columnWidths, padEnd } from "./bars.ts";
import { AREAS, type Finding, type Level } from "./doctor/finding.ts";
import type { TextStyle, Stream } from "./terminal.ts";
import { visibleLine } from "./visible.ts";

const MARKS: Readonly<Record<Level, readonly [mark: string, look: TextStyle]>> = {
  fine: ["✓", "good"],
  note: ["·", "dim"],
  warning: ["!", "warn"],
  fault: ["✗", "bad"],
};

export function doctorPage(findings: readonly Finding[], stream: Stream): string {
  const { paint } = stream;
  const [left = 0] = columnWidths(AREAS.map((area) => [area]));
  const lines = AREAS.flatMap((area) =>
    findings
      .filter((one) => one.area === area)
      .flatMap((one, at) => findingLines(one, { name: padEnd(at === 0 ? area : "", left), stream })),
  );
  return `${[...lines, "", verdict(findings, paint)].join("\n")}\n`;
}

interface AreaColumn {
  /** The area, as wide as the widest. */
  readonly name: string;
  readonly stream: Stream;
}

function findingLines({ level, says, fix, lines = [] }: Finding, { name, stream }: AreaColumn): readonly string[] {
  const { paint, columns } = stream;
  const [mark, look] = MARKS[level];
  const room = columns - name.length - 4;
  const indent = " ".repeat(name.length + 4);
  const said = wrapped(visibleLine(says), room).map((line, at) =>
    at === 0 ? `${paint("strong", name)}  ${paint(look, mark)} ${line}` : `${indent}${line}`,
  );
  const next =
    fix === undefined
      ? []
      : wrapped(visibleLine(fix), room - 2).map(
          (line, at) => `${indent}${at === 0 ? paint("accent", "→") : " "} ${line}`,
        );
  return [...said, ...next, ...lines.map((line) => `${indent}  ${paint("dim", line)}`.trimEnd())];
}

function verdict(findings: readonly Finding[], paint: Stream["paint"]): string {
  const { faults, warnings } = tallied(findings);
  const beside = warnings === 0 ? "" : `, ${counted(warnings, "warning")}`;
  if (faults === 0) return `${paint("good", "no fault")}${beside}`;
  return `${paint("bad", counted(faults, "fault"))}${beside}: fix each as described, then run \`precis doctor\` again`;
}

export function tallied(findings: readonly Finding[]): { readonly faults: number; readonly warnings: number } {
  const count = (wanted: Level): number => findings.filter(({ level }) => level === wanted).length;
  return { faults: count("fault"), warnings: count("warning") };
}
