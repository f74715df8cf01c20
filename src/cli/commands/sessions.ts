/** `precis sessions …`: what a gateway has kept, and what a person does to one conversation. */
import { WIRE_FORMATS } from "../../logs/log.ts";
import {
  SYNTHETIC_CHOICES,
  type ExportOptions,
  type CompactResult,
  type SessionPins,
  type ThresholdResult,
} from "../../session/history.ts";
import { count, counted, parseWhole, parseBudget } from "../screen/amounts.ts";
import {
  option,
  toggle,
  type Arguments,
  type Command,
  type CommandGroup,
  JSON_ARG,
  writeJson,
} from "../program/command.ts";
import { EXIT, usageError, type ExitCode } from "../program/exit.ts";
import { writeOutput } from "../files/write.ts";
import {
  HISTORY_ARGS,
  noSessions,
  refuseCopy,
  SESSION_ARG,
  sessionNamed,
  withHistory,
  type OpenedHistory,
} from "../store/history.ts";
import { formatNamed } from "../files/input.ts";
import { whileWaiting } from "../screen/progress.ts";
import { sessionList, sessionPage } from "../screen/sessions.ts";
import { importCommand } from "./sessions-import.ts";
import { deleteCommand } from "./sessions-delete.ts";
import { compactionPage, unchangedPage } from "../compaction/page.ts";
import { ENGINE_FLAGS } from "../settings/flags.ts";
import type { Terminal, Stream } from "../screen/terminal.ts";
import { wrapped, visibleLine } from "../screen/text.ts";
import { thresholdFrom, thresholdText } from "../../session/threshold.ts";

const LIST_DEFAULT = 20;
const LIST_MAX = 1_000;
const TAIL_DEFAULT = 6;
const TAIL_MAX = 500;
/** An export holds what was said: for its owner alone. */
const EXPORT_MODE = 0o600;

const list: Command = {
  name: "sessions list",
  summary: "List the sessions that the gateway has kept, the most recently used first.",
  about: [
    "Each with its age, the model that was asked last, its messages, the tokens its last request took as the provider reported them (≈: an estimate of the whole), its compactions (`cut`; `u` where the newest was undone, `w` where the next is due and waits), the branches that left it (`fork`), and how it begins. `precis sessions` alone does the same.",
  ],
  examples: {
    "precis sessions list": "the newest twenty",
    "precis sessions list --limit 100 --json | jq -r '.[].id'": "for a script",
  },
  args: {
    limit: option("N", `Maximum number of sessions; ${LIST_DEFAULT} by default.`),
    ...HISTORY_ARGS,
    ...JSON_ARG,
  },
  run: (args, terminal) =>
    withHistory(args, terminal, { readOnly: true }, async (opened) => {
      const limit = parseWhole(args.text("limit") ?? String(LIST_DEFAULT), "--limit", LIST_MAX);
      const sessions = await whileWaiting(terminal.err, () => "reading", opened.history.list(opened.tenant, limit));
      if (args.is("json")) await writeJson(terminal, sessions);
      else if (sessions.length === 0) await terminal.err.say(`${await noSessions(opened)}\n`);
      else await terminal.out.say(sessionList(sessions, Date.now(), terminal.out));
      return EXIT.done;
    }),
};

const show: Command = {
  name: "sessions show",
  summary: "Show one session: its key figures, compactions, hidden results and newest messages.",
  about: [
    "Where a session restarted from a summary, its archives are named; of the engine `sacred-zone` the statistics are shown. Secrets are masked. `precis recall ID` prints what a compaction removed.",
  ],
  examples: {
    "precis sessions show 3fa94c21": "by the beginning of its id",
    "precis sessions show 3fa94c21 --tail 30": "with more of its newest messages",
  },
  args: {
    ...SESSION_ARG,
    tail: option("N", `Number of newest messages; ${TAIL_DEFAULT} by default.`),
    ...HISTORY_ARGS,
    ...JSON_ARG,
  },
  run: (args, terminal) =>
    withHistory(args, terminal, { readOnly: true }, async (opened) => {
      const tail = parseWhole(args.text("tail") ?? String(TAIL_DEFAULT), "--tail", TAIL_MAX);
      const session = await opened.history.show(sessionNamed(args, opened), tail);
      if (args.is("json")) await writeJson(terminal, session);
      else await terminal.out.say(sessionPage(session, Date.now(), terminal.out));
      return EXIT.done;
    }),
};

