/**
 * A compaction in the shape that most agents ask for: the messages of the agent in, one text out, and from which message on
 * the agent keeps its own. The text stands in for everything before that message.
 */
import type { Outcome } from "../../core/engines/contract.ts";
import { messageText, numbered } from "../../core/recall/messages.ts";
import { contentText, type Message } from "../../core/transcript/message.ts";
import type { CompactOptions, Runtime } from "../../session/contract.ts";
import { readMessages, type MessageFormat } from "../framework/conversation.ts";

export interface HostHandoff {
  readonly summary: string;
  /** Index of the first message that stays as it is; the number of messages where none does. */
  readonly firstKept: number;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

export interface HandoffRequest extends Pick<CompactOptions, "focus" | "signal"> {
  /** True: no message stays as it is, and the text stands in for all of them. */
  readonly keepNothing?: boolean;
}

/** Where the engine's own figures would keep everything, this share is aimed for. */
const RESULT_SHARE = 0.2;

/**
 * Undefined where nothing smaller is possible. Give the whole history every time: each handoff is written from the originals,
 * not from the one before.
 *
 * @throws PrecisError of the store; the signal's reason where it aborts.
 */
export async function handoffFor<Host>(
  runtime: Runtime,
  format: MessageFormat<Host>,
  messages: readonly Host[],
  request: HandoffRequest = {},
): Promise<HostHandoff | undefined> {
  const read = readMessages(format, messages);
  const flat = read.flat();
  const { focus, signal } = request;
  const given = {
    reason: "explicit" as const,
    ...(focus === undefined || focus === "" ? {} : { focus }),
    ...(signal === undefined ? {} : { signal }),
  };
  const outcome = await compacted(runtime, flat, given);
  if (outcome === undefined) return undefined;
  const { compaction, transcript } = outcome;
  const stays = (at: number): boolean => at >= compaction.covered || compaction.map[at]?.kind === "kept";
  const starts = startsOf(read);
  let firstKept = messages.length;
  if (request.keepNothing !== true)
    while (firstKept > 0 && read[firstKept - 1]!.every((_, member) => stays(starts[firstKept - 1]! + member)))
      firstKept--;
  // A result without its call would be refused.
  while (firstKept < messages.length && read[firstKept]!.some(({ role }) => role === "tool")) firstKept++;
  const kept = flat.length - (starts[firstKept] ?? flat.length);
  const replaced = transcript.messages.slice(0, transcript.messages.length - kept);
  const { before, after } = compaction.report.tokens;
  return { summary: textOfAll(replaced), firstKept, tokensBefore: before, tokensAfter: after };
}

type Compacted = Extract<Outcome, { readonly kind: "compacted" }> & Awaited<ReturnType<Runtime["compact"]>>;

/** By the engine's own figures, then by a budget. */
async function compacted(
  runtime: Runtime,
  messages: readonly Message[],
  given: CompactOptions,
): Promise<Compacted | undefined> {
  const transcript = { system: [], messages };
  const first = await runtime.compact(transcript, given);
  if (first.kind === "compacted") return first;
  const budget = Math.max(1, Math.floor(runtime.report().tokens * RESULT_SHARE));
  const second = await runtime.compact(transcript, { ...given, budget });
  return second.kind === "compacted" ? second : undefined;
}

/** Index of the first of ours for each message of the host. */
function startsOf(read: readonly (readonly Message[])[]): readonly number[] {
  let start = 0;
  return read.map((members) => {
    const own = start;
    start += members.length;
    return own;
  });
}

const SPEAKERS = { system: "System", user: "User", assistant: "Agent", tool: "Result" } as const;
const LIVE_REQUEST = "The user's latest request, word for word:";

/** What replaces messages as one text: what precis wrote as it is, everything else with who said it. */
function textOfAll(messages: readonly Message[]): string {
  const numberedMessages = numbered(messages, 1);
  return messages
    .map((message, at) => {
      if (message.origin === "summary" || message.origin === "note") return contentText(message.parts);
      if (message.origin === "anchor") return `${LIVE_REQUEST}\n${contentText(message.parts)}`;
      const [tool] = message.role === "tool" ? numberedMessages[at]!.tools : [];
      return `${SPEAKERS[message.role]}${tool === undefined ? "" : ` of ${tool}`}: ${messageText(message)}`;
    })
    .join("\n\n");
}
