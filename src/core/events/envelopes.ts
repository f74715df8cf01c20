/**
 * What agents' clients put around the result of a call and around the words of a person: read here, form by form, so that nothing of it is
 * told as what a command printed or a person wrote.
 */

import { wholeWords } from "./text.ts";

export interface OwnOutput {
  readonly text: string;
  /** The exit status that the client states. */
  readonly exit?: number;
}

/** Codex, above the output of its shell. */
const HEADER =
  /^(?:(?:Chunk ID: \S+|Wall time: [\d.]+ s(?:econds)?|Process exited with code -?\d+|Process running with session ID \d+|Exit code: -?\d+|Original token count: \d+|Total output lines: \d+)\n){1,8}Output:(?:\n|$)/;
const STATED_EXIT = /^(?:Process exited with code|Exit code:) (-?\d+)$/m;
/** Of what still runs, by which it is reached. */
const SESSION = /^Process running with session ID \d+\n/m;
/** Codex, around the result of a tool of free text, and Hermes, around that of its shell. */
const OBJECT_START = '{"output":';
const OBJECT_END =
  /"metadata":\s?\{"exit_code":\s?(-?\d+)[^{}]{0,100}\}\}\s*$|"exit_code":\s?(-?\d+),\s?"error":\s?(?:null|"[^]{0,2000}")[^{}]{0,200}\}\s*$/;
const END_CHARS = 2_400;
/** Gemini CLI, around the output of its shell. */
const FRAME_START = /^(?:Command: [^\n]*\nDirectory: [^\n]*\n)?Output: /;
const FRAME_END =
  /(?:\n(?:Error: \(none\)|Exit Code: (?:-?\d+|\(none\))|Signal: [^\n]{1,40}|Background PIDs: [^\n]{1,400}|Process Group PGID: (?:\d+|\(none\)))){1,5}$/;
const FRAMED_EXIT = /^Exit Code: (-?\d+)$/m;
const NAMES_NO_EXIT = /^(?:Signal|Background PIDs): (?!\(none\))/m;
const FRAME_END_CHARS = 600;
const EMPTY = "(empty)";
/** Lines that others print above, below or in place of the output. */
const LINE =
  /^(?:bash-\$|\$|\(Open file: .*|\(Current directory: .*|\(no output\)|<\/?(?:stdout|stderr|tool_use_error|returncode|output)>|Exit code:? \d+|\(?Command exited with code \d+\)?|Shell cwd was reset.*|System: .*|bash: (?:\[\d{1,9}: [^\]\n]{1,20}\] tcsetattr|cannot set terminal process group|no job control in this shell).*)$/i;

/** What a call itself printed, without what its client put around it. */
export function ownOutput(result: string): OwnOutput {
  const header = HEADER.exec(result)?.[0];
  if (header !== undefined) {
    const exit = STATED_EXIT.exec(header)?.[1];
    const text = `${SESSION.exec(header)?.[0] ?? ""}${result.slice(header.length)}`;
    return exit === undefined ? { text } : { text, exit: Number(exit) };
  }
  const framed = framedOutput(result);
  if (framed !== undefined) return framed;
  const end = result.startsWith(OBJECT_START) ? OBJECT_END.exec(result.slice(-END_CHARS)) : null;
  const exit = end?.[1] ?? end?.[2];
  const text = exit === undefined ? undefined : outputIn(result);
  return text === undefined ? { text: result } : { text, exit: Number(exit) };
}

function framedOutput(result: string): OwnOutput | undefined {
  const end = FRAME_END.exec(result.slice(-FRAME_END_CHARS));
  const start = end === null ? undefined : FRAME_START.exec(result)?.[0];
  if (end === null || start === undefined) return undefined;
  const text = result.slice(start.length, result.length - end[0].length);
  const own = text.trim() === EMPTY ? "" : text;
  const exit = FRAMED_EXIT.exec(end[0])?.[1];
  if (exit !== undefined) return { text: own, exit: Number(exit) };
  // Only an exit status that is not 0 is named; what goes on in the background has none yet.
  return NAMES_NO_EXIT.test(end[0]) ? { text: own } : { text: own, exit: 0 };
}

function outputIn(result: string): string | undefined {
  try {
    const { output, error } = JSON.parse(result) as { readonly output?: unknown; readonly error?: unknown };
    if (typeof output !== "string") return undefined;
    return typeof error === "string" ? [output, error].filter((text) => text !== "").join("\n") : output;
  } catch {
    return undefined;
  }
}

/** Whether a line is none of the output. */
export function isOfClient(line: string): boolean {
  return LINE.test(line);
}

/** OpenClaw, around what a person sent through a channel: its own events, and who sent it when (its `strip-inbound-meta.ts`). */
const CHANNEL_EVENT = /^System(?: \(untrusted\))?: \[[^\]\n]{1,60}\] ?([^\n]*)(?:\n+|$)/;
/** The event that a command in the background has ended, by the beginning of its session's name, and how. */
const ENDED_EVENT = /^Exec (?:completed|failed) \(([\w-]{4,40}), (?:code|signal) /;
/** Claude Code, in a reminder. */
const ENDED_REMINDER = /\bBackground Bash (\S{4,40}) [^\n]{0,400}?\(status: (?!running)[^\n<]{0,200}/g;
const CHANNEL_METADATA = /^[^\n]{1,80} \(untrusted metadata\):\n```json\n[^]{0,4000}?\n```(?:\n+|$)/;
const SENT_AT = /^\[[^\]\n]{0,120}\d{4,5}-\d\d-\d\d \d\d:\d\d [^\]\n]{1,12}\] /;
const MESSAGE_ID = /\n\[message_id: [^\]\n]{1,80}\]\s*$/;
/** Hermes, above what a person asked after a turn that did not end. */
const TURN_NOTE = /^\[System note: (?:Your previous turn|A new message)[^\]]{0,1000}\]\s*/;
/** Codex in an editor, above what a person asked: files and selections. */
const EDITOR_STATE = "# Context from my IDE setup:";
const ASKED_BELOW = "\n## My request for Codex:\n";

