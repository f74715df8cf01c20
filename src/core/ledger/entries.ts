/**
 * What the ledger holds: one entry a fact, each with its own words and the place where they are. Entries are frozen
 * data; `message` is always the index of the message that the words of `text` are in.
 */
import type { CallAction } from "../digest/tool-names.ts";
import type { CommandPurpose } from "./readers/commands.ts";
import type { PlanItem } from "./readers/plans.ts";
import { holdsFigure } from "./readers/retractions.ts";

interface LedgerEntry {
  /** Index of the message that the words are in. */
  readonly message: number;
  /** Verbatim words. */
  readonly text: string;
}

export interface RequestEntry extends LedgerEntry {
  readonly kind: "request";
  /** The slash command, where the request came as one; its arguments are the text. */
  readonly command?: string;
  /** Where the assistant ended its turn after it; not set while the request is under way. */
  readonly settled?: number;
  /** The person stopped the turn before it ended. */
  readonly interrupted?: true;
}

export interface ConstraintEntry extends LedgerEntry {
  readonly kind: "constraint";
  /** How often a person said it, and where last. */
  readonly times: number;
  readonly last: number;
  /** What was said before and holds no longer, where this does not name it itself. */
  readonly replaces?: string;
}

export type FileState = "listed" | "read" | "edited" | "created" | "deleted";

export interface FileEntry extends LedgerEntry {
  readonly kind: "file";
  /** The path as the agent last named it; equal to `text`. */
  readonly path: string;
  readonly state: FileState;
  /** The tool that brought it into `state`. */
  readonly tool: string;
  readonly reads: number;
  readonly edits: number;
  /** The last message that touched it, the first that changed it, and the last. */
  readonly last: number;
  readonly firstChanged?: number;
  readonly changed?: number;
}

/** One call and how it ended; the chronicle of the work. */
export interface ActionEntry extends LedgerEntry {
  readonly kind: "action";
  readonly tool: string;
  readonly action: CallAction;
  readonly target: string;
  /** Set where an edit named no file and its result does: the target is that. */
  readonly onOpenFile?: true;
  /** What it ran for and what runs it is like, where it is a run. */
  readonly purpose?: CommandPurpose;
  readonly family?: string;
  /** `undefined` while the call has no result, or when its result does not say. */
  readonly ok?: boolean;
  /** The line of the result that says how it ended, verbatim. */
  readonly outcome?: string;
  /** Tests that passed, where it ran some. */
  readonly passed?: number;
}

export interface CommandEntry extends LedgerEntry {
  readonly kind: "command";
  readonly tool: string;
  readonly purpose: CommandPurpose;
  readonly times: number;
  readonly exit?: number;
  readonly ok?: boolean;
  /** Names of failing tests of the last run. */
  readonly failing: readonly string[];
  readonly passed?: number;
  readonly failed?: number;
  /** The line that says how it ended, verbatim. */
  readonly outcome?: string;
}

export interface ErrorEntry extends LedgerEntry {
  readonly kind: "error";
  /** What was tried: tool and target, or the command. */
  readonly source: string;
  readonly tool: string;
  /** What was run for, where it was a run. */
  readonly purpose?: CommandPurpose;
  readonly times: number;
  /** The message after which it no longer held, and why that is believed. */
  readonly resolved?: { readonly message: number; readonly by: "rerun" | "success" };
  /** A file was changed since, and the command has not been run again. */
  readonly changedSince?: number;
}

export interface InstructionEntry extends LedgerEntry {
  readonly kind: "instruction";
  /** The name of the file, without its folder. */
  readonly file: string;
}

export interface DecisionEntry extends LedgerEntry {
  readonly kind: "decision";
  /** How plainly the sentence says so. */
  readonly weight: number;
  /** The words with which a person chose it, where it was proposed. */
  readonly choice?: string;
}

/** A figure that the assistant took back: what it said of it before holds no longer. */
export interface RetractionEntry extends LedgerEntry {
  readonly kind: "retraction";
  readonly figure: string;
}

export interface PlanEntry extends LedgerEntry {
  readonly kind: "plan";
  readonly items: readonly PlanItem[];
  /** Whether a tool keeps the list or the assistant wrote it in a message. */
  readonly source: "tool" | "text";
}

export interface ValueEntry extends LedgerEntry {
  readonly kind: "value";
  readonly name: string;
  readonly value: string;
}

export interface QuestionEntry extends LedgerEntry {
  readonly kind: "question";
  readonly by: "person" | "assistant";
  /** Where the turn that took it up ended. A settled question may have no answer that code can point to. */
  readonly settled?: number;
  readonly answer?: { readonly message: number; readonly text: string };
}

/** Entries by kind, each list in the order of the conversation. */
export interface Ledger {
  readonly requests: readonly RequestEntry[];
  readonly constraints: readonly ConstraintEntry[];
  /** Sentences that laid down what a later one overruled, in their own words. */
  readonly overruled: readonly string[];
  /** Rules in the project's own instructions that the agent read; `file` is where they are. */
  readonly instructions: readonly InstructionEntry[];
  readonly files: readonly FileEntry[];
  readonly actions: readonly ActionEntry[];
  /** Each once, in the order of their newest runs. */
  readonly commands: readonly CommandEntry[];
  readonly errors: readonly ErrorEntry[];
  /** Messages whose error lines are none of `errors`, and were gone when the same was run again. */
  readonly outdatedReports: readonly number[];
  readonly decisions: readonly DecisionEntry[];
  readonly retractions: readonly RetractionEntry[];
  /** The list as last written; not set when there is none, or when what it planned is over. */
  readonly plan?: PlanEntry;
  readonly values: readonly ValueEntry[];
  readonly questions: readonly QuestionEntry[];
  /** Where commands run, as far as the transcript shows. */
  readonly cwd?: string;
  readonly branch?: string;
  /** The last message that committed, where version control is used. */
  readonly committed?: number;
}

/** After that many further requests, with changes in between, the work has moved past an error. */
const REQUESTS_MOVED_PAST = 3;

/** What is changed in files makes nothing good there. */
const ACTS_ELSEWHERE = /^(?:cd \S+ && )?(?:kubectl|helm|terraform|tofu|gcloud|aws|az|ansible\S*|ssh)\s/;

/** The messages whose every error was made good later, or is one that the work has moved past. */
export function settledErrors({
  errors,
  outdatedReports,
  requests,
}: Pick<Ledger, "errors" | "outdatedReports" | "requests">): ReadonlySet<number> {
  const movedPast = requests.at(-REQUESTS_MOVED_PAST)?.message ?? -1;
  const isStanding = ({ message, resolved, changedSince, source }: ErrorEntry): boolean =>
    resolved === undefined && !(changedSince !== undefined && message < movedPast && !ACTS_ELSEWHERE.test(source));
  const standing = new Set(errors.flatMap((error) => (isStanding(error) ? [error.message] : [])));
  const settled = errors.flatMap(({ message }) => (standing.has(message) ? [] : [message]));
  return new Set([...outdatedReports, ...settled]);
}

/** Whether what a message said of a figure was taken back after it; nothing where none was. */
export function retractedBy({
  retractions,
}: Pick<Ledger, "retractions">): ((message: number, text: string) => boolean) | undefined {
  if (retractions.length === 0) return undefined;
  return (message, text) => retractions.some((one) => message < one.message && holdsFigure(text, one.figure));
}