const exportCommand: Command = {
  name: "sessions export",
  summary: "Write a session's messages, as the client has them or as they would be sent.",
  about: [
    "The messages go to standard output in the protocol they came in, each without a secret as the bytes it came in. System prompt and tools are not among them: the gateway does not keep these. Secrets are masked, unless --with-secrets asks for every byte.",
    "--compacted writes what the next request would go out with. What precis wrote in it is labelled: such a message has the member `precis_origin`. `--synthetic drop` leaves it out and puts back what was only shortened, `--synthetic keep` writes exactly what would be sent.",
  ],
  examples: {
    "precis sessions export 3fa94c21 --original -o session.json": "the conversation as its client has it",
    "precis sessions export 3fa94c21 --compacted | precis inspect -": "show what the tokens are used for now",
    "precis sessions export 3fa94c21 --to openai-chat --format jsonl": "in another protocol, one message per line",
  },
  args: {
    ...SESSION_ARG,
    original: toggle("As the client has it, without anything written by precis; the default."),
    compacted: toggle("As it would be sent."),
    synthetic: option("CHOICE", `What becomes of what precis wrote: ${SYNTHETIC_CHOICES.join(", ")}; mark by default.`),
    format: option("FORMAT", "One array (json, the default) or one message per line (jsonl)."),
    to: option("PROTOCOL", `Write this protocol: ${WIRE_FORMATS.join(", ")}.`),
    "with-secrets": toggle("Mask nothing."),
    out: { ...option("FILE", "Write it to this file, readable only by you."), alias: "o" },
    ...HISTORY_ARGS,
  },
  run: (args, terminal) => {
    const options = exportOptions(args);
    return withHistory(args, terminal, { readOnly: true }, async (opened) => {
      const { text, protocol, messages, synthetic } = await opened.history.export(sessionNamed(args, opened), options);
      const file = args.text("out");
      if (file === undefined) await terminal.out.put(text);
      else {
        await writeOutput(terminal, file, text, { mode: EXPORT_MODE });
        const ours = synthetic === 0 ? "" : `, ${count(synthetic)} of them written by precis`;
        await terminal.err.say(`${counted(messages, "message")} of ${protocol}${ours}, in ${file}\n`);
      }
      return EXIT.done;
    });
  },
};

function exportOptions(args: Arguments): ExportOptions {
  if (args.is("original") && args.is("compacted"))
    throw usageError("--original and --compacted exclude one another", "Leave one out.");
  const to = formatNamed(args.text("to"), "--to", WIRE_FORMATS);
  return {
    form: formatNamed(args.text("format"), "--format", ["json", "jsonl"] as const) ?? "json",
    compacted: args.is("compacted"),
    synthetic: formatNamed(args.text("synthetic"), "--synthetic", SYNTHETIC_CHOICES) ?? "mark",
    secrets: args.is("with-secrets") ? "keep" : "mask",
    ...(to === undefined ? {} : { to }),
  };
}