/** How the prompts of Spec Kit open, which Codex sends as what a person wrote (github/spec-kit, `templates/commands`): with what they were given. */
const PROMPT_START =
  /^(?:---\ndescription: ([^\n]{1,400})\n[^]{0,1000}?---\n+)?(?:## User Input\n+```text\n([^]{0,20000}?)\n?```\n+You \*\*MUST\*\*[^\n]*\n|The user input to you can be provided directly by the agent [^\n]*\n+User input:\n+\$ARGUMENTS\n)/;
const PROMPT_HEAD_CHARS = 160;

/** A prompt by what it is for and what a person gave it; what it orders is a template. */
function givenToPrompt(text: string): string | undefined {
  const [start, description, given = ""] = PROMPT_START.exec(text) ?? [];
  if (start === undefined) return undefined;
  const first =
    text
      .slice(start.length)
      .split("\n")
      .find((line) => /^[^#\s]/.test(line)) ?? "";
  const what = description ?? wholeWords(first, PROMPT_HEAD_CHARS);
  return [`${what} […]`, given.trim()].filter((part) => part !== "").join("\n");
}

/** What a person sent, without what the client put around it. */
export function ownWords(sent: string): string {
  let own = sent.trimStart();
  const given = givenToPrompt(own);
  if (given !== undefined) return given;
  const asked = own.startsWith(EDITOR_STATE) ? own.indexOf(ASKED_BELOW) : -1;
  if (asked >= 0) return own.slice(asked + ASKED_BELOW.length);
  for (let above = ""; own !== above;) {
    above = own;
    own = own.replace(CHANNEL_EVENT, "").replace(CHANNEL_METADATA, "").replace(TURN_NOTE, "");
  }
  return own.replace(SENT_AT, "").replace(MESSAGE_ID, "");
}

export interface EndedCommand {
  /** How the name of its session begins. */
  readonly session: string;
  /** What the client says of it. */
  readonly text: string;
}

/** Commands in the background of which the client says, above a person's words or in a reminder, that they have ended. */
export function endedCommands(sent: string): readonly EndedCommand[] {
  const ended: EndedCommand[] = [];
  let left = sent.trimStart();
  for (let event = CHANNEL_EVENT.exec(left); event !== null; event = CHANNEL_EVENT.exec(left)) {
    const session = ENDED_EVENT.exec(event[1]!)?.[1];
    if (session !== undefined) ended.push({ session, text: event[1]! });
    left = left.slice(event[0].length);
  }
  for (const [text, session] of sent.startsWith(REMINDER) ? sent.matchAll(ENDED_REMINDER) : [])
    ended.push({ session: session!, text });
  return ended;
}

const REMINDER = "<system-reminder>";

/** Cline and Roo Code send the results of calls and the words of a person as texts of one message, one of which opens so. */
const STATE_START = /^\s*<environment_details>/;
/** Where a person's words stand in tags. In other results, what a file or page says might look the same. */
const WITH_WORDS =
  /^(?:<task>|New (?:message|instructions) |\[(?:ask_followup_question|plan_mode_respond|attempt_completion)\b)/;
const WORDS_TAG = /<(task|user_message|feedback|answer)>/;

export function isOfCline(texts: readonly string[]): boolean {
  return texts.length > 1 && texts.some((text) => STATE_START.test(text));
}

/** The words of a person in such a text; empty in any other of that message. */
export function taggedWords(text: string): string {
  const open = WITH_WORDS.test(text) ? WORDS_TAG.exec(text) : null;
  if (open === null) return "";
  const start = open.index + open[0].length;
  const end = text.lastIndexOf(`</${open[1]}>`);
  return end < start ? "" : text.slice(start, end).trim();
}

const RESULT_START = /^\[\w{1,60}(?: for '[^]{0,8000}?')?\] Result:\n?/;

/** The results in a message of these, in the order of the calls before it: they bear no ids. */
export function resultTexts(texts: readonly string[]): readonly string[] {
  if (!isOfCline(texts)) return [];
  return texts.filter((text) => RESULT_START.test(text)).map((text) => text.replace(RESULT_START, ""));
}
