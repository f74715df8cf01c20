/**
 * Names as a code base has them, and the plain words around them. A session comes back to the same files and symbols
 * most of the time, so they are drawn from a working set and only now and then made up.
 */
import { createChance, type Chance } from "./chance.ts";

const NOUNS =
  "order invoice session cursor payment tenant parcel token ledger batch worker schema report upload cache route".split(
    " ",
  );
const VERBS = "load parse merge resolve publish retry validate collect render lease split trim index sync".split(" ");
const FOLDERS =
  "src/billing src/http src/store src/jobs src/auth packages/core/src packages/web/src internal/queue lib/export".split(
    " ",
  );
const ENDINGS = [".ts", ".ts", ".ts", ".tsx", ".py", ".go", ".sql"];
const ERRORS = "TypeError RangeError ECONNRESET TimeoutError AssertionError UniqueViolation KeyError".split(" ");
const WORDS =
  "the a of to and in that when which because after before every only still first last new old same request response value result change check call read write test fails passes returns expects holds breaks keeps moves looks wrong right again now".split(
    " ",
  );

const FILES_AT_WORK = 60;
const SYMBOLS_AT_WORK = 250;
const NEW_NAME_SHARE = 0.1;
const NAME_IN_SENTENCE_SHARE = 0.08;

export interface Names extends Chance {
  readonly symbol: () => string;
  readonly path: () => string;
  readonly errorLine: () => string;
  /** Words and now and then a symbol, without a full stop. */
  readonly sentence: (words: number) => string;
}

export function createNames(seed: number): Names {
  const chance = createChance(seed);
  const { pick, whole, hex, times, real } = chance;
  const newSymbol = (): string => {
    const noun = pick(NOUNS);
    return `${pick(VERBS)}${noun[0]!.toUpperCase()}${noun.slice(1)}${pick(["", "", "By", "All", "Once"])}${whole(1, 9)}`;
  };
  const newPath = (): string => `${pick(FOLDERS)}/${pick(NOUNS)}-${pick(VERBS)}${whole(1, 40)}${pick(ENDINGS)}`;
  const paths = times(FILES_AT_WORK, newPath);
  const symbols = times(SYMBOLS_AT_WORK, newSymbol);
  const drawn = (known: readonly string[], make: () => string): string =>
    real() < NEW_NAME_SHARE ? make() : pick(known);
  const symbol = (): string => drawn(symbols, newSymbol);
  const sentence = (words: number): string =>
    times(words, () => (real() < NAME_IN_SENTENCE_SHARE ? symbol() : pick(WORDS))).join(" ");
  return {
    ...chance,
    symbol,
    path: () => drawn(paths, newPath),
    sentence,
    errorLine: () => `${pick(ERRORS)}: ${pick(NOUNS)} ${hex(6)} ${sentence(6)}`,
  };
}
