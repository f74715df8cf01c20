/**
 * `precis hook`: what the plugin for Claude Code does at a compaction (docs/hosts.md). While a gateway compacts, Claude Code's own
 * automatic compaction is held off. Otherwise its session goes into the store and precis writes the compaction; after one that
 * Claude Code wrote itself, what the user wrote comes back.
 */
import { readFile, stat } from "node:fs/promises";
import { personText } from "../../core/events/person.ts";
import { createRedactor } from "../../core/redaction/redactor.ts";
import { readLog } from "../../logs/read.ts";
import { withKeptMark } from "../../logs/claude-code/branch.ts";
import { PrecisError } from "../../core/errors.ts";
import { type Arguments, type Command } from "../program/command.ts";
import { EXIT, type ExitCode } from "../program/exit.ts";
import { isGateway } from "../gateway/process.ts";
import { HISTORY_ARGS, withHistory, keepSession } from "../store/history.ts";
import type { Terminal } from "../screen/terminal.ts";
import { basename, dirname, join } from "node:path";
import { callsOf, type Message } from "../../core/transcript/message.ts";
import { keepRows, writeText, type ClaudeRow, type WrittenRow } from "../../integrations/claude-code/rows.ts";
import { sessionText } from "../../logs/stored.ts";
import { compactToText, writeAsText, type TextOptions } from "../../session/handoff-text.ts";
import type { Runtime } from "../../session/contract.ts";
import { createRuntime } from "../../session/runtime.ts";

/** Longer session files are not read: Claude Code waits. */
const SESSION_BYTES_MAX = 64 * 1024 * 1024;
/** Of the user's messages, this much comes back; Claude Code puts longer additions into a file. */
const MESSAGES_CHARS_MAX = 8_000;
/** A longer message was pasted, at least in part. */
const MESSAGE_CHARS_MAX = 2_000;
/** What Claude Code takes as "do not do that". */
const BLOCKED: ExitCode = EXIT.usage;

export const hookCommand: Command = {
  name: "hook",
  summary: "Answer a hook of Claude Code; the precis plugin calls it.",
  about: [
    "Reads the event from standard input. `PreCompact`: while a gateway answers at ANTHROPIC_BASE_URL, an automatic compaction of Claude Code is blocked (exit code 2), because the gateway compacts. `SessionStart` after a compaction: prints what the user wrote in the session, newest first, for Claude Code to add. `SessionCompact`, of the plugin's own module: prints the conversation that takes the place of the compacted one, or why Claude Code has to compact itself (`failure`), as JSON. Every other event is ignored. See docs/hosts.md.",
  ],
  examples: { "precis hook < event.json": "as Claude Code calls it" },
  args: HISTORY_ARGS,
  run: async (args, terminal) => {
    const event = eventIn(Buffer.from(await terminal.readStandardInput()).toString("utf8"));
    if (event.hook_event_name === "PreCompact") return beforeCompaction(event, terminal);
    if (event.hook_event_name === "SessionCompact") return compact(event, args, terminal);
    if (event.hook_event_name === "SessionStart" && event.source === "compact") return afterCompaction(event, terminal);
    return EXIT.done;
  },
};

interface HookEvent {
  readonly hook_event_name?: unknown;
  readonly trigger?: unknown;
  readonly source?: unknown;
  readonly transcript_path?: unknown;
  readonly compaction?: unknown;
}

/** What cannot be read is no event, and nothing is done. */
function eventIn(text: string): HookEvent {
  try {
    return (JSON.parse(text) ?? {}) as HookEvent;
  } catch {
    return {};
  }
}

const AT_GATEWAY = "precis compacts this conversation at the gateway.";

async function beforeCompaction({ trigger }: HookEvent, terminal: Terminal): Promise<ExitCode> {
  if (trigger !== "auto" || !(await hasGateway(terminal))) return EXIT.done;
  await terminal.err.write(`${AT_GATEWAY}\n`);
  return BLOCKED;
}

