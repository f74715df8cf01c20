/**
 * What is put back behind a summary, so that the agent need not fetch it again (IA al Día 2026): project
 * instructions, skills, the files edited last, and which tools it worked with. One message, and none of it a request.
 */
import type { Events } from "../../events/events.ts";
import { pairingOf, type PairedCall } from "../../transcript/pairing.ts";
import { CUT_MARK } from "../../handoff/items.ts";
import type { Measure } from "../../transcript/measure.ts";
import { callsOf, contentText, textMessage, type Message, type ToolCallPart } from "../../transcript/message.ts";
import { isInstructionFile } from "../../events/instructions.ts";
import { lineNumberOf, withoutLineNumber } from "../../digest/numbered-lines.ts";
import { described } from "../../digest/call.ts";

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
interface Held {
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

interface Choice {
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

interface Files {
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

interface RestoreRequest {
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

/** A remark of the tool before or after what it read, for example that there is more. */
const REMARK = /^\s*(?:[[(<…]|\.\.\.)/;
const REMARK_LINES_MAX = 2;
/** With fewer of the lines numbered, the numbers belong to the file. */
const NUMBERED_SHARE_MIN = 0.5;

export function stillHolds(now: string, shown: string): boolean {
  const file = splitLines(now);
  const lines = splitLines(shown);
  const numbered = lines.filter((line) => lineNumberOf(line) !== undefined);
  if (numbered.length > 0 && numbered.length >= lines.length * NUMBERED_SHARE_MIN)
    return numbered.every((line) => (file[lineNumberOf(line)! - 1] ?? "").trim() === withoutLineNumber(line).trim());
  // The line breaks around it keep a line from being found inside of another.
  const whole = `\n${file.join("\n")}\n`;
  return withoutRemarks(lines).some((part) => whole.includes(`\n${part.join("\n")}\n`));
}

function remarksFrom(lines: readonly string[]): number {
  const end = lines.findIndex((line) => !REMARK.test(line));
  return Math.min(REMARK_LINES_MAX, end < 0 ? 0 : end);
}

/** The lines with all that may be remarks, and with fewer and fewer of it. */
function withoutRemarks(lines: readonly string[]): readonly (readonly string[])[] {
  const [first, last] = [remarksFrom(lines), remarksFrom(lines.toReversed())];
  return Array.from({ length: first + 1 }, (_, before) =>
    Array.from({ length: last + 1 }, (__, after) => lines.slice(before, lines.length - after)),
  ).flat();
}

/** What stands at the end of a line or of the file may get lost on the way. */
function splitLines(text: string): readonly string[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => line.trimEnd());
}

interface FileCopy {
  readonly text: string;
  /** The newest message that it is known from. */
  readonly message: number;
  /** The message of the call that wrote it last, where it is known from calls and not from a result that showed it. */
  readonly written?: number;
}

type Copy = Omit<FileCopy, "message"> & { readonly path: string };

/** The file behind a call that was answered; undefined where that is no file whose text is known. */
function copyBehind(
  { call, message }: PairedCall,
  result: string,
  known: ReadonlyMap<string, FileCopy>,
): Copy | undefined {
  const { action, paths } = described(call);
  const [path] = paths;
  if (path === undefined) return undefined;
  if (action === "read") return result === "" ? undefined : { path, text: result };
  if (action !== "write" && action !== "edit") return undefined;
  const given = parseFields(call.arguments);
  const whole = action === "write" ? textAt(given, CONTENT_KEYS) : undefined;
  if (whole !== undefined) return { path, text: whole, written: message };
  const before = known.get(path);
  const [old, next] = [textAt(given, OLD_KEYS), textAt(given, NEW_KEYS)];
  if (before?.written === undefined || old === undefined || next === undefined || !before.text.includes(old))
    return undefined;
  const text =
    given["replace_all"] === true ? before.text.replaceAll(old, () => next) : before.text.replace(old, () => next);
  return { path, text, written: message };
}

/** Whether nothing changed the file since. What was written counts where the call that did it is the last change: it may have failed. */
function isCurrent({ message, written }: FileCopy, changed: number | undefined): boolean {
  return written === undefined ? (changed ?? -1) < message : changed === written;
}

const CONTENT_KEYS = ["content", "contents", "file_text"];
const OLD_KEYS = ["old_string", "old_str", "oldText", "oldString"];
const NEW_KEYS = ["new_string", "new_str", "newText", "newString"];

type Given = Readonly<Record<string, unknown>>;

function textAt(given: Given, keys: readonly string[]): string | undefined {
  return keys.map((key) => given[key]).find((value) => typeof value === "string");
}

function parseFields(args: string): Given {
  try {
    const value: unknown = JSON.parse(args);
    return typeof value === "object" && value !== null ? (value as Given) : {};
  } catch {
    return {};
  }
}

/** Opens what `layered` puts back. */
const LEAD_IN =
  "The session continues here. What came before no longer fits and is in the record above; this is put back as it was. None of it is a request.";

interface FoundOrder {
  readonly title: string;
  readonly text: string;
}

const NAMES_FILE = /\b(?:CLAUDE(?:\.local)?|AGENTS|GEMINI)\.md\b/;
/** How today's agents wrap them when they are put into a user message. */
const WRAPPERS = [
  ["<system-reminder>", "</system-reminder>"],
  ["<user_instructions>", "</user_instructions>"],
  ["# AGENTS.md instructions for ", "</INSTRUCTIONS>"],
] as const;
const SKILL_OPENING = "Base directory for this skill:";
const SKILL_TOOL = /skill/i;

/** Project instructions that a harness put into a user message. One that we put back is not found again as new. */
function instructionsIn(message: Message): readonly FoundOrder[] {
  if (message.role !== "user" || message.origin !== undefined) return [];
  return message.parts.flatMap((part) =>
    part.kind !== "text" ? [] : WRAPPERS.flatMap(([open, close]) => wrappedIn(part.text, open, close)),
  );
}

function wrappedIn(text: string, open: string, close: string): readonly FoundOrder[] {
  const found: FoundOrder[] = [];
  for (let at = text.indexOf(open); at >= 0;) {
    const end = text.indexOf(close, at);
    const inner = text.slice(at + open.length, end < 0 ? text.length : end).trim();
    const name = open.startsWith("#") ? "AGENTS.md" : NAMES_FILE.exec(inner)?.[0];
    if (name !== undefined && !inner.startsWith(LEAD_IN))
      found.push({ title: `Project instructions (${name})`, text: inner });
    at = end < 0 ? -1 : text.indexOf(open, end);
  }
  return found;
}

/** A skill that was loaded: by a call, or by a harness in the user's name. */
function skillIn(message: Message, call: ToolCallPart | undefined): FoundOrder | undefined {
  const text = contentText(message.parts);
  if (text === "") return undefined;
  if (call !== undefined) {
    if (!isSkillTool(call.name)) return undefined;
    return { title: `Skill ${described(call).target}`.trimEnd(), text };
  }
  if (message.role !== "user" || !text.trimStart().startsWith(SKILL_OPENING)) return undefined;
  const [first = ""] = text.trimStart().slice(SKILL_OPENING.length).split("\n", 1);
  return { title: `Skill ${first.trim()}`, text };
}

export function isSkillTool(name: string): boolean {
  return SKILL_TOOL.test(name);
}
