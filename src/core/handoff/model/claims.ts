/**
 * Claims that the ledger can check: that a file was changed or was not, that a check passes or fails. Read clause by
 * clause, and only where a clause says so plainly: what is merely wanted, planned or past is no claim about now.
 */
import { familyOf } from "../../ledger/readers/commands.ts";
import type { ActionEntry, CommandEntry, FileEntry, Ledger } from "../../ledger/ledger.ts";
import { TOPICS } from "../topics/index.ts";
import type { Topic } from "../topics/topic.ts";
import { namesIn } from "./grounding.ts";

/** What of a text the ledger contradicts, in words; nothing where it does not. */
export function contradictionIn(text: string, topic: Topic, ledger: Ledger): string | undefined {
  for (const sentence of partsOf(text, SENTENCE_ENDS)) {
    const found = checkClaim(sentence, topic, ledger) ?? errorClaim(sentence, topic, ledger);
    if (found !== undefined) return found;
    for (const clause of partsOf(sentence, CLAUSE_ENDS)) {
      const wrong = fileClaim(clause, topic, ledger);
      if (wrong !== undefined) return wrong;
    }
  }
  return undefined;
}

/** "1 failed, 40 passed" is one claim; "a.ts was edited, b.ts was not" is two. */
const SENTENCE_ENDS = /[;\n。；]|[.!?](?=\s|$)|\b(?:but|while|whereas|although)\b/;
const CLAUSE_ENDS = /[，,](?=\s|$)|\s[—–-]\s|\b(?:and|then)\b/;

function partsOf(text: string, ends: RegExp): readonly string[] {
  return text.split(ends).filter((part) => part.trim() !== "");
}

