/** `precis check`: would the provider take this transcript? The oracle that every test and engine answers to. */
import type { Transcript } from "../../core/transcript/message.ts";
import { violationsOf, type Violation } from "../../core/transcript/oracle.ts";
import { protocols } from "../../protocols/index.ts";
import { counted } from "../amounts.ts";
import type { Command } from "../command.ts";
import { EXIT } from "../exit.ts";
import { INPUT_ARGS, readInput, type Input } from "../input.ts";
import type { Stream } from "../terminal.ts";

export const checkCommand: Command = {
  name: "check",
  summary: "Say whether a provider would take a transcript, and what is wrong with it.",
  about: [
    "Checks that calls and results are paired and adjacent, that roles are valid for the protocol and that arguments are JSON. Exits with 1 and a line for each violation.",
    "A session file is checked as it would be sent: what had to be mended while reading is told as a remark.",
  ],
  examples: [
    { line: "precis check request.json", says: "before sending it" },
    { line: "precis compact session.jsonl --force | precis check -", says: "a result of our own" },
  ],
  args: { ...INPUT_ARGS, json: { type: "boolean", description: "Print {valid, violations, notes}." } },
  run: async (args, terminal) => {
    const input = await readInput(args, terminal);
    const violations = violationsOf(input.transcript, protocols[input.protocol].rules);
    const text = args.is("json") ? json(input, violations) : page(input, violations, terminal.out);
    await terminal.out.write(text);
    return violations.length === 0 ? EXIT.done : EXIT.failed;
  },
};

function json({ format, protocol, notes, transcript }: Input, violations: readonly Violation[]): string {
  const messages = transcript.messages.length;
  return `${JSON.stringify({ valid: violations.length === 0, format, protocol, messages, violations, notes }, null, 2)}\n`;
}

function page(
  { name, protocol, notes, transcript }: Input,
  violations: readonly Violation[],
  { paint }: Stream,
): string {
  const verdict =
    violations.length === 0 ? paint("good", "valid") : paint("bad", counted(violations.length, "violation"));
  return [
    `${paint("strong", name)}  ${verdict}  ${paint("dim", `${counted(transcript.messages.length, "message")} of ${protocol}`)}`,
    ...violations.map((one) => `  ${placeOf(one, transcript)}: ${one.text} ${paint("dim", `(${one.code})`)}`),
    ...notes.map(({ line, text }) => paint("dim", `  read: ${line > 0 ? `line ${line}: ` : ""}${text}`)),
    "",
  ].join("\n");
}

/** Counted as the conversation is: without the leading system prompt, each result a message of its own. */
function placeOf({ message }: Violation, { messages }: Transcript): string {
  return message < 0 ? "as a whole" : `message ${message + 1}, ${messages[message]!.role}`;
}
