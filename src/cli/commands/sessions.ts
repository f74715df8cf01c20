/** `precis sessions …`: what a gateway has kept, and what can be done to one conversation. */
import { WIRE_FORMATS } from "../../logs/index.ts";
import { SYNTHETIC_CHOICES, type CompactResult, type ExportOptions } from "../../gateway/history/contract.ts";
import { budgetOf, count, counted, wholeOf } from "../amounts.ts";
import type { Arguments, Command, CommandGroup } from "../command.ts";
import { compactionPage, unchangedPage } from "../compaction-page.ts";
import { EXIT, usageError, type ExitCode } from "../exit.ts";
import { writeOutput } from "../files.ts";
import { HISTORY_ARGS, noSessions, SESSION_ARG, sessionNamed, withHistory } from "../history.ts";
import { formatNamed } from "../input.ts";
import { whileWaiting } from "../progress.ts";
import { sessionList, sessionPage } from "../sessions-page.ts";
import { findCommand, importCommand } from "./sessions-agents.ts";
import { deleteCommand } from "./sessions-delete.ts";
import { watchCommand } from "./sessions-watch.ts";
import { pinCommand, pinsCommand, unpinCommand } from "./sessions-pins.ts";
import { thresholdCommand } from "./sessions-threshold.ts";
import { ENGINE_FLAGS } from "../settings-flags.ts";
import { writeSessionPage } from "../session-html.ts";
import type { Terminal } from "../terminal.ts";

const LIST_DEFAULT = 20;
const LIST_MAX = 1_000;
const TAIL_DEFAULT = 6;
const TAIL_MAX = 500;
/** An export holds what was said: for its owner alone. */
const EXPORT_MODE = 0o600;

const JSON_ARG = { json: { type: "boolean", description: "Print JSON." } } as const;

