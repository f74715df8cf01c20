/** What tools print: source, test runs, builds, logs, JSON, searches, listings, diffs. */
import type { Names } from "./names.ts";

export function source(names: Names, lines: number): string {
  const body = names.times(lines, (index): string => {
    switch (index % 6) {
      case 0:
        return `export function ${names.symbol()}(${names.symbol()}: string, limit = ${names.whole(1, 9000)}): number {`;
      case 1:
        return `  // ${names.sentence(names.whole(5, 14))}.`;
      case 2:
        return `  const ${names.symbol()} = ${names.symbol()}(${names.symbol()}, { retries: ${names.whole(0, 9)} });`;
      case 3:
        return `  if (${names.symbol()} === undefined) throw new RangeError("${names.sentence(5)}");`;
      case 4:
        return `  return ${names.symbol()}.length * ${names.whole(2, 99)};`;
      default:
        return "}";
    }
  });
  return body.map((line, index) => `${String(index + 1).padStart(5)}\t${line}`).join("\n");
}

export function testRun(names: Names, tests: number): string {
  const failing = names.real() < 0.5 ? names.whole(1, 3) : 0;
  const lines = names.times(
    tests,
    (index) => ` ${index < failing ? "×" : "✓"} ${names.path()} > ${names.sentence(6)} ${names.whole(1, 90)}ms`,
  );
  const failures = names.times(failing, () => [
    ` FAIL  ${names.path()} > ${names.sentence(6)}`,
    names.errorLine(),
    `    at ${names.symbol()} (${names.path()}:${names.whole(1, 400)}:${names.whole(1, 80)})`,
    `    at ${names.symbol()} (${names.path()}:${names.whole(1, 400)}:${names.whole(1, 80)})`,
  ]);
  const summary = `Tests  ${failing > 0 ? `${failing} failed | ` : ""}${tests - failing} passed (${tests})`;
  return [
    ...lines,
    "",
    ...failures.flat(),
    "",
    summary,
    `Duration  ${names.whole(1, 90)}.${names.whole(10, 99)}s`,
  ].join("\n");
}

export function build(names: Names, lines: number): string {
  const steps = names.times(lines, () => `[${names.whole(1, 400)}/400] compile ${names.path()}`);
  const errors = names.times(
    names.whole(0, 4),
    () =>
      `${names.path()}(${names.whole(1, 300)},${names.whole(1, 80)}): error TS${names.whole(1000, 7100)}: ${names.sentence(9)}.`,
  );
  return [...steps, ...errors].join("\n");
}

export function log(names: Names, lines: number): string {
  return names
    .times(lines, (index) => {
      const time = `2026-04-${String(1 + (index % 28)).padStart(2, "0")}T10:${String(index % 60).padStart(2, "0")}:${String(names.whole(0, 59)).padStart(2, "0")}.${names.whole(100, 999)}Z`;
      const dice = names.real();
      const level = dice < 0.04 ? "ERROR" : dice < 0.12 ? "WARN" : dice < 0.6 ? "INFO" : "DEBUG";
      return `${time} ${level} [${names.pick(["api", "jobs", "db"])}] ${level === "ERROR" ? names.errorLine() : names.sentence(8)} id=${names.hex(12)} ms=${names.whole(1, 900)}`;
    })
    .join("\n");
}

export function json(names: Names, rows: number): string {
  const items = names.times(rows, (index) => ({
    id: 100_000 + index,
    key: names.hex(16),
    name: names.symbol(),
    path: names.path(),
    tags: names.times(3, () => names.symbol()),
    amount: names.whole(1, 1_000_000) / 100,
    active: names.real() < 0.7,
  }));
  return JSON.stringify({ total: rows, items }, undefined, 2);
}

export function search(names: Names, hits: number): string {
  return names
    .times(
      hits,
      () =>
        `${names.path()}:${names.whole(1, 600)}:  const ${names.symbol()} = ${names.symbol()}(${names.sentence(2)});`,
    )
    .join("\n");
}

export function listing(names: Names, files: number): string {
  return names.times(files, () => `-rw-r--r-- 1 dev dev ${names.whole(100, 90_000)} ${names.path()}`).join("\n");
}

export function diff(names: Names, hunks: number): string {
  return names
    .times(hunks, () => {
      const file = names.path();
      const lines = names.times(
        12,
        (index) => `${index % 4 === 1 ? "-" : index % 4 === 2 ? "+" : " "}  ${names.sentence(7)};`,
      );
      return [
        `diff --git a/${file} b/${file}`,
        `index ${names.hex(7)}..${names.hex(7)} 100644`,
        `@@ -${names.whole(1, 300)},12 +${names.whole(1, 300)},12 @@`,
        ...lines,
      ].join("\n");
    })
    .join("\n");
}
