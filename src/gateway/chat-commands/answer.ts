/** What a person reads in answer to a command: a few lines of figures, or what left the conversation. Without secrets. */
import type { Compaction } from "../../core/compaction/compaction.ts";
import { PrecisError } from "../../core/errors.ts";
import { rangesIn } from "../../core/recall/messages.ts";
import type { Redactor } from "../../core/redaction/redactor.ts";
import { missingIn } from "../../core/receipt/counts.ts";
import { type Transcript, contentText, withParts, type Message } from "../../core/transcript/message.ts";
import type { CompactOptions, Prepared, Runtime } from "../../session/contract.ts";
import { answerRecall } from "../../session/recall/answer.ts";
import { windowOriginText } from "../../session/timing.ts";
import type { HistoryStore } from "../../store/store.ts";
import { CHAT_COMMANDS, type ChatCommand, readCommand } from "./command.ts";
import { isRecallId } from "../../core/transcript/links.ts";
import { personText } from "../../core/events/person.ts";

export interface CommandContext {
  readonly prefix: string;
  readonly runtime: Pick<Runtime, "standing" | "compact" | "undo" | "report">;
  readonly transcript: Transcript;
  readonly links: readonly string[];
  readonly tenant: string;
  readonly store: Pick<HistoryStore, "findCompaction" | "listCompactions" | "getOriginal">;
  readonly redact: Redactor;
  /** Why nothing may be changed here; undefined where it may. */
  readonly refusal: string | undefined;
  /** What a new session towards a goal starts from. */
  readonly writeNewSession: (goal: string) => Promise<string>;
  /** Keeps what the command brought, and tells of a compaction. */
  readonly keep: (made?: Compaction) => Promise<void>;
  readonly signal: AbortSignal;
  readonly now: number;
}

/** Never rejects: what fails is said, with what to do. */
export async function answerCommand(command: ChatCommand, context: CommandContext): Promise<string> {
  try {
    return `${ANSWER_START}${await answers[command.name](context, command)}`;
  } catch (error) {
    const known = error instanceof PrecisError;
    const said = known ? `${error.message.replace(/\.$/, "")}. ${error.hint}` : "precis failed internally.";
    return `${ANSWER_START}${context.redact(said)}`;
  }
}

const answers: Readonly<
  Record<ChatCommand["name"], (context: CommandContext, command: ChatCommand) => string | Promise<string>>
> = {
  compact: compactNow,
  context: showContext,
  undo,
  handoff,
  recall,
  help,
};

async function compactNow(context: CommandContext, { argument: focus }: ChatCommand): Promise<string> {
  const { runtime, transcript, refusal, prefix, signal } = context;
  if (refusal !== undefined) return `Nothing was compacted: ${refusal}.`;
  const how: CompactOptions = { reason: "explicit", signal, ...(focus === "" ? {} : { focus }) };
  const outcome = await runtime.compact(transcript, how);
  if (outcome.kind === "unchanged") return `Nothing was compacted: ${outcome.because}.`;
  await context.keep(outcome.compaction);
  const { tokens, messages, receipt, degraded } = outcome.compaction.report;
  const missing = missingIn(receipt, "request");
  return [
    `Compacted: ${arrow(tokens)}, ${messages.before} → ${messages.after} messages. The next message is sent with it.`,
    ...(missing === 0 ? [] : [`Requests of yours that may be missing: ${missing}; they can be recalled.`]),
    ...degraded.map((because) => `It is poorer than it should be: ${because}.`),
    ...recallLine(outcome.compaction, prefix),
    `\`${prefix} undo\` takes it back.`,
  ].join("\n");
}

async function showContext({ runtime, transcript, ...context }: CommandContext): Promise<string> {
  const sent = await runtime.standing(transcript);
  const { timing, engine, window } = runtime.report();
  const { compaction } = await context.store.findCompaction(context.tenant, context.links);
  const { postponed, compactsAtTokens } = timing;
  return [
    filling(sent, window.tokens),
    `The window: ${count(window.tokens)} tokens, ${windowOriginText(window, context.now)}.`,
    compactsAtTokens === undefined
      ? "It is not compacted automatically."
      : `It is compacted automatically at ${count(compactsAtTokens)} tokens (engine ${engine}).`,
    ...(postponed === undefined ? [] : [`A compaction is due and waits: ${postponed.because}.`]),
    ...(compaction === undefined
      ? ["No compaction is active."]
      : [
          `The active compaction (${compaction.report.reason}) replaces the first ${compaction.covered} messages: ${arrow(compaction.report.tokens)}.`,
          ...recallLine(compaction, context.prefix),
        ]),
  ].join("\n");
}

function filling({ tokens, before, compacted }: Prepared, windowTokens: number): string {
  const share = Math.round((tokens / windowTokens) * PERCENT);
  const whole = compacted ? `, of ${count(before)} as your client has it` : "";
  return `Context: ${count(tokens)} of ${count(windowTokens)} tokens (${share} %)${whole}.`;
}

async function undo({ runtime, transcript, ...context }: CommandContext): Promise<string> {
  const { store, tenant, links, refusal, prefix } = context;
  if (refusal !== undefined) return `Nothing was undone: ${refusal}.`;
  await runtime.standing(transcript);
  const { compaction } = await store.findCompaction(tenant, links);
  if (compaction === undefined || !(await runtime.undo()))
    return "There is nothing to undo: no compaction is active in this conversation.";
  await context.keep();
  const { compaction: before } = await store.findCompaction(tenant, links);
  return [
    `Undone: the compaction (${compaction.report.reason}) of ${arrow(compaction.report.tokens)}.`,
    before === undefined
      ? "The next message is sent with the whole conversation."
      : `The compaction before it (${count(before.report.tokens.after)} tokens) is active again.`,
    `Nothing is compacted automatically until a request overflows or you write \`${prefix} compact\`.`,
  ].join("\n");
}

