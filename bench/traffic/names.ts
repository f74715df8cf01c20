/** Names as a code base has them: folders, files, symbols, errors, and the plain words around them. */
import type { Chance } from "./chance.ts";

const NOUNS = [
  "order",
  "invoice",
  "session",
  "cursor",
  "payment",
  "tenant",
  "parcel",
  "token",
  "ledger",
  "batch",
  "worker",
  "schema",
  "report",
  "upload",
  "cache",
  "route",
] as const;
const VERBS = [
  "load",
  "parse",
  "merge",
  "resolve",
  "publish",
  "retry",
  "validate",
  "collect",
  "render",
  "lease",
  "split",
  "trim",
  "index",
  "sync",
] as const;
const FOLDERS = [
  "src/billing",
  "src/http",
  "src/store",
  "src/jobs",
  "src/auth",
  "packages/core/src",
  "packages/web/src",
  "internal/queue",
  "lib/export",
] as const;
const ENDINGS = [".ts", ".ts", ".ts", ".tsx", ".py", ".go", ".sql"] as const;
const ERRORS = [
  "TypeError",
  "RangeError",
  "ECONNRESET",
  "TimeoutError",
  "AssertionError",
  "UniqueViolation",
  "KeyError",
] as const;
const WORDS =
  "the a of to and in that when which because after before every only still first last new old same request response value result change check call read write test fails passes returns expects holds breaks keeps moves looks wrong right again now".split(
    " ",
  );

export function symbol(chance: Chance): string {
  const noun = chance.pick(NOUNS);
  return `${chance.pick(VERBS)}${noun[0]!.toUpperCase()}${noun.slice(1)}`;
}

export function path(chance: Chance): string {
  return `${chance.pick(FOLDERS)}/${chance.pick(NOUNS)}-${chance.pick(VERBS)}${chance.whole(1, 40)}${chance.pick(ENDINGS)}`;
}

export function errorLine(chance: Chance): string {
  return `${chance.pick(ERRORS)}: ${chance.pick(NOUNS)} ${chance.hex(6)} ${sentence(chance, 6)}`;
}

/** Words and now and then a name, without a full stop. */
export function sentence(chance: Chance, words: number): string {
  return chance.times(words, () => (chance.real() < 0.08 ? symbol(chance) : chance.pick(WORDS))).join(" ");
}
