/** The log that a command ends in, as after a commit. It lists the newest commit first, so its other lines are no outcome. */
import { segmentsOf } from "./commands.ts";

const LOG = /^(?:git\s+(?:-\S+\s+(?:\S+\s+)?)?)(?:log|reflog)\b(?!.*(?:\s--reverse\b|\|\s*(?!head\b|cat\b)\w))/;
const MAKES =
  /^(?:git\s+(?:-\S+\s+(?:\S+\s+)?)?)(?:commit|revert|merge|cherry-pick|rebase|am|pull)\b(?!.*\s--(?:abort|no-commit)\b)/;
/** `bce96d1 Release it`, or `commit bce96d1…` with the subject further down; a graph may be drawn in front. */
const LISTED = /^(?:[|\\/ ]*\* [|\\/ ]*)?(?:commit [0-9a-f]{7,40}\b|[0-9a-f]{7,40} \S).*$/m;
const FULL = /^[*|\\/ ]*commit [0-9a-f]/;
const FULL_SUBJECT = /\n[*|\\/ ]* {4}(\S[^\n]*)/;
const OWN_FORM = /\s--(?:format|pretty)\b/;
const FULL_CHARS_MAX = 1_000;
/** The first line of a message given with `-m`, plain or as a here-document. */
const SUBJECT = /\s-[a-z]*m\s+(?:"\$\(cat <<-?\s*['"]?\w+['"]?\s*\n\s*([^\n]+)|"([^"\n]+)|'([^'\n]+))/;
const COMMAND_CHARS_READ_MAX = 2_000;

/** What a command that commits gives as the subject. */
export function commitSubject(command: string): string | undefined {
  const subject = SUBJECT.exec(command.slice(0, COMMAND_CHARS_READ_MAX));
  return subject?.[1] ?? subject?.[2] ?? subject?.[3];
}

export interface CommitLog {
  /** The newest commit that it lists. */
  readonly newest: string;
  /** Whether the command made a commit before. */
  readonly made: boolean;
  /** What the command calls that commit, where it says so. */
  readonly subject: string | undefined;
  /** What was printed before it. */
  readonly before: string;
}

export function commitLogIn(command: string, text: string): CommitLog | undefined {
  if (!command.includes("git ")) return undefined;
  const steps = segmentsOf(command);
  const log = steps.findLastIndex((step) => LOG.test(step));
  const making = steps.slice(0, Math.max(0, log)).findLast((step) => MAKES.test(step));
  if (log < 0 || (making === undefined && log < steps.length - 1)) return undefined;
  const subject = making === undefined ? undefined : commitSubject(command.slice(command.lastIndexOf(making)));
  const first = LISTED.exec(text);
  const end = { made: making !== undefined, subject, before: text.slice(0, first?.index ?? 0) };
  // Where the log was shown before the commit as well, its first line is an older one; in a form of its own, any may be.
  if (first === null || steps.findIndex((step) => LOG.test(step)) < log) {
    const newest =
      subjectLine(subject, text) ?? (OWN_FORM.test(steps[log]!) ? /^\s*(\S.*)/.exec(text)?.[1] : undefined);
    return newest === undefined ? undefined : { ...end, newest };
  }
  const whole = FULL.test(first[0]) ? FULL_SUBJECT.exec(text.slice(first.index, first.index + FULL_CHARS_MAX)) : null;
  return { ...end, newest: whole === null ? first[0] : `${first[0]} ${whole[1]}` };
}

/** The first line that ends with the subject, or else holds it. */
function subjectLine(subject: string | undefined, text: string): string | undefined {
  if (subject === undefined) return undefined;
  const lines = text.split("\n");
  return lines.find((line) => line.trimEnd().endsWith(subject)) ?? lines.find((line) => line.includes(subject));
}
