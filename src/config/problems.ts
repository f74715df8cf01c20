/** Problems in a configuration, described so that a person can fix them: the place, the value, what is allowed, the fix. */
import { PrecisError } from "../core/errors.ts";

export interface Problem {
  /** Stable: `unknown_setting`, `unknown_option`, `bad_value`, `bad_yaml`, `conflict`, `two_files`, `unreadable`, `needs_trust`. */
  readonly code:
    | "unknown_setting"
    | "unknown_option"
    | "bad_value"
    | "bad_yaml"
    | "conflict"
    | "two_files"
    | "unreadable"
    | "needs_trust";
  readonly place: string;
  readonly message: string;
  readonly fix: string;
}

/** All problems as one error, each on lines of its own. */
export function configurationError(problems: readonly Problem[]): PrecisError {
  const [first] = problems;
  const one = problems.length === 1;
  const message = one
    ? onOneLine(first!.message)
    : `${problems.length} problems in the configuration\n${problems.map(listed).join("\n")}`;
  return new PrecisError(message, {
    code: "bad_configuration",
    place: first!.place,
    hint: one ? first!.fix : "Fix each as described, then run `precis config check`.",
  });
}

function listed({ place, message, fix }: Problem): string {
  return `  ${place}  ${onOneLine(message)}\n    ${fix}`;
}

/** What a file says in its keys begins no line of ours. */
function onOneLine(message: string): string {
  return message.replaceAll("\n", "\\n");
}

/** The candidate that a mistyped name most likely means, if one is near; case and separators do not count. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  const wanted = bare(name);
  let best: string | undefined;
  let least = Math.floor(wanted.length / 3) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, bare(candidate));
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

function bare(name: string): string {
  return name
    .slice(0, NAME_CHARS_MAX)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, "");
}

/** Names longer than this are compared by their beginning: the distance below is quadratic. */
const NAME_CHARS_MAX = 60;

/** Insertions, deletions, substitutions and swaps of neighbours that turn one word into the other. */
function editDistance(one: string, other: string): number {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1] ? 0 : 1;
      let cost = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + same);
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1])
        cost = Math.min(cost, before[j - 2]! + 1);
      next.push(cost);
    }
    [before, row] = [row, next];
  }
  return row[other.length]!;
}
