/** What an answer tells of the thread that the next request may continue: how much it holds, and when it is to be replayed. */
import { threadUseOf, type HeldThread } from "../threads.ts";
import type { GatewayContext } from "./context.ts";
import type { AnsweredRequest } from "./model-request.ts";
import { isAccepted } from "./open-answer.ts";

/** A conversation that was replayed and not compacted is asked for again once it has grown by this share. */
const REPLAY_GROWTH_SHARE = 0.15;

export function learnThread(context: GatewayContext, request: AnsweredRequest): void {
  const { answer, tenant, record } = request;
  const { usage, id } = answer.reader.state;
  // A summary that the provider made says nothing here of what the thread holds.
  if (id === undefined || usage === undefined || usage.input === 0 || !isAccepted(answer)) return;
  const known = request.prepared === undefined ? threadBefore(context, request) : threadStarted(context, request);
  if (known === undefined) return;
  const tokens = usage.input + usage.output;
  record.thread = { id, tokens, ...known(tokens) };
  context.threads.keep(tenant, record.thread);
}

type Limits = Pick<HeldThread, "replayTokens" | "dropsThinking">;

function threadBefore(
  { threads }: GatewayContext,
  { tenant, continues }: AnsweredRequest & { readonly prepared?: undefined },
): (() => Limits) | undefined {
  const before = continues === undefined ? undefined : threads.find(tenant, continues);
  return before && (() => ({ replayTokens: before.replayTokens, dropsThinking: before.dropsThinking }));
}

function threadStarted(
  { mode }: GatewayContext,
  { reading, conversation, outgoing }: Extract<AnsweredRequest, { readonly prepared: object }>,
): ((tokens: number) => Limits) | undefined {
  if (threadUseOf(reading.decoded)?.kind !== "create") return undefined;
  const { compactsAtTokens } = conversation.runtime.report().timing;
  return (tokens) => ({
    replayTokens:
      mode === "rewrite" && compactsAtTokens !== undefined ? nextReplay(tokens, compactsAtTokens) : undefined,
    dropsThinking: outgoing.dropsThinking === true,
  });
}

function nextReplay(tokens: number, compactsAtTokens: number): number {
  return tokens < compactsAtTokens ? compactsAtTokens : Math.ceil(tokens * (1 + REPLAY_GROWTH_SHARE));
}
