/**
 * Console output that a harness sends in the user's name: a person ran a command beside the conversation. It is treated as the
 * result of a tool. Only the whole form that a harness writes counts, so that a person who mentions a command is not meant.
 */
import type { Message } from "../transcript/message.ts";

/** How such a message opens and ends. */
interface ConsoleForm {
  readonly opening: RegExp;
  readonly ending: RegExp;
}

/** Claude Code and Codex, pi, Gemini CLI, AutoGen's code executor. */
const CONSOLE_FORMS: readonly ConsoleForm[] = [
  { opening: /^<(?:bash-(?:input|stdout|stderr)|local-command-(?:stdout|stderr)|user_shell_command)>/i, ending: /$/ },
  {
    opening: /^Ran `[^]{1,2000}?`\n(?:```\n|\(no output\))/,
    ending:
      /(?:\n```|\(no output\))(?:\n\n\(command cancelled\)|\n\nCommand exited with code -?\d+)?(?:\n\n\[Output truncated\. Full output: [^\n]{1,1000}\])?$/,
  },
  {
    opening:
      /^I ran the following shell command:\n```sh\n[^]{1,2000}?\n```\n\nThis produced the following result:\n```\n/,
    ending: /\n```$/,
  },
  { opening: /^exitcode: -?\d{1,3} \([^\n)]{1,40}\)\nCode output: /, ending: /$/ },
];
const FORM_CHARS_MAX = 2_200;

export function isConsoleOutput(text: string): boolean {
  const whole = text.trim();
  const [start, end] = [whole.slice(0, FORM_CHARS_MAX), whole.slice(-FORM_CHARS_MAX)];
  return CONSOLE_FORMS.some(({ opening, ending }) => opening.test(start) && ending.test(end));
}

/** Whether a message holds nothing but console output. */
export function holdsConsoleOutput({ role, parts }: Message): boolean {
  return (
    role === "user" && parts.length > 0 && parts.every((part) => part.kind === "text" && isConsoleOutput(part.text))
  );
}
