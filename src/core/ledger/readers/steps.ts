/** The steps of a command by what they do, so that the same done again is known in other words. */
import { segmentsOf, shows } from "./commands.ts";

/** How long, how loudly, and where to: what is done is the same. */
const MANNER =
  /^--?(?:timeout|out|v+|verbose|q|quiet|silent|f|force|no-color|colou?r|y|yes|auto-approve|no-verify|wait|retries|progress|u|set-upstream|x)(?:=.*)?$/;
const FOLDER = /^cd\s+(\S+)$/;
/** Which branch is pushed and what is committed is another each time. */
const REPEATED = /^git\s+(?:push|commit)\b/;
const OTHERWISE = /\s--(?:dry-run|help|delete|tags|amend)\b/;
const PIPE = /\s*\||\s\d?>/;

/** What a command does, step by step, each with its folder; nothing of what only looks. */
function stepsOf(command: string): readonly string[] {
  let folder = "";
  return segmentsOf(command).flatMap((segment) => {
    const step = segment.trim();
    const into = FOLDER.exec(step)?.[1];
    if (into !== undefined) folder = into.replace(/\/+$/, "");
    return into !== undefined || shows(step) ? [] : [`${folder}$ ${withoutManner(step)}`];
  });
}

function withoutManner(step: string): string {
  const repeated = OTHERWISE.test(step) ? undefined : REPEATED.exec(step)?.[0];
  if (repeated !== undefined) return repeated.replace(/\s+/g, " ");
  const words = step.split(PIPE, 1)[0]!.split(/\s+/);
  return words.filter((word) => !MANNER.test(word)).join(" ");
}

const PUSH_FAILED = /^remote: |\[(?:remote )?rejected\]|\bfailed to push\b/;

/** The steps that have to work before that error of the command is gone; none where its words do not say what it did. */
export function stepsToRepeat(command: string, error: string): readonly string[] {
  const steps = stepsOf(command);
  if (steps.some((step) => step.includes("<<"))) return [];
  const push = PUSH_FAILED.test(error) ? steps.findLast((step) => step.endsWith("$ git push")) : undefined;
  return push === undefined ? steps : [push];
}

/** Whether a command takes all of some steps; read from it where there are any to compare. */
export function takesSteps(command: string | undefined): (steps: readonly string[]) => boolean {
  let own: readonly string[] | undefined;
  return (steps) => {
    if (command === undefined || steps.length === 0) return false;
    own ??= stepsOf(command);
    return steps.every((step) => own!.includes(step));
  };
}
