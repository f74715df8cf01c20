/** `precis sessions …`: what a gateway has kept, and what can be done to one conversation. */
import { WIRE_FORMATS } from "../../logs/index.ts";
import { SYNTHETIC_CHOICES, type ExportOptions } from "../../gateway/history/contract.ts";
import { count, counted, wholeOf } from "../amounts.ts";
import type { Arguments, Command, CommandGroup } from "../command.ts";
import { EXIT, usageError } from "../exit.ts";
import { writeOutput } from "../files.ts";
import { HISTORY_ARGS, noSessions, SESSION_ARG, sessionNamed, withHistory } from "../history.ts";
import { formatNamed } from "../input.ts";
import { JSON_ARG, writeJson } from "../json-output.ts";
import { whileWaiting } from "../progress.ts";
import { sessionList, sessionPage } from "../sessions-page.ts";
import { compactCommand } from "./sessions-compact.ts";
import { importCommand } from "./sessions-import.ts";
import { deleteCommand } from "./sessions-delete.ts";
import { editCommand } from "./sessions-edit.ts";

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
  examples: [
    { line: "precis sessions show 3fa94c21", says: "by the beginning of its id" },
    { line: "precis sessions show 3fa94c21 --tail 30", says: "with more of its newest messages" },
  ],
  args: {
    ...SESSION_ARG,
    tail: { type: "string", valueHint: "N", description: `Number of newest messages; ${TAIL_DEFAULT} by default.` },
    ...HISTORY_ARGS,
    ...JSON_ARG,
  },
  run: (args, terminal) =>
    withHistory(args, terminal, { readOnly: true }, async (opened) => {
      const tail = wholeOf(args.text("tail") ?? String(TAIL_DEFAULT), "--tail", TAIL_MAX);
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
  examples: [
    {
      line: "precis sessions export 3fa94c21 --original -o session.json",
      says: "the conversation as its client has it",
    },
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
    original: {
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

export const sessionCommands: CommandGroup = {
  name: "sessions",
  summary:
    "The conversations a gateway has kept: list, show, compact, edit, export, delete; and those that agents keep: import.",
  commands: [list, show, compactCommand, editCommand, exportCommand, deleteCommand, importCommand],
  alone: list,
};
