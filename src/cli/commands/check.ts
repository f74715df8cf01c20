/** `precis check`: would the provider take this transcript? The oracle that every test and engine answers to. */
import { wrapped } from "../../config/wrap.ts";
import type { Message, Transcript } from "../../core/transcript/message.ts";
import { violationsOf, type Violation } from "../../core/transcript/oracle.ts";
import { protocols, type ProtocolName } from "../../protocols/index.ts";
import { counted } from "../amounts.ts";
import { widthOf } from "../bars.ts";
import type { Command } from "../command.ts";
import { EXIT } from "../exit.ts";
import { INPUT_ARGS, readInput, type Input } from "../input.ts";
import { remarked } from "../table.ts";
import type { Stream } from "../terminal.ts";

export const checkCommand: Command = {
  name: "check",
  summary: "Say whether a provider would take a transcript, and what is wrong with it.",
  about: [
    "Checks that calls and results are paired and adjacent, that roles are valid for the protocol and that arguments are JSON. Exits with 1 and a line for each violation.",
    "A session file is checked as it would be sent: what had to be repaired while reading is reported as a remark.",
  ],
  examples: [
    { line: "precis check request.json", says: "before sending it" },
    { line: "precis compact session.jsonl --force | precis check -", says: "a result of our own" },
  ],
  args: { ...INPUT_ARGS, json: { type: "boolean", description: "Print {valid, protocols, violations, notes}." } },
  run: async (args, terminal) => {
    const input = await readInput(args, terminal);
    const candidates = args.text("from") === undefined ? protocolsOf(input) : [input.protocol];
    const verdicts = candidates.map((protocol) => ({
      protocol,
      violations: violationsOf(input.transcript, protocols[protocol].rules),
    }));
    const taking = verdicts.filter((verdict) => verdict.violations.length === 0);
    const { violations } = taking[0] ?? verdicts[0]!;
    const named = (taking.length === 0 ? verdicts.slice(0, 1) : taking).map(({ protocol }) => protocol);
    const verdict = { ...input, named, violations };
    const text = args.is("json") ? json(verdict) : page(verdict, terminal.out);
    await terminal.out.write(text);
    return violations.length === 0 ? EXIT.done : EXIT.failed;
  },
};

/**
 * A bare array of messages that holds nothing but a user's and an assistant's text is the same in Chat Completions and
 * in Messages: both are checked, and both are named.
 */
function protocolsOf({ protocol, decoded, transcript }: Input): readonly ProtocolName[] {
  const { system, messages, tools } = transcript;
  const shared =
    decoded?.form === "messages" &&
    system.length === 0 &&
    tools === undefined &&
    messages.every(({ role, parts }) => isSharedRole(role) && parts.every(({ kind }) => kind === "text"));
  return shared && protocol === "openai-chat" ? ["openai-chat", "anthropic-messages"] : [protocol];
}

const isSharedRole = (role: Message["role"]): boolean => role === "user" || role === "assistant";

type Verdict = Input & { readonly named: readonly ProtocolName[]; readonly violations: readonly Violation[] };

function json({ format, named, notes, transcript, violations }: Verdict): string {
  const valid = violations.length === 0;
  const messages = transcript.messages.length;
  return `${JSON.stringify({ valid, format, protocol: named[0], protocols: named, messages, violations, notes }, null, 2)}\n`;
}

function page({ name, named, notes, transcript, violations }: Verdict, stream: Stream): string {
  const { paint, columns } = stream;
  const sound = violations.length === 0;
  const says = sound ? "valid" : counted(violations.length, "violation");
  const about = `${counted(transcript.messages.length, "message")} of ${named.join(" or ")}`;
  const line = `${paint("strong", name)}  ${paint(sound ? "good" : "bad", says)}`;
  const below = (text: string): readonly string[] => wrapped(text, columns - 2).map((one) => `  ${one}`);
  return [
    ...remarked({ line, width: widthOf(name) + 2 + says.length, says: about, look: "dim" }, stream),
    ...violations.flatMap((one) => below(`${placeOf(one, transcript)}: ${one.text} (${one.code})`)),
    ...notes
      .flatMap((note) => below(`read: ${note.line > 0 ? `line ${note.line}: ` : ""}${note.text}`))
      .map((one) => paint("dim", one)),
    "",
  ].join("\n");
}

/** Counted as the conversation is: without the leading system prompt, each result a message of its own. */
function placeOf({ message }: Violation, { messages }: Transcript): string {
  return message < 0 ? "as a whole" : `message ${message + 1}, ${messages[message]!.role}`;
}