const compactCommand: Command = {
  name: "sessions compact",
  summary: "Compact a session now, so that its next request is shorter.",
  about: [
    "Records a compaction of the session, like a running gateway does. The next request of that conversation uses it, in any gateway on this store. It also cancels an undo.",
    "The gateway keeps neither system prompts nor tools, so they are not counted here.",
  ],
  examples: {
    "precis sessions compact 3fa94c21": "before lunch, so that nobody waits for it later",
    "precis sessions compact 3fa94c21 --focus 'the failing migration'": "give most of the handoff to one topic",
    "precis sessions compact 3fa94c21 --messages 12-30": "only the results in one range",
  },
  args: {
    ...SESSION_ARG,
    focus: option("TOPIC", "Give this topic 60 to 70 % of the handoff."),
    budget: option(
      "N|P%",
      "Size of the result, in tokens or as a share of the session; by the settings where not given.",
    ),
    messages: option("N-M", "Only these messages: their results become digests, and nothing else changes."),
    ...HISTORY_ARGS,
    ...ENGINE_FLAGS,
    ...JSON_ARG,
  },
  run: (args, terminal) =>
    withHistory(args, terminal, { readOnly: false, compacts: true }, async (opened) => {
      const [focus, budget, messages] = [args.text("focus"), args.text("budget"), args.text("messages")];
      if (messages !== undefined && (focus ?? budget) !== undefined)
        throw usageError("--messages excludes --focus and --budget", "Compact the range, or the whole session.");
      const session = sessionNamed(args, opened);
      await refuseCopy(opened, session, IN_CLAUDE_CODE);
      const work = opened.history.compact(session, {
        ...(messages === undefined ? {} : { messages }),
        ...(focus === undefined ? {} : { focus }),
        ...(budget === undefined ? {} : { budget: (whole) => parseBudget(budget, whole) }),
      });
      const result = await whileWaiting(terminal.err, () => "compacting", work);
      return writeResult(args, terminal, result, budget === undefined && messages === undefined ? NEXT : undefined);
    }),
};

const IN_CLAUDE_CODE =
  "Type `/compact` in Claude Code, or `/compact TOPIC`; this command is for conversations that go through `precis serve`.";

async function writeResult(
  args: Arguments,
  terminal: Terminal,
  result: CompactResult,
  next: string | undefined,
): Promise<ExitCode> {
  const { out } = terminal;
  if (args.is("json")) await writeJson(terminal, result);
  else if (result.kind === "compacted")
    await out.say(compactionPage(result.report, "`precis recall ID` prints the original", out));
  else await out.say(unchangedPage({ irreducible: undefined, next, ...result }, out));
  const irreducible = result.kind === "compacted" ? result.report.irreducible : result.irreducible;
  return irreducible === undefined ? EXIT.done : EXIT.irreducible;
}

const NEXT = "`--budget 20%` sets the size of the result; `--context-length` says how large the window is";

const AS_CONFIGURED = "off";

const editCommand: Command = {
  name: "sessions edit",
  summary: "Pin or drop messages of a session, or set from where on it is compacted; without flags, list its pins.",
  about: [
    "A pinned message is never summarised: every later compaction keeps it word for word, a call together with its results. A pinned fact is stated in every handoff. A compaction that is already in place does not change. Secrets in pinned text are masked in what precis writes.",
    "Dropped messages are not sent any more: whole exchanges go, a call with its results; of an exchange that the range holds only in part, the results go and the call stays. One line takes their place, with the recall id that leads back to them; `precis undo` brings them back. The newest request and the newest exchange stay.",
    "A threshold holds for this session and its branches in every gateway on this store, from the next request on and after a restart. A share is one of the window less what is reserved for the answer; 85 % of that is the latest. After `precis undo` it holds again once the session is compacted.",
  ],
  examples: {
    "precis sessions edit 3fa94c21 --pin 12-14": "keep three messages",
    "precis sessions edit 3fa94c21 --fact 'The port is 8443.'": "state a fact in every handoff",
    "precis sessions edit 3fa94c21 --unpin p1a2b3c": "by the id of the pin",
    "precis sessions edit 3fa94c21 --drop 12-30": "a range that led nowhere",
    "precis sessions edit 3fa94c21 --threshold 60%": "of the window; `off` is as configured",
  },
  args: {
    ...SESSION_ARG,
    pin: option("N-M", "Message numbers, as `precis sessions show` has them."),
    fact: option("TEXT", "One sentence, at most 1,000 characters."),
    unpin: option("PIN", "The id of a pin."),
    drop: option("N-M", "Messages that are not sent any more."),
    threshold: option(
      "N|P%|off",
      "Tokens (at least 1,000), a share of the window from 5 to 85 %, or `off` for the configured one.",
    ),
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
      if (compacts) await refuseCopy(opened, session, IN_CLAUDE_CODE);
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

export const sessionCommands: CommandGroup = {
  name: "sessions",
  summary:
    "The conversations a gateway has kept: list, show, compact, edit, export, delete; and those that agents keep: import.",
  commands: [list, show, compactCommand, editCommand, exportCommand, deleteCommand, importCommand],
  alone: list,
};
