/** What a command line is for, by its words: looking, checking, recording in version control, changing files. */

import type { CallSummary } from "../../digest/call.ts";

/** Programs that only show something: what they print says nothing about how the work is going. */
const SHOWS = new Set(
  "cat head tail less more grep egrep rg ag ls find fd tree wc echo printf pwd which type file stat du df env printenv date whoami sort uniq cut awk jq column diff cmp nl od xxd hexdump strings history man ps open goto scroll_down scroll_up search_dir search_file find_file sleep true cd export test [".split(
    " ",
  ),
);
const GIT_SHOWS =
  /^git\s+(?:-\S+\s+(?:\S+\s+)?)?(?:log|show|diff|status|branch(?!\s+-)|blame|grep|ls-files|ls-tree|rev-parse|reflog|remote|describe|cat-file|merge-base|rev-list|fetch|config|shortlog|for-each-ref)\b/;
const GH_SHOWS =
  /^gh\s+(?:(?:pr|issue|run|repo|release)\s+(?:list|view|diff|status|checks)|api\b(?!.*(?:-X|--method)\s*(?:POST|PUT|PATCH|DELETE)))/;
const SED_SHOWS = /^sed\s+(?:-n|-E\s+-n|-nE)\b/;
/** Runs whose output is a verdict, by the words that say what is run. */
const CHECKS =
  /\b(?:tests?|pytest|unittest|jest|vitest|mocha|tox|nox|ctest|rspec|phpunit|check|lint|clippy|eslint|oxlint|biome|tsc|tsgo|mypy|pyright|ruff|flake8|build|compile|vet|make|typecheck|type-check|verify)\b/i;
/** Programs that take such words as names of things. */
const TAKES_NAMES =
  /^(?:git|gh|mkdir|touch|cp|mv|rm|ln|sed|tee|kill|pkill|chmod|chown|tar|zip|unzip|curl|wget|ssh|scp|docker|kubectl|open|code)$/;
