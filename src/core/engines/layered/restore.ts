/**
 * What is put back behind a summary, so that the agent need not fetch it again (IA al Día 2026): project
 * instructions, skills, the files edited last, and which tools it worked with. One message, and none of it a request.
 */
import type { Events } from "../../events/events.ts";
import { pairingOf } from "../../transcript/pairing.ts";
import { CUT_MARK } from "../../handoff/items.ts";
import type { Measure } from "../../transcript/measure.ts";
import { callsOf, contentText, textMessage, type Message } from "../../transcript/message.ts";
import { stillHolds } from "./file-changes.ts";
import { copyBehind, isCurrent, type FileCopy } from "./file-copies.ts";
import { isInstructionFile } from "../../events/instructions.ts";
import { instructionsIn, LEAD_IN, skillIn } from "./standing-orders.ts";

/** Less of a text tells nothing. */
const PIECE_TOKENS_MIN = 40;
const TOOLS_NAMED_MAX = 20;

/** Something to put back; `text` is not redacted yet. */
export interface RestoredText {
  readonly title: string;
  readonly text: string;
  /** The newest message that holds it; -1 where it was read again. */
  readonly message: number;
}

/** What the conversation holds that may be put back, each as it was last. */
export interface Held {
  readonly instructions: ReadonlyMap<string, RestoredText>;
  readonly skills: ReadonlyMap<string, RestoredText>;
  /** By path, as they were last read or written. */
  readonly files: ReadonlyMap<string, FileCopy>;
}

export function heldIn(messages: readonly Message[]): Held {
  const { answers } = pairingOf(messages);
  const instructions = new Map<string, RestoredText>();
  const skills = new Map<string, RestoredText>();
  const files = new Map<string, FileCopy>();
  messages.forEach((message, at) => {
    for (const { title, text } of instructionsIn(message)) instructions.set(title, { title, text, message: at });
    const call = answers[at]?.call;
    const skill = skillIn(message, call);
    if (skill !== undefined) skills.set(skill.title, { ...skill, message: at });
    const copy = answers[at] === undefined ? undefined : copyBehind(answers[at], contentText(message.parts), files);
    if (copy === undefined) return;
    const { path, ...file } = copy;
    if (isInstructionFile(path) && file.written === undefined)
      instructions.set(path, { title: `${path}, as it was last read`, text: file.text, message: at });
    else files.set(path, { ...file, message: at });
  });
  return { instructions, skills, files };
}

export interface Choice {
  readonly most: number;
  /** What messages from here on hold need not be put back. */
  readonly tailStart: number;
}

/** The paths that are worth reading again: those edited last come first, then those read last. */
export function recentFiles({ files }: Events, held: Held, { most, tailStart }: Choice): readonly string[] {
  const candidates = files.filter(({ state, path, changed }) => {
    const copy = held.files.get(path);
    const inTail = copy !== undefined && copy.message >= tailStart && isCurrent(copy, changed);
    return state !== "deleted" && !isInstructionFile(path) && !inTail;
  });
  const ordered = candidates.toSorted((a, b) => (b.changed ?? -1) - (a.changed ?? -1) || b.last - a.last);
  return ordered.slice(0, most).map(({ path }) => path);
}

export interface Files {
  readonly paths: readonly string[];
  /** What they hold now, by path, where a reader was handed in. */
  readonly fresh: ReadonlyMap<string, string>;
}

/** What may be put back, in the order in which it is. */
export function restorableIn(held: Held, events: Events, { paths, fresh }: Files): readonly RestoredText[] {
  const changes = new Map(events.files.map(({ path, changed }) => [path, changed]));
  const files = paths.flatMap((path) =>
    fileAt(path, { copy: held.files.get(path), changed: changes.get(path), now: fresh.get(path) }),
  );
  return [...newestFirst(held.instructions), ...newestFirst(held.skills), ...files];
}

