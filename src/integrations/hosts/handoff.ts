/**
 * A compaction in the shape that most agents ask for: the messages of the agent in, one text out, and from which message on
 * the agent keeps its own.
 */
import type { Runtime } from "../../session/contract.ts";
import { compactToText, type HandoffTextRequest } from "../../session/handoff-text.ts";
import { readMessages, type ReadFormat } from "../framework/conversation.ts";

export interface HostHandoff {
  readonly summary: string;
  /** Index of the first message that stays as it is; the number of messages if none does. */
  readonly firstKept: number;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

/** As `compactToText`, in the host's own messages. @throws PrecisError as that does. */
export async function handoffFor<Host>(
  runtime: Runtime,
  format: ReadFormat<Host>,
  messages: readonly Host[],
  request: Omit<HandoffTextRequest, "starts"> = {},
): Promise<HostHandoff | undefined> {
  const read = readMessages(format, messages);
  let end = 0;
  const starts = read.map(({ length }) => (end += length) - length);
  const flat = read.flat();
  const done = await compactToText(runtime, flat, { ...request, starts: new Set(starts) });
  if (done === undefined) return undefined;
  const { text: summary, kept, ...tokens } = done;
  const firstKept = starts.findIndex((start) => start >= flat.length - kept);
  return { summary, firstKept: firstKept < 0 ? messages.length : firstKept, ...tokens };
}
