/**
 * Claims that the ledger can check: that a file was changed or was not, that a check passes or fails. Read clause by
 * clause, and only where a clause says so plainly: what is merely wanted, planned or past is no claim about now.
 */
import { familyOf } from "../../evidence/facts/commands.ts";
import type { ActionEntry, CommandEntry, FileEntry, Ledger } from "../../evidence/ledger.ts";
import type { Topic } from "../sections.ts";
import { namesIn } from "./grounds.ts";

/** What of a text the ledger contradicts, in words; nothing where it does not. */
export function contradictionIn(text: string, topic: Topic, ledger: Ledger): string | undefined {
  for (const clause of clausesOf(text)) {
    const found =
      fileClaim(clause, topic, ledger) ?? checkClaim(clause, topic, ledger) ?? errorClaim(clause, topic, ledger);
    if (found !== undefined) return found;
  }
  return undefined;
}

const CLAUSE_ENDS = /[;\n。；，]|[.!?,](?=\s|$)|\s[—–-]\s|\b(?:and|but|while|whereas|although|then)\b/;

function clausesOf(text: string): readonly string[] {
  return text.split(CLAUSE_ENDS).filter((clause) => clause.trim() !== "");
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
const TELLS_DEEDS: readonly Topic[] = ["actions", "state", "progress"];

function fileClaim(clause: string, topic: Topic, ledger: Ledger): string | undefined {
  const untouched = UNTOUCHED.test(clause) && !SINCE.test(clause);
  if (!untouched && !TELLS_DEEDS.includes(topic)) return undefined;
  for (const [name, files] of filesIn(clause, ledger)) {
    if (untouched && files.every(({ changed }) => changed !== undefined)) return `${name} was changed`;
    if (!untouched && files.every((file) => isSurelyUnchanged(file, ledger)) && claimsChange(clause, name))
      return `${name} was only looked at`;
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
const NOT_FAILS =
  /\b(?:0|no|zero|without) (?:test )?(?:fail|errors)|\b(?:was|were|had|previously|before|earlier|first|initially|used to|fixed|no longer|until|not)\b|n['’]t/i;
const NOT_PASSES =
  /\b(?:should|must|needs?|until|make sure|ensure|will|would|once|before|if|when|goal|wants?|expect(?:s|ed)?|so that|not|never|remains?|still|to (?:make|get|have|be|see|let|pass)|earlier|previously|was|were|had|except|other)\b|n['’]t|未通过/i;
const FAILS_NOW: readonly Topic[] = ["state", "blocked", "progress", "remaining"];
/** Words for checks, and what the commands that make them are called. */
const CHECK_WORDS: readonly (readonly [said: RegExp, family: RegExp])[] = [
  [/\b(?:tests?|test suite|suite|specs?)\b|测试|テスト|테스트/i, /test|jest|spec|tox|nox|mocha|check/i],
  [/\b(?:build|builds|compiles?|compilation)\b|构建|编译|ビルド/i, /build|make|compile|tsc|vet|gradle|mvn|cargo/i],
  [/\b(?:lint|linter|linting)\b/i, /lint|clippy|ruff|flake8|biome/i],
  [/\b(?:type ?check(?:s|ing|er)?|types)\b/i, /tsc|tsgo|mypy|pyright|type/i],
];

function checkClaim(clause: string, topic: Topic, ledger: Ledger): string | undefined {
  const passes = PASSES.test(clause) && !NOT_PASSES.test(clause) && !saysFailures(clause);
  const fails = !passes && FAILS_NOW.includes(topic) && FAILS.test(clause) && !NOT_FAILS.test(clause);
  if (!passes && !fails) return undefined;
  const check = checkMeant(clause, ledger);
  if (check === undefined) return undefined;
  const failed = check.ok === false || (check.failed ?? 0) > 0;
  if (passes && failed && !(topic === "actions" && everPassed(check, ledger)))
    return `the last run of ${familyOf(check.text)} failed`;
  return fails && !failed && check.ok === true ? `the last run of ${familyOf(check.text)} passed` : undefined;
}

/** "3 failed, 47 passed" is no claim that all is well. */
function saysFailures(clause: string): boolean {
  return (
    /\b[1-9]\d*(?:\/\d+)? (?:tests? )?(?:fail|errors?)/i.test(clause) ||
    (FAILS.test(clause) && !/\b(?:0|no|zero|without) (?:test )?fail/i.test(clause))
  );
}

/** The last check that a clause speaks of: by its command, by one of its failing tests, or by what such checks are called. */
function checkMeant(clause: string, { commands }: Ledger): CommandEntry | undefined {
  const checks = commands.filter(({ purpose, ok }) => purpose === "check" && ok !== undefined);
  const lower = clause.toLowerCase();
  const named = checks.findLast(
    ({ text, failing }) =>
      lower.includes(familyOf(text).toLowerCase()) || failing.some((name) => clause.includes(lastName(name))),
  );
  if (named !== undefined) return named;
  const word = CHECK_WORDS.find(([said]) => said.test(clause));
  return word === undefined
    ? undefined
    : checks.findLast(({ text }) => word[1].test(text.slice(0, COMMAND_CHARS_READ)));
}

const COMMAND_CHARS_READ = 200;

function lastName(name: string): string {
  return name.slice(Math.max(name.lastIndexOf("::") + 2, name.lastIndexOf("> ") + 2, 0)) || name;
}

/** What is listed as done may tell of an earlier run. */
function everPassed({ text }: CommandEntry, { actions }: Ledger): boolean {
  const family = familyOf(text);
  return actions.some((action: ActionEntry) => action.family === family && action.ok === true);
}

const ERROR_OPENING_CHARS = 48;

/** An error that no longer stands blocks nothing. */
function errorClaim(clause: string, topic: Topic, { errors }: Ledger): string | undefined {
  if (topic !== "blocked") return undefined;
  const said = errors.filter(({ text }) => clause.includes(text.slice(0, ERROR_OPENING_CHARS)));
  return said.length > 0 && said.every(({ resolved }) => resolved !== undefined)
    ? "that error no longer stands"
    : undefined;
}
