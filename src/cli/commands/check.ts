/** `precis check`: would the provider take this transcript? The oracle that every test and engine answers to, and the model's window. */
import { loadConfiguration } from "../../config/load.ts";
import { wrapped, measureWidth } from "../screen/text.ts";
import { calibrated, createMeasure } from "../../core/transcript/measure.ts";
import { initialFactor } from "../../session/state.ts";
import { count, counted } from "../screen/amounts.ts";
import { option, toggle, type Command } from "../program/command.ts";
import { EXIT, type ExitCode } from "../program/exit.ts";
import {
  readImageTokens,
  CONFIG_FLAGS,
  configurationRequest,
  ENGINE_FLAGS,
  windowFor,
  windowText,
  type Window,
} from "../settings/flags.ts";
import { INPUT_ARGS, readInput, type Input } from "../files/input.ts";
import { findRefusal, checkInput, violationText, type Verdict } from "../compaction/output.ts";
import { withRowNote } from "../screen/table.ts";
import type { Stream } from "../screen/terminal.ts";

export const checkCommand: Command = {
  name: "check",
  summary: "Check whether a provider would accept a transcript, and list what is wrong with it.",
  about: [
    "Checks that calls and results are paired and adjacent, that roles are valid for the protocol and that arguments are JSON; of a request body or its messages also that content, ids and tools have the form that the vendor takes. Exits with 1 and a line for each violation.",
    "A valid transcript that is larger than the model's window is reported with the window and the model. If the window is known (from the model in the input or --model, --context-length or the configuration) the exit code is 5; if it is only assumed, this is a warning. Tokens are estimated as a session does, for Claude with its factor.",
    "A session file is checked as it would be sent; repairs made while reading it are reported as remarks.",
  ],
  examples: {
    "precis check request.json": "before sending it",
    "precis check session.jsonl --model gpt-5.4": "check whether it fits another model",
    "precis compact session.jsonl --force | precis check -": "check a result of precis itself",
  },
  args: {
    ...INPUT_ARGS,
    model: option("NAME", "The model to check for, if the input does not name one."),
    "context-length": ENGINE_FLAGS["context-length"],
    ...CONFIG_FLAGS,
    json: toggle("Print {valid, fits, tokens, window, protocols, violations, refusal, notes}."),
  },
  run: async (args, terminal) => {
    const configuration = await loadConfiguration(configurationRequest(args, terminal));
    const input = await readInput(args, terminal);
    const window = windowFor(args, configuration, input.transcript.model);
    const plain = createMeasure(readImageTokens(input.transcript, configuration));
    const tokens = calibrated(plain, initialFactor(window.model?.name)).transcript(input.transcript);
    const verdict = args.text("from") === undefined ? checkInput(input) : checkInput(input, [input.protocol]);
    const refusals = verdict.named.map((protocol) => findRefusal(input, protocol, window.tokens));
    const refusal = refusals.includes(undefined) ? undefined : refusals[0];
    const checked = { ...input, ...verdict, refusal, window, tokens };
    if (args.is("json")) await terminal.out.put(json(checked));
    else await terminal.out.say(page(checked, terminal.out));
    return exitCode(checked);
  },
};

interface Checked extends Input, Verdict {
  readonly refusal: string | undefined;
  readonly window: Window;
  readonly tokens: number;
}

function isValid({ violations, refusal }: Checked): boolean {
  return violations.length === 0 && refusal === undefined;
}

function fits({ tokens, window }: Checked): boolean {
  return tokens <= window.tokens;
}

function exitCode(checked: Checked): ExitCode {
  if (!isValid(checked)) return EXIT.failed;
  return fits(checked) || checked.window.from === "assumed" ? EXIT.done : EXIT.tooLarge;
}

function json(checked: Checked): string {
  const { format, named, notes, transcript, violations, refusal, tokens, window } = checked;
  const valid = isValid(checked);
  const messages = transcript.messages.length;
  const sizes = { fits: fits(checked), tokens, window };
  return `${JSON.stringify({ valid, ...sizes, format, protocol: named[0], protocols: named, messages, violations, refusal, notes }, null, 2)}\n`;
}

function page(checked: Checked, stream: Stream): string {
  const { name, named, notes, transcript, violations, refusal } = checked;
  const { paint, columns } = stream;
  const sound = isValid(checked);
  const small = fits(checked);
  const wrong = violations.length === 0 ? "refused" : counted(violations.length, "violation");
  const says = `${sound ? "valid" : wrong}${small ? "" : ", too large"}`;
  const about = `${counted(transcript.messages.length, "message")} of ${named.join(" or ")}`;
  const line = `${paint("strong", name)}  ${paint(sound ? (small ? "good" : "warn") : "bad", says)}`;
  const below = (text: string): readonly string[] => wrapped(text, columns - 2).map((one) => `  ${one}`);
  return [
    ...withRowNote({ line, width: measureWidth(name) + 2 + says.length, says: about, look: "dim" }, stream),
    ...violations.flatMap((one) => below(violationText(one, transcript))),
    ...(refusal === undefined ? [] : below(`the provider would say: ${refusal}`)),
    ...(small ? [] : tooLarge(checked).flatMap(below)),
    ...notes
      .flatMap((note) => below(`read: ${note.line > 0 ? `line ${note.line}: ` : ""}${note.text}`))
      .map((one) => paint("dim", one)),
    "",
  ].join("\n");
}

function tooLarge({ name, tokens, window }: Checked): readonly string[] {
  const flagged = window.from === "flag" || window.model?.namedBy === "flag";
  const next =
    window.from === "assumed"
      ? "name the model with --model, or its window with --context-length"
      : `\`precis compact ${name === "standard input" ? "-" : name}${flagged ? ` --context-length ${window.tokens}` : ""}\` makes it smaller`;
  return [
    `about ${count(tokens)} tokens, ${count(tokens - window.tokens)} more than the window: ${windowText(window)}`,
    `next: ${next}`,
  ];
}
