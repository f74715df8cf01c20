/** How many tests passed and failed, from the summary lines of today's test runners. */

const SUMMARIES = [
  String.raw`^\W*(?:\d+ \w+, )*\d+ (?:passed|failed|errors?)\b.* in \d`, // pytest
  String.raw`^\s*Tests:?\s+(?:\d+ \w+|no tests)`, // jest, vitest
  String.raw`^test result: `, // cargo
  String.raw`^\s*(?:ℹ |# )?(?:pass|fail) \d+\s*$`, // node, tap
  String.raw`^\s*\d+ (?:passing|failing|passed|failed|pass|fail)\b(?! \w+ed)`, // mocha, playwright, bun
  String.raw`^(?:ok|FAILED) \| \d+ passed`, // deno
  String.raw`^(?:Ran \d+ tests?|FAILED \((?:failures|errors)|OK \(\d+ tests)`, // unittest, phpunit
  String.raw`^\d+ (?:examples?|tests?|runs), \d+ `, // rspec, minitest, exunit
  String.raw`^\d+ tests? completed`, // gradle
  String.raw`^(?:\[\w+\] )?Tests run: \d+, [^T]*$`, // maven (its lines for one class end in a time)
  String.raw`^Tests: \d+, Assertions`, // phpunit
  String.raw`^\s*\w+!\s+- Failed:\s+\d+, Passed:`, // dotnet
  String.raw`^\d+% tests passed, \d+ tests failed out of`, // ctest
  String.raw`^\s*Executed \d+ tests?, with `, // xctest
];
const SUMMARY = new RegExp(SUMMARIES.join("|"));
const NUMBER_BEFORE =
  /(?<!\d)(\d+) (?:tests? )?(passed|passing|pass|failed|failing|fail|failures?|errors?|examples?|tests?|runs|skipped|ignored|pending)\b/gi;
const NUMBER_AFTER = /\b(passed|pass|failed|fail|failures?|errors?|tests run|ran|tests|skipped|out of)[:= ]\s*(\d+)/gi;

export interface Tally {
  readonly passed: number | undefined;
  readonly failed: number | undefined;
  readonly total: number | undefined;
  readonly skipped: number | undefined;
}

type Count = keyof Tally;

/** The counts a summary line states, if it is one. */
export function tallyIn(line: string): Tally | undefined {
  if (!SUMMARY.test(line)) return undefined;
  const tally: { [count in Count]: number | undefined } = {
    passed: undefined,
    failed: undefined,
    total: undefined,
    skipped: undefined,
  };
  const add = (word: string, number: string): void => {
    const count = countNamed(word.toLowerCase());
    if (count !== "total" || tally.total === undefined) tally[count] = (tally[count] ?? 0) + Number(number);
  };
  if (/(?:Failed|Tests run|Tests|fail|pass):? +\d+(?:,|\s*$)|^FAILED \(/.test(line))
    for (const match of line.matchAll(NUMBER_AFTER)) add(match[1]!, match[2]!);
  else for (const match of line.matchAll(NUMBER_BEFORE)) add(match[2]!, match[1]!);
  return tally;
}

function countNamed(word: string): Count {
  if (word.startsWith("pass")) return "passed";
  if (word.startsWith("fail") || word.startsWith("error")) return "failed";
  return /^(?:skipped|ignored|pending)$/.test(word) ? "skipped" : "total";
}

/** Summaries of several runs in one output add up. */
export function sumOf(tallies: readonly Tally[]): { readonly passed?: number; readonly failed?: number } {
  const sum = (count: Count): number | undefined =>
    tallies.reduce<number | undefined>(
      (all, tally) => (tally[count] === undefined ? all : (all ?? 0) + tally[count]),
      undefined,
    );
  const total = sum("total");
  const failed = sum("failed") ?? (total === undefined && sum("passed") === undefined ? undefined : 0);
  const passed =
    sum("passed") ?? (total === undefined ? undefined : Math.max(0, total - (failed ?? 0) - (sum("skipped") ?? 0)));
  return { ...(passed === undefined ? {} : { passed }), ...(failed === undefined ? {} : { failed }) };
}
