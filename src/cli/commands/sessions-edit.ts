/** `precis sessions edit`: what a person decides about one session: pins, what is dropped, and from where on it is compacted. */
import { wrapped } from "../../config/wrap.ts";
import type { SessionPins, ThresholdResult } from "../../gateway/history/contract.ts";
import { thresholdFrom, thresholdText } from "../../session/threshold.ts";
import { count } from "../amounts.ts";
import type { Arguments, Command } from "../command.ts";
import { usageError, EXIT, type ExitCode } from "../exit.ts";
import { HISTORY_ARGS, SESSION_ARG, sessionNamed, withHistory, type OpenedHistory } from "../history.ts";
import { JSON_ARG, writeJson } from "../json-output.ts";
import { ENGINE_FLAGS } from "../settings-flags.ts";
import type { Stream, Terminal } from "../terminal.ts";
import { visibleLine } from "../visible.ts";
import { writeResult } from "./sessions-compact.ts";

/** Removes a threshold. */
const AS_CONFIGURED = "off";

export const editCommand: Command = {
  name: "sessions edit",
  summary: "Pin or drop messages of a session, or set from where on it is compacted; without flags, list its pins.",
  about: [
    "A pinned message is never summarised: every later compaction keeps it word for word, a call together with its results. A pinned fact is stated in every handoff. A compaction that is already in place does not change. Secrets in pinned text are masked in what precis writes.",
    "Dropped messages are not sent any more: whole exchanges go, a call with its results; of an exchange that the range holds only in part, the results go and the call stays. One line takes their place, with the recall id that leads back to them; `precis undo` brings them back. The newest request and the newest exchange stay.",
    "A threshold holds for this session and its branches in every gateway on this store, from the next request on and after a restart. A share is one of the window less what is reserved for the answer; 85 % of that is the latest. After `precis undo` it holds again once the session is compacted.",
  ],
  examples: [
    { line: "precis sessions edit 3fa94c21 --pin 12-14", says: "keep three messages" },
    { line: "precis sessions edit 3fa94c21 --fact 'The port is 8443.'", says: "state a fact in every handoff" },
    { line: "precis sessions edit 3fa94c21 --unpin p1a2b3c", says: "by the id of the pin" },
    { line: "precis sessions edit 3fa94c21 --drop 12-30", says: "a range that led nowhere" },
    { line: "precis sessions edit 3fa94c21 --threshold 60%", says: "of the window; `off` is as configured" },
  ],
  args: {
    ...SESSION_ARG,
    pin: { type: "string", valueHint: "N-M", description: "Message numbers, as `precis sessions show` has them." },
    fact: { type: "string", valueHint: "TEXT", description: "One sentence, at most 1,000 characters." },
    unpin: { type: "string", valueHint: "PIN", description: "The id of a pin." },
    drop: { type: "string", valueHint: "N-M", description: "Messages that are not sent any more." },
    threshold: {
      type: "string",
      valueHint: "N|P%|off",
      description: "Tokens (at least 1,000), a share of the window from 5 to 85 %, or `off` for the configured one.",
    },
    ...HISTORY_ARGS,
    ...ENGINE_FLAGS,
    ...JSON_ARG,
  },
  run: (args, terminal) => {
    const given = CHANGES.filter((name) => args.text(name) !== undefined);
    const [change] = given;
    if (given.length > 1)
      throw usageError(`--${given.join(" and --")} exclude one another`, "Make one change at a time.");
    const value = change === undefined ? "" : args.text(change)!;
    const threshold = change === "threshold" && value !== AS_CONFIGURED ? thresholdFrom(value) : undefined;
    const compacts = change === "drop" || change === "threshold";
    return withHistory(args, terminal, { readOnly: change === undefined, compacts }, async (opened) => {
      const { history } = opened;
      const session = sessionNamed(args, opened);
      if (change === "drop") return writeResult(args, terminal, await history.drop(session, value), undefined);
      if (change === "threshold") return writeThreshold(args, terminal, await history.setThreshold(session, threshold));
      const pins =
        change === undefined
          ? await history.pins(session)
          : change === "unpin"
            ? await history.unpin(session, value)
            : await history.pin(session, change === "fact" ? { fact: value } : { messages: value });
      return writePins(args, terminal, pins, opened);
    });
  },
};

const CHANGES = ["pin", "fact", "unpin", "drop", "threshold"] as const;

async function writeThreshold(args: Arguments, terminal: Terminal, result: ThresholdResult): Promise<ExitCode> {
  if (args.is("json")) await writeJson(terminal, result);
  else await terminal.out.say(`${thresholdLines(result)}\n`);
  return EXIT.done;
}

function thresholdLines({ session, set, thresholdTokens, undone }: ThresholdResult): string {
  const from = set === undefined ? "as configured" : `set to ${thresholdText(set)}`;
  const line = `compacted at ${count(thresholdTokens)} tokens, ${from}`;
  if (undone !== true) return line;
  return [
    line,
    "This does not hold yet, because the newest compaction was undone: nothing is compacted until a request overflows.",
    `To compact now, and automatically from then on, run \`precis sessions compact ${session}\`.`,
  ].join("\n");
}

async function writePins(
  args: Arguments,
  terminal: Terminal,
  found: SessionPins,
  { redact }: OpenedHistory,
): Promise<ExitCode> {
  if (args.is("json")) await writeJson(terminal, found);
  else if (found.pins.length === 0) await terminal.err.say("nothing is pinned in this session\n");
  else await terminal.out.say(`${found.pins.flatMap((pin) => pinLines(pin, redact, terminal.out)).join("\n")}\n`);
  return EXIT.done;
}

function pinLines(
  { id, messages, fact = "" }: SessionPins["pins"][number],
  redact: OpenedHistory["redact"],
  { columns }: Stream,
): readonly string[] {
  if (messages === undefined) return wrapped(`${id}  ${visibleLine(redact(fact))}`, columns);
  const { from, to } = messages;
  return [`${id}  ${from === to ? `message ${from}` : `messages ${from} to ${to}`}`];
}