async function handoff({ writeNewSession, prefix }: CommandContext, { argument }: ChatCommand): Promise<string> {
  if (argument === "") return `Write \`${prefix} handoff\` and what is to be done next.`;
  return `Begin a new session with the text below.\n\n${await writeNewSession(argument)}`;
}

/** Tokens of a recalled text. */
const RECALL_TOKENS_MAX = 8_000;
const RECALL_BOUNDS = { originalChars: 4 * 1024 * 1024, searchedOriginals: 20 };

/** Only what left this very conversation: whoever asks has shown that they know what it begins with. */
async function recall(context: CommandContext, { argument }: ChatCommand): Promise<string> {
  const { store, tenant, links, redact, prefix } = context;
  if (argument === "") return `Write \`${prefix} recall ID\` or \`${prefix} recall WORDS\`.`;
  const compactions = await store.listCompactions(tenant, links);
  const ids = [
    ...new Set(compactions.flatMap(({ compaction }) => compaction.evicted.map(({ id }) => id))),
  ].toReversed();
  const original = (id: string) => (ids.includes(id) ? store.getOriginal(tenant, id) : Promise.resolve(undefined));
  const source = { original, ids, redact, limits: RECALL_BOUNDS };
  return answerRecall(source, recallRequest(argument), RECALL_TOKENS_MAX);
}

function recallRequest(argument: string): Parameters<typeof answerRecall>[1] {
  const [id = "", ...more] = argument.split(/\s+/);
  if (!isRecallId(id)) return { query: argument };
  const at = more.indexOf("offset");
  const offset = at < 0 ? undefined : Number(more[at + 1]);
  const ranges = rangesIn((at < 0 ? more : more.slice(0, at)).join(","));
  return { id, ...(ranges === undefined ? {} : { ranges }), ...(Number.isInteger(offset) ? { offset } : {}) };
}

function help({ prefix }: CommandContext, { unknown }: ChatCommand): string {
  const lines = Object.values(CHAT_COMMANDS).map((says) => `\`${prefix}\` ${says}`);
  const first = unknown === undefined ? "Commands of the gateway:" : `There is no command "${unknown}". There are:`;
  return [first, ...lines, "No model reads a command or its answer."].join("\n");
}

const IDS_SHOWN_MAX = 5;

function recallLine({ evicted }: Compaction, prefix: string): readonly string[] {
  const ids = [...new Set(evicted.map(({ id }) => id))];
  if (ids.length === 0) return [];
  const more = ids.length > IDS_SHOWN_MAX ? `, and ${ids.length - IDS_SHOWN_MAX} more` : "";
  return [`\`${prefix} recall ID\` shows what was removed: ${ids.slice(0, IDS_SHOWN_MAX).join(", ")}${more}.`];
}

const PERCENT = 100;

function arrow({ before, after }: { readonly before: number; readonly after: number }): string {
  const share = Math.round((1 - after / Math.max(1, before)) * PERCENT);
  return `${count(before)} → ${count(after)} tokens (−${share} %)`;
}

function count(tokens: number): string {
  return Math.round(tokens).toLocaleString("en-US");
}

/** Opens every answer of ours, so that it is known again when the client sends it back. */
export const ANSWER_START = "[precis] ";

interface CleanConversation {
  readonly messages: readonly Message[];
  /** The command that the newest message is, still to be answered. */
  readonly command?: ChatCommand;
}

export function withoutCommands(messages: readonly Message[], prefix: string): CleanConversation | undefined {
  const left: Message[] = [];
  let newest: ChatCommand | undefined;
  let changed = false;
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at]!;
    const command = parseCommand(message, prefix);
    const end = command === undefined ? at : spokenUntil(messages, at);
    const reply = messages[end + 1];
    if (command === undefined || (reply?.role === "assistant" && !contentText(reply.parts).startsWith(ANSWER_START))) {
      left.push(message);
      continue;
    }
    changed = true;
    for (const each of [...withoutWords(message), ...messages.slice(at + 1, end + 1)]) left.push(each);
    newest = reply === undefined ? command : undefined;
    at = reply?.role === "assistant" ? end + 1 : end;
  }
  if (!changed) return undefined;
  return newest === undefined ? { messages: left } : { messages: left, command: newest };
}

function parseCommand(message: Message, prefix: string): ChatCommand | undefined {
  if (message.role !== "user" || message.parts.some(({ kind }) => kind !== "text")) return undefined;
  return readCommand(personText(message), prefix);
}

/** The last of the messages after a command in which its client says something in the person's name. */
function spokenUntil(messages: readonly Message[], from: number): number {
  let end = from;
  for (let at = from + 1; at < messages.length; at++) {
    const next = messages[at]!;
    const isReminder =
      next.role === "user" && personText(next) === "" && next.parts.every(({ kind }) => kind === "text");
    if (!isReminder) break;
    end = at;
  }
  return end;
}

/** What the client itself wrote beside the command, such as reminders. */
function withoutWords(message: Message): readonly Message[] {
  const kept = message.parts.filter(
    (part) => part.kind === "text" && part.text.trim() !== "" && personText(withParts(message, [part])) === "",
  );
  return kept.length === 0 ? [] : [withParts(message, kept)];
}
