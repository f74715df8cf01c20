/** A test run: exit status, counts, every failing test with its first error line, and how the run summed itself up. */
import { errorKey, isErrorLine } from "../error-line.ts";
import { outcomeOf } from "../outcome.ts";
import { judged, linesWith, type Page } from "../page.ts";
import { sharedFolder, plural, range, type DigestContent, type DigestContentRequest } from "../short.ts";
import { tallyIn, failureIn } from "../test-reports.ts";
import { exitFact } from "./build.ts";

const FAILURE_MARK = /FAIL|ERROR|[Ff]ailed|not ok|\(fail\)|[✗✘✖×✕❌●]|rspec|\d\) /g;
const SUMMARY_MARK = /pass|fail|Fail|FAIL|Tests|tests|Ran |ok |OK/g;
const MARKED_LINES_MAX = 4_000;
/** Where the reason of a failure is, seen from the line that names the test. */
const REASON_LINES_AFTER = 14;
const REASON_LINES_BEFORE = 25;
const REASON =
  /^\s+\S+_test\.go:\d+: |^E\s{2,}\S|^\s*(?:Expected|Received|expected|actual|left|right)\b.*:|panicked at|assert|\bwant\b/i;
/** A test may log lines that look like its failures; these words tell them apart. */
const STRONG_REASON = /\b(?:want|wanted|expected|unexpected|should|must|got|failed|cannot|error)\b|!=|Error/i;
const TAIL_LINES = 3;
/** More failing tests than this are named in one line. */
const NAMED_LINES_MAX = 10;

export function shortTestRun(page: Page, { focus }: DigestContentRequest): DigestContent {
  const outcome = outcomeOf(page.text);
  const failures = failureLines(page, new Set(outcome.failing));
  const reasons = distinctReasons(page, failures);
  const errors = outcome.errors.map(({ line }) => line - 1);
  const must = [...summaryLines(page), ...(failures.length > NAMED_LINES_MAX ? [] : failures), ...reasons.keys()];
  const last = page.end;
  return {
    facts: [exitFact(outcome.exit), countsFact(outcome.passed, outcome.failed), packagesFact(page)],
    lines: [...must, ...errors.slice(0, 10), ...focus.slice(0, 4), ...range(last - TAIL_LINES, last)],
    must: must.length,
    marks: new Map([...reasons].filter(([, count]) => count > 1).map(([number, count]) => [number, ` [×${count}]`])),
    ...(failures.length > NAMED_LINES_MAX
      ? { notes: [`(failing: ${joinNames(outcome.failing)})`], mustNotes: true }
      : {}),
  };
}

/** Many names take less room in one line, what they share said once. */
function joinNames(names: readonly string[]): string {
  const shared = sharedFolder(names.map((name) => name.replaceAll("::", "/")));
  return `${shared === "" ? "" : `in ${names[0]!.slice(0, shared.length)} `}${names.map((name) => name.slice(shared.length)).join(", ")}`;
}

/** One reason a failing test, each said once, with how many tests it is the reason of. */
function distinctReasons(page: Page, failures: readonly number[]): ReadonlyMap<number, number> {
  const first = new Map<string, number>();
  const counts = new Map<number, number>();
  const all = failures.map((number) => findReason(page, number, failures));
  for (const number of [...all.flatMap((reason) => reason.slice(0, 1)), ...all.flatMap((reason) => reason.slice(1))]) {
    const key = errorKey(judged(page, number));
    const known = first.get(key) ?? number;
    first.set(key, known);
    counts.set(known, (counts.get(known) ?? 0) + 1);
  }
  return counts;
}

function countsFact(passed: number | undefined, failed: number | undefined): string {
  if (failed === undefined && passed === undefined) return "";
  return failed === undefined || failed === 0
    ? `${passed ?? 0} passed`
    : `${failed} failed${passed === undefined ? "" : `, ${passed} passed`}`;
}

/** go test names packages, not tests, unless it is asked to. */
function packagesFact(page: Page): string {
  const passed = linesWith(page, /^ok {2}?\s/gm, MARKED_LINES_MAX).length;
  const failed = linesWith(page, /^FAIL\t/gm, MARKED_LINES_MAX).length;
  if (passed + failed === 0) return "";
  return failed === 0 ? `${plural(passed, "package")} ok` : `${plural(failed, "package")} failed, ${passed} ok`;
}

/** The first line that names each failing test, in order. */
function failureLines(page: Page, failing: ReadonlySet<string>): number[] {
  const first = new Map<string, number>();
  for (const number of linesWith(page, FAILURE_MARK, MARKED_LINES_MAX)) {
    const failure = failureIn(judged(page, number));
    if (failure === undefined || !failing.has(failure.name)) continue;
    // The line that also says why (pytest's short summary) is worth more than the first one.
    if (!first.has(failure.name) || saysWhy(judged(page, number))) first.set(failure.name, number);
  }
  return [...first.values()];
}

/** The lines that say why a test failed: behind its name, or (go test -v) in front of it. */
function findReason(page: Page, at: number, failures: readonly number[]): readonly number[] {
  const line = judged(page, at);
  if (saysWhy(line)) return [];
  const says = (number: number): boolean => isReason(judged(page, number));
  const after = range(
    at + 1,
    Math.min(at + REASON_LINES_AFTER, page.lines.length, failures.find((other) => other > at) ?? Infinity),
  ).filter(says);
  if (after.length > 0) return after.slice(0, 2);
  const before = range(at - REASON_LINES_BEFORE, at).filter((number) => says(number) && !failures.includes(number));
  return before
    .filter((number) => STRONG_REASON.test(judged(page, number)))
    .slice(-1)
    .concat(before.slice(-1))
    .slice(0, 1);
}

function saysWhy(line: string): boolean {
  const dash = line.indexOf(" - ");
  return dash >= 0 && /Error|assert|Exception/.test(line.slice(dash));
}

function isReason(line: string): boolean {
  return isErrorLine(line) || REASON.test(line);
}

function summaryLines(page: Page): number[] {
  return linesWith(page, SUMMARY_MARK, MARKED_LINES_MAX)
    .filter((number) => tallyIn(judged(page, number)) !== undefined)
    .slice(-4);
}
