/** `precis sessions pin`, `unpin` and `pins`: what no compaction summarises, and what every handoff states. */
import { wrapped } from "../../config/wrap.ts";
import type { SessionPins } from "../../gateway/history/contract.ts";
import type { Arguments, Command } from "../command.ts";
import { EXIT, usageError, type ExitCode } from "../exit.ts";
import { HISTORY_ARGS, SESSION_ARG, sessionNamed, withHistory, type OpenedHistory } from "../history.ts";
import type { Terminal } from "../terminal.ts";
import { visibleLine } from "../visible.ts";

const PIN_ARGS = {
  ...SESSION_ARG,
  ...HISTORY_ARGS,
  json: { type: "boolean", description: "Print JSON." },
} as const;

export const pinCommand: Command = {
  name: "sessions pin",
  summary: "Pin a message, a range or a fact of a session.",
  about: [
    "A pinned message is never summarised: every later compaction keeps it word for word, a call together with its results. A pinned fact is stated in every handoff. A compaction that is already in place does not change; `precis undo` takes it back. A running gateway uses the pins from its next compaction on.",
  ],
  examples: [
    { line: "precis sessions pin 3fa94c21 --messages 12-14", says: "keep three messages" },
    { line: "precis sessions pin 3fa94c21 --fact 'The port is 8443.'", says: "state a fact in every handoff" },
  ],
  args: {
    ...PIN_ARGS,
    messages: { type: "string", valueHint: "N-M", description: "Message numbers, as `precis sessions show` has them." },
    fact: { type: "string", valueHint: "TEXT", description: "One sentence, at most 1,000 characters." },
  },
  run: (args, terminal) => {
    const [messages, fact] = [args.text("messages"), args.text("fact")];
    if ((messages === undefined) === (fact === undefined))
      throw usageError("a pin is either --messages or --fact", "Give one of the two.");
    const what = messages === undefined ? { fact: fact! } : { messages };
    return changing(args, terminal, ({ history, ...opened }) => history.pin(sessionNamed(args, opened), what));
  },
};

export const unpinCommand: Command = {
  name: "sessions unpin",
  summary: "Remove a pin from a session.",
  about: ["`precis sessions pins` lists the ids. The next compaction may summarise what was pinned."],
  examples: [{ line: "precis sessions unpin 3fa94c21 p1a2b3c", says: "by the id of the pin" }],
  args: {
    ...SESSION_ARG,
    pin: { type: "positional", valueHint: "PIN", description: "The id of the pin." },
    ...HISTORY_ARGS,
    json: { type: "boolean", description: "Print JSON." },
  },
  run: (args, terminal) =>
    changing(args, terminal, ({ history, ...opened }) => history.unpin(sessionNamed(args, opened), args.text("pin")!)),
};

export const pinsCommand: Command = {
  name: "sessions pins",
  summary: "List what is pinned in a session.",
  about: ["Each pin with its id, and the numbers of its messages or its fact."],
  examples: [{ line: "precis sessions pins 3fa94c21", says: "by the beginning of its id" }],
  args: PIN_ARGS,
  run: (args, terminal) =>
    withHistory(args, terminal, { readOnly: true }, async (opened) =>
      tell(args, terminal, opened, await opened.history.pins(sessionNamed(args, opened))),
    ),
};

function changing(
  args: Arguments,
  terminal: Terminal,
  change: (opened: OpenedHistory) => Promise<SessionPins>,
): Promise<ExitCode> {
  return withHistory(args, terminal, { readOnly: false }, async (opened) =>
    tell(args, terminal, opened, await change(opened)),
  );
}

async function tell(
  args: Arguments,
  { out, err }: Terminal,
  { redact }: OpenedHistory,
  found: SessionPins,
): Promise<ExitCode> {
  if (args.is("json")) await out.write(`${JSON.stringify(found, null, 2)}\n`);
  else if (found.pins.length === 0) await err.say("nothing is pinned in this session\n");
  else {
    const lines = found.pins.flatMap(({ id, messages, fact = "" }) => {
      const range = messages === undefined ? visibleLine(redact(fact)) : rangeText(messages);
      return wrapped(`${id}  ${range}`, out.columns);
    });
    await out.say(`${lines.join("\n")}\n`);
  }
  return EXIT.done;
}

function rangeText({ from, to }: { readonly from: number; readonly to: number }): string {
  return from === to ? `message ${from}` : `messages ${from} to ${to}`;
}