function newestFirst(pieces: ReadonlyMap<string, RestoredText>): readonly RestoredText[] {
  return [...pieces.values()].toSorted((a, b) => b.message - a.message);
}

interface KnownFile {
  readonly copy: FileCopy | undefined;
  /** The message that changed it last. */
  readonly changed: number | undefined;
  readonly now: string | undefined;
}

/** As it is now where that is known, and marked where an older copy says something else; else as it was last read or written, unless it has changed since: a stale copy misleads. */
function fileAt(path: string, { copy, changed, now }: KnownFile): readonly RestoredText[] {
  const current = copy !== undefined && isCurrent(copy, changed);
  const message = copy?.message ?? -1;
  if (now === undefined)
    return current
      ? [
          {
            title: `${path}, as it was last ${copy.written === undefined ? "read" : "written"}`,
            text: copy.text,
            message,
          },
        ]
      : [];
  if (copy === undefined) return [{ title: `${path}, read again just now`, text: now, message: -1 }];
  if (current && stillHolds(now, copy.text)) return [{ title: `${path}, read again just now`, text: now, message }];
  return [{ title: `${path}, read again just now: changed since it was last read`, text: now, message: -1 }];
}

export interface RestoreRequest {
  /** Messages from here on are in the result: what they hold is not put back. */
  readonly tailStart: number;
  readonly roomTokens: number;
  /** Of each piece, at most. */
  readonly pieceTokens: number;
  readonly measure: Measure;
  readonly redact: (text: string) => string;
  readonly declaresTools: boolean;
}

const OPENING = "<system-reminder>";
const CLOSING = "</system-reminder>";
/** The message that puts back as much as there is room for; nothing where there is none. */
export function restored(
  messages: readonly Message[],
  pieces: readonly RestoredText[],
  restoring: RestoreRequest,
): readonly Message[] {
  const { tailStart, roomTokens, pieceTokens, measure, redact } = restoring;
  const said = [OPENING, LEAD_IN, ...toolLines(messages, restoring)];
  let left = roomTokens - measure.text([...said, CLOSING].join("\n"));
  if (left < 0) return [];
  for (const { title, text, message } of pieces) {
    if (message >= tailStart) continue;
    const heading = `\n## ${redact(title)}\n`;
    const room = Math.min(pieceTokens, left - measure.text(heading));
    if (room < PIECE_TOKENS_MIN) continue;
    const kept = withinTokens(redact(text).replaceAll(CLOSING, CLOSING.slice(0, -1)), room, measure);
    said.push(heading + kept);
    left -= measure.text(heading + kept);
  }
  return [textMessage("user", [...said, CLOSING].join("\n"), "note")];
}

/** Calls by tool, the most used first; their definitions are not said again where they are in the request. */
function toolLines(messages: readonly Message[], { declaresTools }: RestoreRequest): readonly string[] {
  const counts = new Map<string, number>();
  for (const { name } of messages.flatMap(callsOf)) counts.set(name, (counts.get(name) ?? 0) + 1);
  if (counts.size === 0) return [];
  const ordered = [...counts].toSorted(([, a], [, b]) => b - a).slice(0, TOOLS_NAMED_MAX);
  const used = ordered.map(([name, count]) => `${name} ×${count}`).join(", ");
  return [`Tools used so far: ${used}.${declaresTools ? " They are declared as before." : ""}`];
}

/** Cut after a line, and visibly. */
function withinTokens(text: string, tokens: number, measure: Measure): string {
  let kept = text;
  for (let weight = measure.text(kept); weight > tokens; weight = measure.text(kept)) {
    const chars = Math.floor((kept.length * (tokens - CUT_TOKENS)) / weight);
    const line = kept.lastIndexOf("\n", chars);
    kept = `${kept.slice(0, line > chars / 2 ? line : chars)}${CUT_MARK}`;
  }
  return kept;
}

/** What the mark and the roughness of a proportional cut cost. */
const CUT_TOKENS = 12;