const UNTOUCHED =
  /\b(?:untouched|unchanged|unmodified|unedited|un-?altered)\b|\b(?:not|never|nothing|n['’]t|no one|nobody)\b.{0,24}\b(?:touched|changed?|modified|modify|edit|edited|altered|updated)\b|\bno (?:changes?|edits?|modifications?)\b|\bleft (?:alone|as is|as it (?:is|was)|in place)\b|\bwithout (?:touching|changing|modifying|editing)\b|\bonly (?:read|viewed|inspected)\b|(?:未|没有?|没被)(?:被)?(?:修改|改动|更改|变更|编辑)|変更(?:されて|して)いない|変更なし|수정(?:되|하)지 않/iu;
/** True of a file that was changed and committed. */
const SINCE = /\bsince\b|\buncommitted\b|\bany ?more\b|\bfurther\b/i;
const CHANGED = new Set(
  "edited modified changed updated created wrote rewrote patched deleted edit write patch create delete modify".split(
    " ",
  ),
);
const WORDS_BEFORE_MAX = 3;
const NEGATED_WORDS_BEFORE_MAX = 7;
/** Said of what did not happen or has not yet. */
const NEGATION = /\b(?:not|never|no|n['’]t|to|should|will|would|could|must|can|may|might|without|before|instead)\b/i;

function fileClaim(clause: string, topic: Topic, ledger: Ledger): string | undefined {
  const untouched = UNTOUCHED.test(clause) && !SINCE.test(clause);
  if (!untouched && TOPICS[topic].model.tellsDeeds !== true) return undefined;
  for (const [name, files] of filesIn(clause, ledger)) {
    if (untouched && files.every(({ changed }) => changed !== undefined)) return `${name} was changed`;
    if (!untouched && files.every((file) => isSurelyUnchanged(file, ledger)) && claimsChange(clause, name))
      return `${name} was only read`;
  }
  return undefined;
}

/** The files that each name in a clause may mean: a bare name may mean several, one that is part of a path only that. */
function filesIn(clause: string, { files }: Ledger): readonly (readonly [name: string, files: readonly FileEntry[]])[] {
  const names = namesIn(clause);
  return names.flatMap((name) => {
    if (names.some((other) => other.endsWith(`/${name}`))) return [];
    const meant = files.filter(({ path }) => path === name || path.endsWith(`/${name}`));
    return meant.length === 0 ? [] : [[nameOf(name), meant] as const];
  });
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Commands may change what they name without the ledger's knowing. */
function isSurelyUnchanged({ path, changed, state }: FileEntry, { actions }: Ledger): boolean {
  if (changed !== undefined || (state !== "read" && state !== "listed")) return false;
  const name = nameOf(path);
  return !actions.some(({ action, purpose, text }) => action === "run" && purpose !== "show" && text.includes(name));
}

function claimsChange(clause: string, name: string): boolean {
  const before = clause.slice(0, clause.indexOf(name)).trimEnd().split(/\s+/);
  const near = before.slice(-WORDS_BEFORE_MAX - 1).map((word) => word.toLowerCase().replace(/[^a-z]/g, ""));
  return near.some((word) => CHANGED.has(word)) && !NEGATION.test(before.slice(-NEGATED_WORDS_BEFORE_MAX).join(" "));
}

const PASSES =
  /\bpass(?:es|ed|ing)?\b|\bgreen\b|\bsucceed(?:s|ed|ing)?\b|\bsuccessful(?:ly)?\b|\b(?:0|no|zero|without) (?:test )?(?:failures?|failed|failing|errors)\b|通过|成功|全绿/i;
const FAILS = /\bfail(?:s|ed|ing|ures?)?\b|\bred\b|\bbroken\b|失败|未通过/i;
const NO_FAILURE = /\b(?:0|no|zero|without) (?:test )?(?:fail|errors)/i;
const NOT_FAILS =
  /\b(?:was|were|had|previously|before|earlier|first|initially|used to|fixed|no longer|until|not)\b|n['’]t/i;
const NOT_PASSES =
  /\b(?:should|must|needs?|until|make sure|ensure|will|would|once|before|if|when|goal|wants?|expect(?:s|ed)?|so that|not|never|remains?|still|to (?:make|get|have|be|see|let|pass)|outstanding|pending|missing|required?|requires|owed|yet|awaits?|todo|unverified|unknown|earlier|previously|was|were|had|except|other)\b|n['’]t|未通过/i;
/** Words for checks, and what the commands that make them are called. */
const CHECK_WORDS: readonly (readonly [said: RegExp, family: RegExp])[] = [
  [/\b(?:tests?|test suite|suite|specs?)\b|测试|テスト|테스트/i, /test|jest|spec|tox|nox|mocha|check/i],
  [/\b(?:build|builds|compiles?|compilation)\b|构建|编译|ビルド/i, /build|make|compile|tsc|vet|gradle|mvn|cargo/i],
  [/\b(?:lint|linter|linting)\b/i, /lint|clippy|ruff|flake8|biome/i],
  [/\b(?:type ?check(?:s|ing|er)?|types)\b/i, /tsc|tsgo|mypy|pyright|type/i],
];

function checkClaim(clause: string, topic: Topic, ledger: Ledger): string | undefined {
  const [good, bad] = [PASSES.test(clause), FAILS.test(clause) && !NO_FAILURE.test(clause)];
  const passes = good && !bad && !NOT_PASSES.test(clause);
  const fails = bad && !good && TOPICS[topic].model.failsNow === true && !NOT_FAILS.test(clause);
  if (!passes && !fails) return undefined;
  const check = checkMeant(clause, ledger);
  if (check === undefined) return undefined;
  const failed = check.ok === false || (check.failed ?? 0) > 0;
  if (passes && failed && !(topic === "actions" && everPassed(check, ledger)))
    return `the last run of ${familyOf(check.text)} failed`;
  return fails && !failed && check.ok === true ? `the last run of ${familyOf(check.text)} passed` : undefined;
}

/**
 * The last check that a clause speaks of: by its whole command, by a test that it names, by the program, or by what such
 * checks are called. A test that the last run does not list as failing may well pass while others fail.
 */
function checkMeant(clause: string, { commands }: Ledger): CommandEntry | undefined {
  const checks = commands.filter(({ purpose, ok }) => purpose === "check" && ok !== undefined);
  const exact = checks.findLast(({ text }) => clause.includes(text.slice(0, COMMAND_CHARS_READ)));
  const tests = clause.match(TEST_NAME) ?? [];
  if (exact !== undefined && tests.every((test) => exact.text.includes(test))) return exact;
  if (tests.length > 0)
    return checks.findLast(({ failing }) => tests.some((test) => failing.some((name) => name.includes(test))));
  const lower = clause.toLowerCase();
  const named = exact ?? checks.findLast(({ text }) => lower.includes(familyOf(text).toLowerCase()));
  const word = CHECK_WORDS.find(([said]) => said.test(clause));
  if (named !== undefined || word === undefined) return named;
  return checks.findLast(({ text }) => word[1].test(text.slice(0, COMMAND_CHARS_READ)));
}

const COMMAND_CHARS_READ = 200;
/** Names of tests and of their files, in the ways that are common. */
const TEST_NAME = /\b(?:test_\w+|\w+_test\b|Test[A-Z]\w+|[\w-]+\.(?:test|spec)\.\w+)/g;

/** What is listed as done may tell of an earlier run. */
function everPassed({ text }: CommandEntry, { actions }: Ledger): boolean {
  const family = familyOf(text);
  return actions.some((action: ActionEntry) => action.family === family && action.ok === true);
}

const ERROR_OPENING_CHARS = 48;

/** An error that was resolved blocks nothing. */
function errorClaim(clause: string, topic: Topic, { errors }: Ledger): string | undefined {
  if (topic !== "blocked") return undefined;
  const said = errors.filter(({ text }) => clause.includes(text.slice(0, ERROR_OPENING_CHARS)));
  return said.length > 0 && said.every(({ resolved }) => resolved !== undefined)
    ? "that error was resolved"
    : undefined;
}
