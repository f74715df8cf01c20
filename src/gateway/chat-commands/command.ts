/** Commands that a person types into the conversation: the whole text of a message, which opens with the configured prefix. */

/** What each does, for a person. */
export const CHAT_COMMANDS = {
  compact: "compact [FOCUS]: compact this conversation now; the focus gets most of the handoff",
  context: "context: show how full the context window is and which compactions stand",
  undo: "undo: take the newest compaction back",
  handoff: "handoff GOAL: write what a new session needs to go on towards that goal; this one stays as it is",
  recall: "recall ID [MESSAGES] [offset N], or recall WORDS: show what compactions removed from this conversation",
} as const;

export type ChatCommandName = keyof typeof CHAT_COMMANDS | "help";

export interface ChatCommand {
  readonly name: ChatCommandName;
  /** What follows the name. */
  readonly argument: string;
  /** What was written in place of a name, where no command has it. */
  readonly unknown?: string;
}

/** A longer text is no command. */
const COMMAND_CHARS_MAX = 4_000;
const UNKNOWN_CHARS_MAX = 40;

/** A prefix that asks for a compaction itself: what follows it, unless that is a command, is the focus. */
const COMPACTS = /^\W*comp(?:act|ress)\W*$/i;

export function readCommand(text: string, prefix: string): ChatCommand | undefined {
  const whole = text.trim();
  if (whole.length > COMMAND_CHARS_MAX || !whole.startsWith(prefix)) return undefined;
  const rest = whole.slice(prefix.length);
  if (rest !== "" && !/^\s/.test(rest)) return undefined;
  const [, word = "", argument = ""] = /^\s*(\S*)\s*([\s\S]*)$/.exec(rest) ?? [];
  const name = word.toLowerCase();
  const takesNone = argument !== "" && (name === "context" || name === "undo" || name === "help");
  if (COMPACTS.test(prefix) && (takesNone || !(Object.hasOwn(CHAT_COMMANDS, name) || name === "help")))
    return { name: "compact", argument: rest.trim() };
  if (Object.hasOwn(CHAT_COMMANDS, name)) return { name: name as ChatCommandName, argument };
  const isHelp = name === "" || name === "help";
  return { name: "help", argument: "", ...(isHelp ? {} : { unknown: word.slice(0, UNKNOWN_CHARS_MAX) }) };
}

/**
 * Whether a request's text can hold a command, at a glance: the prefix stands there as a word. Some clients write a slash of
 * JSON with an escape.
 */
export function mayHoldCommand(body: string, prefix: string): boolean {
  const escaped = prefix.replaceAll("/", "\\/");
  return holdsWord(body, prefix) || (escaped !== prefix && holdsWord(body, escaped));
}

/** What may stand before it: the beginning of a text, white space, its escapes, or the end of a reminder. */
const BEFORE = new Set(['"', " ", "n", "r", "t", ">"]);
const BEHIND = new Set(['"', " ", "\\"]);

function holdsWord(body: string, word: string): boolean {
  for (let at = body.indexOf(word); at >= 0; at = body.indexOf(word, at + word.length))
    if (BEFORE.has(body[at - 1] ?? "") && BEHIND.has(body[at + word.length] ?? "")) return true;
  return false;
}
