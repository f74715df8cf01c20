/** What the reporters of today's test runners print: the names of failing tests, one line at a time, and how many tests passed and failed. */

/** Each pattern captures a test's name; the comment says whose output it reads. */
const LED_BY_VERDICT = new RegExp(
  [
    String.raw`^(?:FAILED|ERROR) (\S*(?:::|\.py).*)`, // pytest, short summary
    String.raw`^\s*--- FAIL: (\S+)`, // go test
    String.raw`^FAIL\s+(\S+)\s+\[(?:build|setup) failed\]`, // go test, package
    String.raw`^\s*● (?!Console|Test suite failed)(\S.*)`, // jest
    String.raw`^\s*FAIL\s+(?=\S)(?=.* > )(\S.*)`, // vitest
    String.raw`^\s*not ok \d+ (?:- )?(\S.*)`, // TAP
    String.raw`^(?:FAIL|ERROR): (\w+ \(.*\))`, // unittest
    String.raw`^\s+Failed (\S.*) \[`, // dotnet
    String.raw`^\s*\d+ - (\S+) \((?:Failed|Timeout|SEGFAULT|Not Run)`, // ctest
    String.raw`^\(fail\) (\S.*)`, // bun
    String.raw`^rspec (\.\/\S+:\d+)`, // rspec
    String.raw`^Test Case '(.+)' failed`, // xctest
    String.raw`^\d+\) (\S+(?:::|#)\S+)`, // phpunit, minitest
    String.raw`^\s+\d+\) (?=.* › )(\[.*)`, // playwright
  ].join("|"),
);
const ENDED_BY_VERDICT = new RegExp(
  [
    String.raw`^([^\s:]+::.*) (?:FAILED|ERROR)\b`, // pytest -v
    String.raw`^(?:test )?(\S.*) \.\.\. FAILED`, // cargo, deno
    String.raw`^(?=.* > )(\S.*) FAILED$`, // gradle
  ].join("|"),
);
/** A cross before a name is a test's only where the output is a test run's (node, jest, vitest, mocha, tap). */
const CROSSED = /^\s*[✗✘✖×✕❌] (\S.*)/u;
const NUMBERED = /^\s+\d+\) (\S.*)/;
/** jest and vitest name the file that failed; it counts where no test in it is named. */
const FAILED_FILE = /^\s*FAIL\s+(\S+\.[cm]?[jt]sx?)\b/;
const TRAILING_DURATION = /(?<!\s)\s*[([]?(?<!\d)\d+(?:\.\d+)?\s?m?s[)\]]?\s*$/;
const NAME_STEPS_MAX = 12;
const NOT_A_TEST = /^\d+ problems?\b|^(?:failing tests|Failed Tests|Failed Suites)\b|# (?:TODO|SKIP)/i;

export type NamedFailure = { readonly name: string; readonly certainty: "reported" | "crossed" | "numbered" | "file" };

export function failureIn(line: string): NamedFailure | undefined {
  const reported =
    LED_BY_VERDICT.exec(line) ?? (line.includes(" FAILED") || line.includes("::") ? ENDED_BY_VERDICT.exec(line) : null);
  if (reported !== null)
    return named(
      reported.slice(1).find((name) => name !== undefined),
      "reported",
    );
  const crossed = CROSSED.exec(line);
  if (crossed !== null) return named(crossed[1], "crossed");
  const numbered = NUMBERED.exec(line);
  if (numbered !== null) return named(numbered[1], "numbered");
  return named(FAILED_FILE.exec(line)?.[1], "file");
}

function named(text: string | undefined, certainty: NamedFailure["certainty"]): NamedFailure | undefined {
  if (text === undefined || NOT_A_TEST.test(text)) return undefined;
  const reason = text.indexOf(" - ");
  const name = (reason > 0 && /::|\.py\b/.test(text) ? text.slice(0, reason) : text)
    .replace(TRAILING_DURATION, "")
    .trim();
  return name === "" ? undefined : { name, certainty };
}

/**
 * The failures worth reporting: crosses and numbers only if the output is a test run's, files only if no test is
 * named, and the short name of a test only if its full name (`suite > test`) is not there too.
 */
export function distinctFailures(found: readonly NamedFailure[], isTestRun: boolean): readonly string[] {
  const tests = found.filter(({ certainty }) => certainty === "reported" || (isTestRun && certainty !== "file"));
  const names = new Set(
    (tests.length > 0 ? tests : found.filter(({ certainty }) => isTestRun && certainty === "file")).map(
      ({ name }) => name,
    ),
  );
  const tails = new Set([...names].flatMap(splitTails));
  return [...names].filter((name) => !tails.has(name));
}

/** `file > suite > test` ends in `suite > test` and in `test`. */
function splitTails(name: string): string[] {
  const steps = name.split(/ [>›] /, NAME_STEPS_MAX);
  const tails: string[] = [];
  for (let at = 0, step = 0; step < steps.length - 1; step++) tails.push(name.slice((at += steps[step]!.length + 3)));
  return tails;
}

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
