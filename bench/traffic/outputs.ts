/** What tools print: source, test runs, builds, logs, JSON, searches, listings, diffs. */
import type { Chance } from "./chance.ts";
import { errorLine, path, sentence, symbol } from "./names.ts";

export function source(chance: Chance, lines: number): string {
  const body = chance.times(lines, (index): string => {
    switch (index % 6) {
      case 0:
        return `export function ${symbol(chance)}(${symbol(chance)}: string, limit = ${chance.whole(1, 9000)}): number {`;
      case 1:
        return `  // ${sentence(chance, chance.whole(5, 14))}.`;
      case 2:
        return `  const ${symbol(chance)} = ${symbol(chance)}(${symbol(chance)}, { retries: ${chance.whole(0, 9)} });`;
      case 3:
        return `  if (${symbol(chance)} === undefined) throw new RangeError("${sentence(chance, 5)}");`;
      case 4:
        return `  return ${symbol(chance)}.length * ${chance.whole(2, 99)};`;
      default:
        return "}";
    }
  });
  return body.map((line, index) => `${String(index + 1).padStart(5)}\t${line}`).join("\n");
}

export function testRun(chance: Chance, tests: number): string {
  const failing = chance.real() < 0.5 ? chance.whole(1, 3) : 0;
  const lines = chance.times(
    tests,
    (index) => ` ${index < failing ? "×" : "✓"} ${path(chance)} > ${sentence(chance, 6)} ${chance.whole(1, 90)}ms`,
  );
  const failures = chance.times(failing, () => [
    ` FAIL  ${path(chance)} > ${sentence(chance, 6)}`,
    errorLine(chance),
    `    at ${symbol(chance)} (${path(chance)}:${chance.whole(1, 400)}:${chance.whole(1, 80)})`,
    `    at ${symbol(chance)} (${path(chance)}:${chance.whole(1, 400)}:${chance.whole(1, 80)})`,
  ]);
  const summary = `Tests  ${failing > 0 ? `${failing} failed | ` : ""}${tests - failing} passed (${tests})`;
  return [
    ...lines,
    "",
    ...failures.flat(),
    "",
    summary,
    `Duration  ${chance.whole(1, 90)}.${chance.whole(10, 99)}s`,
  ].join("\n");
}

export function build(chance: Chance, lines: number): string {
  const steps = chance.times(lines, () => `[${chance.whole(1, 400)}/400] compile ${path(chance)}`);
  const errors = chance.times(
    chance.whole(0, 4),
    () =>
      `${path(chance)}(${chance.whole(1, 300)},${chance.whole(1, 80)}): error TS${chance.whole(1000, 7100)}: ${sentence(chance, 9)}.`,
  );
  return [...steps, ...errors].join("\n");
}

export function log(chance: Chance, lines: number): string {
  return chance
    .times(lines, (index) => {
      const time = `2026-04-${String(1 + (index % 28)).padStart(2, "0")}T10:${String(index % 60).padStart(2, "0")}:${String(chance.whole(0, 59)).padStart(2, "0")}.${chance.whole(100, 999)}Z`;
      const dice = chance.real();
      const level = dice < 0.04 ? "ERROR" : dice < 0.12 ? "WARN" : dice < 0.6 ? "INFO" : "DEBUG";
      return `${time} ${level} [${chance.pick(["api", "jobs", "db"])}] ${level === "ERROR" ? errorLine(chance) : sentence(chance, 8)} id=${chance.hex(12)} ms=${chance.whole(1, 900)}`;
    })
    .join("\n");
}

export function json(chance: Chance, rows: number): string {
  const items = chance.times(rows, (index) => ({
    id: 100_000 + index,
    key: chance.hex(16),
    name: symbol(chance),
    path: path(chance),
    tags: chance.times(3, () => symbol(chance)),
    amount: chance.whole(1, 1_000_000) / 100,
    active: chance.real() < 0.7,
  }));
  return JSON.stringify({ total: rows, items }, undefined, 2);
}

export function search(chance: Chance, hits: number): string {
  return chance
    .times(
      hits,
      () =>
        `${path(chance)}:${chance.whole(1, 600)}:  const ${symbol(chance)} = ${symbol(chance)}(${sentence(chance, 2)});`,
    )
    .join("\n");
}

export function listing(chance: Chance, files: number): string {
  return chance.times(files, () => `-rw-r--r-- 1 dev dev ${chance.whole(100, 90_000)} ${path(chance)}`).join("\n");
}

export function diff(chance: Chance, hunks: number): string {
  return chance
    .times(hunks, () => {
      const file = path(chance);
      const lines = chance.times(
        12,
        (index) => `${index % 4 === 1 ? "-" : index % 4 === 2 ? "+" : " "}  ${sentence(chance, 7)};`,
      );
      return [
        `diff --git a/${file} b/${file}`,
        `index ${chance.hex(7)}..${chance.hex(7)} 100644`,
        `@@ -${chance.whole(1, 300)},12 +${chance.whole(1, 300)},12 @@`,
        ...lines,
      ].join("\n");
    })
    .join("\n");
}
