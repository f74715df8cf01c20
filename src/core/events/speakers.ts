/**
 * Who speaks in a message that is not the assistant's: a person, the harness in the person's name, an earlier compaction, a
 * sub-agent, a template that a command expanded to, or the system. Decided by role and by the forms that harnesses write, never by
 * what the words mean.
 */
import { opensWithHandoff } from "../handoff/marks.ts";
import { contentText, type Message, type Part } from "../transcript/message.ts";
import { holdsConsoleOutput } from "./console.ts";
import { endedCommands, type EndedCommand } from "./envelopes.ts";
import { isRecordedSummary, personText, slashCommandIn, textsIn } from "./person.ts";

export type Speaker =
  | {
      readonly by: "person";
      readonly text: string;
      readonly media: readonly Part[];
      readonly ended?: readonly EndedCommand[];
    }
  /** A slash command, with what a person gave it. */
  | { readonly by: "command"; readonly text: string }
  /** What the command before expanded to: written by nobody in this session. */
  | { readonly by: "template"; readonly text: string }
  | { readonly by: "console"; readonly text: string }
  | { readonly by: "summary"; readonly text: string }
  | { readonly by: "report"; readonly text: string }
  | { readonly by: "system"; readonly text: string }
  | { readonly by: "interruption" }
  /** `folder`: where the client says that it works. `ended`, also above a person's words: which commands in the background have. */
  | { readonly by: "harness"; readonly folder?: string; readonly ended?: readonly EndedCommand[] };

const INTERRUPTED = /^\s*(?:\[Request interrupted by user|<turn_aborted>)/;
/** Codex, before the first request. */
const STATED_FOLDER = /^\s*<environment_context>[^]{0,200}?<cwd>([^<\n]{1,1000})<\/cwd>/;
const REPORT = /^\s*<(?:task-notification|subagent_notification|agent-message|teammate-message)\b/;
/** Commands of the client itself: the agent never sees them run. */
const CLIENT_COMMANDS =
  /^\/(?:exit|quit|clear|model|ide|compact|login|logout|help|config|cost|context|resume|status|mcp|memory|doctor|permissions|hooks|agents|vim|theme|terminal-setup|rewind|usage|plugin)$/;
/** A shorter text after a command is what a person wrote beside it. */
const TEMPLATE_CHARS_MIN = 200;

/** Who wrote a message of the role system or user; `before` is the speaker of the message before it. */
export function speakerOf(message: Message, before: Speaker | undefined): Speaker {
  const text = contentText(message.parts);
  if (message.origin === "note") return { by: "harness" };
  if (message.role === "system") return { by: "system", text };
  if (opensWithHandoff(text)) return { by: "harness" };
  if (message.origin === "summary") return { by: "summary", text };
  const own = personText(message);
  const media = message.parts.filter(({ kind }) => kind === "image" || kind === "file");
  if (own !== "" || media.length > 0) {
    const expands = before?.by === "command" && own.length >= TEMPLATE_CHARS_MIN && media.length === 0;
    return expands ? { by: "template", text: own } : { by: "person", text: own, media, ...endedIn(message) };
  }
  if (isRecordedSummary(text)) return { by: "summary", text };
  if (INTERRUPTED.test(text)) return { by: "interruption" };
  if (holdsConsoleOutput(message)) return { by: "console", text };
  if (REPORT.test(text)) return { by: "report", text };
  const command = slashCommandIn(text);
  if (command !== undefined && !CLIENT_COMMANDS.test(command.name))
    return { by: "command", text: `${command.name} ${command.args}`.trim() };
  const folder = STATED_FOLDER.exec(text)?.[1];
  return { by: "harness", ...(folder === undefined ? {} : { folder }), ...endedIn(message) };
}

function endedIn(message: Message): { readonly ended?: readonly EndedCommand[] } {
  const ended = textsIn(message).flatMap(endedCommands);
  return ended.length === 0 ? {} : { ended };
}