/** A person who asks for a compaction gets it. */
async function compact({ trigger, compaction }: HookEvent, args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const isAutomatic = trigger === "auto";
  const answer =
    isAutomatic && (await hasGateway(terminal))
      ? { skip: AT_GATEWAY }
      : await answerOrSay({ ...(compaction as ClaudeCompaction), isAutomatic }, args, terminal);
  await terminal.out.put(`${JSON.stringify(answer)}\n`);
  return EXIT.done;
}

/** What Claude Code shows: why nothing is undone, or why it has to compact itself. */
async function answerOrSay(compaction: ClaudeCompaction, args: Arguments, terminal: Terminal): Promise<HookAnswer> {
  let failure: string;
  try {
    const answer = await answerCompaction(compaction, args, terminal);
    if (!("failure" in answer)) return answer;
    failure = answer.failure;
  } catch (error) {
    failure = error instanceof PrecisError ? describeFault(error) : `${String(error)}.`;
  }
  return compaction.undo === true ? { skip: `precis could not undo: ${failure}` } : { failure };
}

function describeFault({ place, message, hint }: PrecisError): string {
  return `${place === undefined ? "" : `${place}: `}${message}. ${hint}`;
}

async function hasGateway({ environment }: Terminal): Promise<boolean> {
  const base = environment["ANTHROPIC_BASE_URL"];
  return base !== undefined && URL.canParse(base) && isGateway(new URL(base).origin);
}

async function afterCompaction({ transcript_path: path }: HookEvent, terminal: Terminal): Promise<ExitCode> {
  // Set by the plugin's module where the compaction is ours: its handoff has these words.
  if (terminal.environment["PRECIS_COMPACTED"] !== undefined) return EXIT.done;
  const said = typeof path === "string" ? await messagesIn(path).catch(() => "") : "";
  if (said === "") return EXIT.done;
  const additionalContext = `What the user wrote earlier in this session, word for word, the newest first; where two differ, the newer holds:\n${said}`;
  const output = { hookSpecificOutput: { hookEventName: "SessionStart", additionalContext } };
  await terminal.out.put(`${JSON.stringify(output)}\n`);
  return EXIT.done;
}

/** From everything that was said, and not from the summary. */
async function messagesIn(path: string): Promise<string> {
  if ((await stat(path)).size > SESSION_BYTES_MAX) return "";
  const { transcript } = readLog(await readFile(path, "utf8"), "claude-code", { history: "all" });
  const redact = createRedactor();
  const said: string[] = [];
  let left = MESSAGES_CHARS_MAX;
  for (const message of transcript.messages.toReversed()) {
    const text = personText(message);
    if (text === "" || text.length > Math.min(left, MESSAGE_CHARS_MAX)) continue;
    left -= text.length;
    said.push(`- ${redact(text)}`);
  }
  return said.join("\n");
}

/** Longer session files are left to Claude Code: it waits for the answer. */
const CLAUDE_SESSION_BYTES_MAX = 64 * 1024 * 1024;

interface ClaudeCompaction {
  readonly transcriptPath: string;
  /** Of the subagent whose conversation is compacted. */
  readonly agentId?: string | undefined;
  readonly instructions?: string | undefined;
  /** True: the newest compaction is taken back instead. */
  readonly undo?: boolean | undefined;
  /** False where a person or another plugin asked for it. */
  readonly isAutomatic: boolean;
  readonly model: string;
  readonly windowTokens: number;
  readonly rows: readonly ClaudeRow[];
}

interface ClaudeAnswer {
  /** The conversation from now on: rows that are written, and indices of rows that stay. */
  readonly messages: readonly (number | WrittenRow)[];
  readonly tokensBefore?: number;
  readonly tokensAfter?: number;
}

/** Why Claude Code has to compact itself. */
interface HookFailure {
  readonly failure: string;
}

type HookAnswer = ClaudeAnswer | HookFailure | { readonly skip: string };

const NOTHING_SMALLER: HookFailure = { failure: "precis found nothing to shorten." };
const NOTHING_TO_UNDO: HookFailure = { failure: "there is no compaction of precis in effect." };
const OTHER_CONVERSATION: HookFailure = { failure: "the session file does not hold this conversation." };
const TOO_LARGE: HookFailure = {
  failure: `the session file has more than ${CLAUDE_SESSION_BYTES_MAX / 1024 / 1024} MB.`,
};