const list: Command = {
  name: "sessions list",
  summary: "List the sessions that the gateway has kept, the most recently used first.",
  about: [
    "Each with its age, the model that was asked last, its messages, the tokens its last request took as the provider reported them (≈: an estimate of the whole), its compactions (`cut`; `u` where the newest was undone, `w` where the next is due and waits), the branches that left it (`fork`), and how it begins. `precis sessions` alone does the same.",
  ],
  examples: [
    { line: "precis sessions list", says: "the newest twenty" },
    { line: "precis sessions list --limit 100 --json | jq -r '.[].id'", says: "for a script" },
  ],
  args: {
    limit: { type: "string", valueHint: "N", description: `Maximum number of sessions; ${LIST_DEFAULT} by default.` },
    ...HISTORY_ARGS,
    ...JSON_ARG,
  },
  run: (args, terminal) =>
    withHistory(args, terminal, { readOnly: true }, async (opened) => {
      const limit = wholeOf(args.text("limit") ?? String(LIST_DEFAULT), "--limit", LIST_MAX);
      const sessions = await whileWaiting(terminal.err, () => "reading", opened.history.list(opened.tenant, limit));
      if (args.is("json")) await json(terminal, sessions);
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
  examples: [
    { line: "precis sessions show 3fa94c21", says: "by the beginning of its id" },
    { line: "precis sessions show 3fa94c21 --tail 30", says: "with more of its newest messages" },
    { line: "precis sessions show 3fa94c21 --html session.html", says: "as a page to look at or to send" },
  ],
  args: {
    ...SESSION_ARG,
    html: {
      type: "string",
      valueHint: "FILE",
      description: "Write the session as one HTML page, readable only by you.",
    },
    tail: { type: "string", valueHint: "N", description: `Number of newest messages; ${TAIL_DEFAULT} by default.` },
    ...HISTORY_ARGS,
    ...JSON_ARG,
  },
  run: (args, terminal) =>
    withHistory(args, terminal, { readOnly: true }, async (opened) => {
      const tail = wholeOf(args.text("tail") ?? String(TAIL_DEFAULT), "--tail", TAIL_MAX);
      const session = await opened.history.show(sessionNamed(args, opened), tail);
      const file = args.text("html");
      if (file !== undefined) await writeSessionPage(file, session, opened, terminal);
      else if (args.is("json")) await json(terminal, session);
      else await terminal.out.say(sessionPage(session, Date.now(), terminal.out));
      return EXIT.done;
    }),
};

const compact: Command = {
  name: "sessions compact",
  summary: "Compact a session now, so that its next request is shorter.",
  about: [
    "Records a compaction of the session, like a running gateway does. The next request of that conversation uses it, in any gateway on this store. It also cancels an undo.",
    "The gateway keeps neither system prompts nor tools, so they are not counted here.",
  ],
  examples: [
    { line: "precis sessions compact 3fa94c21", says: "before lunch, so that nobody waits for it later" },
    {
      line: "precis sessions compact 3fa94c21 --focus 'the failing migration'",
      says: "give most of the handoff to one topic",
    },
    { line: "precis sessions compact 3fa94c21 --messages 12-30", says: "only the results in one range" },
  ],
  args: {
    ...SESSION_ARG,
    focus: { type: "string", valueHint: "TOPIC", description: "Give this topic 60 to 70 % of the handoff." },
    budget: {
      type: "string",
      valueHint: "N|P%",
      description: "Size of the result, in tokens or as a share of the session; by the settings where not given.",
    },
    messages: {
      type: "string",
      valueHint: "N-M",
      description: "Only these messages: their results become digests, and nothing else changes.",
    },
    ...HISTORY_ARGS,
    ...ENGINE_FLAGS,
    ...JSON_ARG,
  },
  run: (args, terminal) =>
    withHistory(args, terminal, { readOnly: false, compacts: true }, async (opened) => {
      const [focus, budget, messages] = [args.text("focus"), args.text("budget"), args.text("messages")];
      if (messages !== undefined && (focus ?? budget) !== undefined)
        throw usageError("--messages excludes --focus and --budget", "Compact the range, or the whole session.");
      const work = opened.history.compact(sessionNamed(args, opened), {
        ...(messages === undefined ? {} : { messages }),
        ...(focus === undefined ? {} : { focus }),
        ...(budget === undefined ? {} : { budget: (whole) => budgetOf(budget, whole) }),
      });
      const result = await whileWaiting(terminal.err, () => "compacting", work);
      return tellCompaction(args, terminal, result, budget === undefined && messages === undefined ? NEXT : undefined);
    }),
};

async function tellCompaction(
  args: Arguments,
  terminal: Terminal,
  result: CompactResult,
  next: string | undefined,
): Promise<ExitCode> {
  const { out } = terminal;
  if (args.is("json")) await json(terminal, result);
  else if (result.kind === "compacted")
    await out.say(compactionPage(result.report, "`precis recall ID` prints the original", out));
  else await out.say(unchangedPage({ irreducible: undefined, next, ...result }, out));
  const irreducible = result.kind === "compacted" ? result.report.irreducible : result.irreducible;
  return irreducible === undefined ? EXIT.done : EXIT.irreducible;
}

const drop: Command = {
  name: "sessions drop",
  summary: "Drop messages of a session, so that they are not sent any more.",
  about: [
    "Whole exchanges go, a call with its results; of an exchange that the range holds only in part, the results go and the call stays. One line takes their place, with the recall id that leads back to them. Later compactions are made without them, and `precis undo` brings them back. The newest request and the newest exchange stay.",
  ],
  examples: [
    { line: "precis sessions drop 3fa94c21 --messages 12-30", says: "a range that led nowhere" },
    { line: "precis sessions drop 3fa94c21 --messages 13", says: "one result" },
  ],
  args: {
    ...SESSION_ARG,
    messages: { type: "string", valueHint: "N-M", description: "Message numbers, as `precis sessions show` has them." },
    ...HISTORY_ARGS,
    ...JSON_ARG,
  },
  run: (args, terminal) => {
    const messages = args.text("messages");
    if (messages === undefined) throw usageError("--messages is missing", "Write for example `--messages 12-30`.");
    return withHistory(args, terminal, { readOnly: false, compacts: true }, async (opened) =>
      tellCompaction(args, terminal, await opened.history.drop(sessionNamed(args, opened), messages), undefined),
    );
  },
};

const exportCommand: Command = {
  name: "sessions export",
  summary: "Write a session's messages, as the client has them or as they would be sent.",
  about: [
    "The messages go to standard output in the protocol they came in, each without a secret as the bytes it came in. System prompt and tools are not among them: the gateway does not keep these. Secrets are masked, unless --with-secrets asks for every byte.",
    "--compacted writes what the next request would go out with. What precis wrote in it is labelled: such a message has the member `precis_origin`. `--synthetic drop` leaves it out and puts back what was only shortened, `--synthetic keep` writes exactly what would be sent.",
  ],
  examples: [
    { line: "precis sessions export 3fa94c21 -o session.json", says: "the conversation as its client has it" },
    {
      line: "precis sessions export 3fa94c21 --compacted | precis inspect -",
      says: "show what the tokens are used for now",
    },
    {
      line: "precis sessions export 3fa94c21 --to openai-chat --format jsonl",
      says: "in another protocol, one message per line",
    },
  ],
  args: {
    ...SESSION_ARG,
    originals: {
      type: "boolean",
      description: "As the client has it, without anything written by precis; the default.",
    },
    compacted: { type: "boolean", description: "As it would be sent." },
    synthetic: {
      type: "string",
      valueHint: "CHOICE",
      description: `What becomes of what precis wrote: ${SYNTHETIC_CHOICES.join(", ")}; mark by default.`,
    },
    format: {
      type: "string",
      valueHint: "FORMAT",
      description: "One array (json, the default) or one message per line (jsonl).",
    },
    to: { type: "string", valueHint: "PROTOCOL", description: `Write this protocol: ${WIRE_FORMATS.join(", ")}.` },
    "with-secrets": { type: "boolean", description: "Mask nothing." },
    out: { type: "string", alias: "o", valueHint: "FILE", description: "Write it to this file, readable only by you." },
    ...HISTORY_ARGS,
  },
  run: (args, terminal) => {
    const options = exportOptions(args);
    return withHistory(args, terminal, { readOnly: true }, async (opened) => {
      const { text, protocol, messages, synthetic } = await opened.history.export(sessionNamed(args, opened), options);
      const file = args.text("out");
      if (file === undefined) await terminal.out.write(text);
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
  if (args.is("originals") && args.is("compacted"))
    throw usageError("--originals and --compacted exclude one another", "Leave one out.");
  const to = formatNamed(args.text("to"), "--to", WIRE_FORMATS);
  return {
    form: formatNamed(args.text("format"), "--format", ["json", "jsonl"] as const) ?? "json",
    compacted: args.is("compacted"),
    synthetic: formatNamed(args.text("synthetic"), "--synthetic", SYNTHETIC_CHOICES) ?? "mark",
    secrets: args.is("with-secrets") ? "keep" : "mask",
    ...(to === undefined ? {} : { to }),
  };
}

const fork: Command = {
  name: "sessions fork",
  summary: "Start a new session from the messages of another one.",
  about: [
    "Nothing is copied and the other session does not change. A client goes on with the fork by sending its messages (`precis sessions export`) with the header `x-precis-session: NAME`. Compactions belong to messages and not to sessions, so what both begin with is compacted, and undone, for both.",
  ],
  examples: [
    { line: "precis sessions fork 3fa94c21 --name second-try", says: "from where it is now" },
    { line: "precis sessions fork 3fa94c21 --at 120", says: "fork after its message 120" },
  ],
  args: {
    ...SESSION_ARG,
    at: { type: "string", valueHint: "N", description: "Fork after this message, from 1; after the last by default." },
    name: { type: "string", valueHint: "NAME", description: "The fork's id; derived from the other id by default." },
    ...HISTORY_ARGS,
    ...JSON_ARG,
  },
  run: (args, terminal) =>
    withHistory(args, terminal, { readOnly: false }, async (opened) => {
      const [at, name] = [args.text("at"), args.text("name")];
      const made = await opened.history.fork(sessionNamed(args, opened), {
        ...(at === undefined ? {} : { at: wholeOf(at, "--at", 1_000_000) }),
        ...(name === undefined ? {} : { name }),
      });
      if (args.is("json")) await json(terminal, made);
      else await terminal.out.say(`${made.session}  ${terminal.out.paint("dim", counted(made.messages, "message"))}\n`);
      return EXIT.done;
    }),
};

const NEXT = "`--budget 20%` sets the size of the result; `--context-length` says how large the window is";

function json({ out }: Terminal, data: unknown): Promise<void> {
  return out.write(`${JSON.stringify(data, null, 2)}\n`);
}

export const sessionCommands: CommandGroup = {
  name: "sessions",
  summary:
    "The conversations a gateway has kept: list, watch, show, compact, drop, threshold, pin, export, fork, delete; and those that agents keep: find, import.",
  commands: [
    list,
    watchCommand,
    show,
    compact,
    drop,
    thresholdCommand,
    pinCommand,
    unpinCommand,
    pinsCommand,
    exportCommand,
    fork,
    deleteCommand,
    findCommand,
    importCommand,
  ],
  alone: list,
};
