/**
 * A compaction of Claude Code's, answered from inside (docs/hosts.md): its session goes into the store, and what precis makes of
 * it takes the place of all but the newest messages. An undo puts back what the newest compaction replaced.
 */
import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Message } from "../core/transcript/message.ts";
import { keepRows, writeText, type ClaudeRow, type WrittenRow } from "../integrations/claude-code/rows.ts";
import { readLog, withKeptMark } from "../logs/index.ts";
import { sessionText } from "../logs/stored.ts";
import { compactToText, writeAsText } from "../session/handoff-text.ts";
import type { Runtime } from "../session/contract.ts";
import { createRuntime } from "../session/runtime.ts";
import type { Arguments } from "./command.ts";
import { withHistory } from "./history.ts";
import { keepSession } from "./keep-session.ts";
import type { Terminal } from "./terminal.ts";

/** Longer session files are left to Claude Code: it waits for the answer. */
const SESSION_BYTES_MAX = 64 * 1024 * 1024;

/** As the plugin's module sends it. */
export interface ClaudeCompaction {
  readonly transcriptPath: string;
  /** Of the subagent whose conversation is compacted. */
  readonly agentId?: string | undefined;
  readonly instructions?: string | undefined;
  /** True: the newest compaction is taken back instead. */
  readonly undo?: boolean | undefined;
  readonly model: string;
  readonly windowTokens: number;
  readonly rows: readonly ClaudeRow[];
}

export interface ClaudeAnswer {
  /** The conversation from now on: rows that are written, and indices of rows that stay. */
  readonly messages: readonly (number | WrittenRow)[];
  readonly tokensBefore?: number;
  readonly tokensAfter?: number;
}

/**
 * Undefined where nothing smaller is possible, where there is nothing to undo, and where the file is not that of these rows.
 *
 * @throws PrecisError where the session or the store cannot be read.
 */
export async function answerCompaction(
  compaction: ClaudeCompaction,
  args: Arguments,
  terminal: Terminal,
): Promise<ClaudeAnswer | undefined> {
  const { model, windowTokens: contextLength, instructions, rows } = compaction;
  const path = sessionFile(compaction);
  if ((await stat(path)).size > SESSION_BYTES_MAX) return undefined;
  const log = readLog(sessionText(path, { from: "claude-code" }).text, "claude-code", { history: "all" });
  // Every handoff is written from the originals.
  const originals = log.transcript.messages.filter(({ origin }) => origin !== "summary");
  const transcript = { ...log.transcript, messages: originals };
  return withHistory(args, terminal, { readOnly: false, compacts: true, creates: true }, async (opened) => {
    const { kept, tenant } = opened;
    const stored = await keepSession({ ...log, transcript }, { kept, tenant, path });
    if (stored === undefined) return undefined;
    const runtime = createRuntime(opened.runtimeOptions({ model, contextLength }));
    const { messages, links } = stored;
    const answer =
      compaction.undo === true
        ? await restore(runtime, messages, rows)
        : await compact(runtime, messages, { focus: instructions ?? "", rows });
    if (answer !== undefined) await kept.putState(tenant, links[0]!, runtime.state());
    return answer;
  });
}

interface Compacting {
  readonly focus: string;
  readonly rows: readonly ClaudeRow[];
}

async function compact(
  runtime: Runtime,
  messages: readonly Message[],
  { focus, rows }: Compacting,
): Promise<ClaudeAnswer | undefined> {
  // In the middle of a turn a provider wants the thinking of its replies, which rows that are written do not have.
  const keepNothing = messages.at(-1)?.role === "tool";
  const done = await compactToText(runtime, messages, { focus, keepNothing });
  if (done === undefined) return undefined;
  const { text, kept: count, ...tokens } = done;
  const kept = keepRows(messages, messages.length - count, rows);
  return kept === undefined
    ? undefined
    : { messages: [writeText(withKeptMark(text, kept.length)), ...kept], ...tokens };
}

const RESTORED = "The newest compaction was undone.";

/** What stood before the newest compaction: the text of the one before it, if any, and the original messages behind that. */
async function restore(
  runtime: Runtime,
  messages: readonly Message[],
  rows: readonly ClaudeRow[],
): Promise<ClaudeAnswer | undefined> {
  await runtime.standing({ system: [], messages });
  if (!(await runtime.undo())) return undefined;
  const { transcript } = await runtime.standing({ system: [], messages });
  const originals = new Set(messages);
  const end = transcript.messages.findLastIndex((message) => !originals.has(message)) + 1;
  const kept = keepRows(messages, messages.length - (transcript.messages.length - end), rows);
  if (kept === undefined) return undefined;
  const text = end === 0 ? RESTORED : writeAsText(transcript.messages.slice(0, end));
  return { messages: [writeText(withKeptMark(text, kept.length)), ...kept] };
}

/** A subagent has a file of its own, in a folder of its session's. */
function sessionFile({ transcriptPath: path, agentId }: ClaudeCompaction): string {
  if (agentId === undefined) return path;
  return join(dirname(path), basename(path, ".jsonl"), "subagents", `agent-${agentId}.jsonl`);
}