/** What is run is in the first words; flags, paths and quoted text say on what. */
const CHECK_WORDS_MAX = 4;
const COMMITS = /\bgit\b[^;&|\n]{0,80}\bcommit\b/;
/** `name=$(command …)`: what counts is the command. */
const ASSIGNED = /^\w+=["']?\$\(\s*/;
const SEPARATOR = /\s*(?:&&|\|\||[;\n])\s*/;
const COMMAND_CHARS_READ_MAX = 4_000;
const SEGMENTS_MAX = 40;

export type CommandPurpose = "show" | "check" | "commit" | "other";
/** What a command does to the files it names. */
export type FileEffect = "delete" | "change" | "show";

/** A call with what its command is for, worked out once. */
export interface ClassifiedCall extends CallSummary {
  readonly run?: { readonly purpose: CommandPurpose; readonly family: string; readonly effect?: FileEffect };
}

export function deedOf(call: CallSummary): ClassifiedCall {
  if (call.command === undefined) return call;
  const purpose = purposeOf(call.command);
  const effect = fileEffectOf(call.command) ?? (purpose === "show" ? "show" : undefined);
  return { ...call, run: { purpose, family: familyOf(call.command), ...(effect === undefined ? {} : { effect }) } };
}

export function changesFiles({ action, run }: ClassifiedCall): boolean {
  return action === "edit" || action === "write" || run?.effect === "change";
}

export function purposeOf(command: string): CommandPurpose {
  const segments = segmentsOf(command);
  if (segments.every(shows)) return fileEffectOf(command) === undefined ? "show" : "other";
  if (segments.some((segment) => COMMITS.test(segment))) return "commit";
  return segments.some(checks) ? "check" : "other";
}

function checks(segment: string): boolean {
  const words = segment.replace(LEADING, "").split(/\s+/, CHECK_WORDS_MAX);
  const [program = "", ...rest] = words;
  if (shows(segment) || TAKES_NAMES.test(program)) return false;
  const said = rest.filter((word) => /^[\w:-]+$/.test(word) && (!word.startsWith("-") || CHECKING_FLAG.test(word)));
  return CHECKS.test([program.slice(program.lastIndexOf("/") + 1), ...said].join(" "));
}

/** `node --test`: here the flag says what is run. */
const CHECKING_FLAG = /^--?(?:test|check|lint|verify|typecheck)$/;

/** What may be in front of a program. */
const LEADING = /^\(?\s*(?:(?:sudo|time)\s+)?(?:\w+=\S*\s+)*/;

/** Two commands of one family do the same thing to different targets: `go test ./a` and `go test ./b -run C`. */
export function familyOf(command: string): string {
  const doing = segmentsOf(command).find((segment) => !shows(segment)) ?? command;
  const words = doing
    .trim()
    .split(/\s+/)
    .filter((word) => !/^(?:\w+=\S*|sudo|time|timeout|\d+s?)$/.test(word));
  return words
    .slice(
      0,
      /^(?:npm|pnpm|yarn|bun|mise|make|just|task|poetry|uv|npx)$/.test(words[0] ?? "") && words[1] === "run" ? 3 : 2,
    )
    .join(" ");
}

const DELETING = /(?:^|[;&|\n]\s*)(?:git\s+)?rm\s/;

/** Whether a command removes or rewrites the files it names. */
export function fileEffectOf(command: string): "delete" | "change" | undefined {
  const head = withoutHereDocuments(command);
  if (DELETING.test(head)) return "delete";
  if (
    /\bsed\s+-[a-zA-Z]*i|\btee\s|(?:^|[^0-9&>-])>>?\s*[\w./~"'-]/.test(head.replace(/\d?>\s*(?:\/dev\/null|&\d)/g, " "))
  )
    return "change";
  return undefined;
}

/** Whether the part of a command that deletes names a file: `rm a.mjs; cat b.csv` leaves `b.csv` alone. */
export function deletes(command: string, path: string): boolean {
  return segmentsOf(command).some((segment) => DELETING.test(segment) && segment.includes(path));
}

const HERE_DOCUMENT = /(?<!<)<<-?[ \t]*["']?([A-Za-z_]\w*)["']?/g;

/** The command without the lines of its here-documents, which are text; what follows them is command again. */
export function withoutHereDocuments(command: string): string {
  let [shown, from] = ["", 0];
  HERE_DOCUMENT.lastIndex = 0;
  for (let found = HERE_DOCUMENT.exec(command); found !== null; found = HERE_DOCUMENT.exec(command)) {
    const body = command.indexOf("\n", found.index);
    if (body < 0) break;
    shown += command.slice(from, body);
    const end = command.indexOf(`\n${found[1]}\n`, body);
    from = end < 0 ? command.length : end + 1 + found[1]!.length;
    if (end < 0 || shown.length > COMMAND_CHARS_READ_MAX) break;
    HERE_DOCUMENT.lastIndex = from;
  }
  return (shown + command.slice(from, from + COMMAND_CHARS_READ_MAX)).slice(0, COMMAND_CHARS_READ_MAX);
}

/** The steps of a command that are run one after another. */
export function segmentsOf(command: string): readonly string[] {
  const segments = withoutHereDocuments(command)
    .split(SEPARATOR, SEGMENTS_MAX)
    .filter((segment) => segment !== "" && !segment.startsWith("#"));
  return segments.length === 0 ? [command] : segments;
}

export function shows(given: string): boolean {
  const segment = given.replace(ASSIGNED, "");
  const program = /^\(?\s*(?:sudo\s+)?(?:\w+=\S*\s+)*([^\s]+)/.exec(segment)?.[1] ?? "";
  return SHOWS.has(program) || GIT_SHOWS.test(segment) || GH_SHOWS.test(segment) || SED_SHOWS.test(segment);
}