/** @throws PrecisError where the session or the store cannot be read. */
async function answerCompaction(
  compaction: ClaudeCompaction,
  args: Arguments,
  terminal: Terminal,
): Promise<ClaudeAnswer | HookFailure> {
  const { model, windowTokens: contextLength, instructions, isAutomatic, rows } = compaction;
  const path = sessionFile(compaction);
  if ((await stat(path)).size > CLAUDE_SESSION_BYTES_MAX) return TOO_LARGE;
  const log = readLog(sessionText(path, { from: "claude-code" }).text, "claude-code", { history: "all" });
  // Every handoff is written from the originals.
  const originals = log.transcript.messages.filter(({ origin }) => origin !== "summary");
  const transcript = { ...log.transcript, messages: originals };
  return withHistory(args, terminal, { readOnly: false, compacts: true, creates: true }, async (opened) => {
    const { kept, tenant } = opened;
    const stored = await keepSession({ ...log, transcript }, { kept, tenant, path });
    if (stored === undefined) return OTHER_CONVERSATION;
    const options = opened.runtimeOptions({ model, contextLength });
    const runtime = createRuntime(options);
    const { secrets } = options;
    const { messages, links } = stored;
    const answer =
      compaction.undo === true
        ? await restore(runtime, messages, { rows, secrets })
        : await compactSession(runtime, messages, { focus: instructions ?? "", isAutomatic, rows, secrets });
    if ("messages" in answer) await kept.putState(tenant, links[0]!, runtime.state());
    return answer;
  });
}

interface Compacting extends Pick<ClaudeCompaction, "isAutomatic" | "rows">, Pick<TextOptions, "secrets"> {
  readonly focus: string;
}

async function compactSession(
  runtime: Runtime,
  messages: readonly Message[],
  { focus, isAutomatic, rows, secrets }: Compacting,
): Promise<ClaudeAnswer | HookFailure> {
  // In the middle of a turn a provider wants the thinking of its replies, which rows that are written do not have.
  const newestReply = messages.findLast(({ role }) => role === "assistant");
  const keepNothing = newestReply !== undefined && callsOf(newestReply).length > 0;
  const reason = isAutomatic ? "host" : "explicit";
  const done = await compactToText(runtime, messages, { focus, keepNothing, reason, secrets });
  if (done === undefined) return NOTHING_SMALLER;
  const { text, kept: count, ...tokens } = done;
  const kept = keepRows(messages, messages.length - count, rows);
  return kept === undefined
    ? OTHER_CONVERSATION
    : { messages: [writeText(withKeptMark(text, kept.length)), ...kept], ...tokens };
}

const RESTORED = "The newest compaction was undone.";

/** What stood before the newest compaction: the text of the one before it, if any, and the original messages behind that. */
async function restore(
  runtime: Runtime,
  messages: readonly Message[],
  { rows, secrets }: Pick<Compacting, "rows" | "secrets">,
): Promise<ClaudeAnswer | HookFailure> {
  await runtime.standing({ system: [], messages });
  if (!(await runtime.undo())) return NOTHING_TO_UNDO;
  const { transcript } = await runtime.standing({ system: [], messages });
  const originals = new Set(messages);
  const end = transcript.messages.findLastIndex((message) => !originals.has(message)) + 1;
  const kept = keepRows(messages, messages.length - (transcript.messages.length - end), rows);
  if (kept === undefined) return OTHER_CONVERSATION;
  const text = end === 0 ? RESTORED : writeAsText(transcript.messages.slice(0, end), { secrets });
  return { messages: [writeText(withKeptMark(text, kept.length)), ...kept] };
}

/** A subagent has a file of its own, in a folder of its session's. */
function sessionFile({ transcriptPath: path, agentId }: ClaudeCompaction): string {
  if (agentId === undefined) return path;
  return join(dirname(path), basename(path, ".jsonl"), "subagents", `agent-${agentId}.jsonl`);
}
