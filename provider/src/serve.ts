/** The course of a request: key, body, model, rules, window, faults, answer; each may be where it ends. */
import { dollars, type Bill } from "./account.ts";
import { sized, sizedReply, type ScriptedRequest, type SizedReply } from "./answers.ts";
import { consultCache } from "./caches/consult.ts";
import type { CachePlan } from "./caches/entries.ts";
import type { Admitted } from "./context.ts";
import type { Incoming, ReplyToSend, TokenUse } from "./contract.ts";
import type { Refusal } from "../../src/protocols/request-form/openai-refusals.ts";
import { drawFault, refusalOf } from "./faults.ts";
import type { ProviderContext } from "./context.ts";
import { inWordsOf } from "./overflow-errors.ts";
import { takeIn } from "./intake.ts";
import { respond } from "./respond.ts";
import { beginRequest, type IncomingRequest, type RequestContext } from "./request-context.ts";
import { isRefusal, type Wire } from "./wire.ts";

export async function serve(provider: ProviderContext, wire: Wire, received: IncomingRequest): Promise<Response> {
  const context = beginRequest(provider, wire, received);
  return handle(provider, wire, { received, context }).catch((error: unknown) =>
    context.refuse(unexpectedError(error as Error)),
  );
}

/** A body nested deeper than our stack is the sender's fault; everything else is ours, or the script's. */
function unexpectedError(error: Error): Refusal {
  if (error instanceof RangeError) return { status: 400, reason: "json", message: "The request is nested too deeply." };
  return { status: 500, reason: "fault", message: `The provider failed: ${error.message}` };
}

async function handle(
  provider: ProviderContext,
  wire: Wire,
  { received, context }: Omit<Entry, "counting">,
): Promise<Response> {
  const admitted = await admit(provider, wire, { received, context, counting: false });
  if (isRefusal(admitted)) return context.refuse(admitted);
  const over = wire.overflow(admitted.accepted.prompt, admitted.traits.windowTokens);
  if (over !== undefined) return overflowed(over, admitted, admitted.traits.windowTokens);
  return answer(admitted);
}

/** Tokens are counted, and nothing is answered. */
export async function count(provider: ProviderContext, wire: Wire, received: IncomingRequest): Promise<Response> {
  const context = beginRequest(provider, wire, received);
  const counted = async (): Promise<Response> => {
    const admitted = await admit(provider, wire, { received, context, counting: true });
    if (isRefusal(admitted)) return context.refuse(admitted);
    context.done();
    const { inputTokens } = admitted.accepted.prompt;
    return Response.json(wire.counted(inputTokens), { headers: wire.requestHeaders(context.requestId) });
  };
  return counted().catch((error: unknown) => context.refuse(unexpectedError(error as Error)));
}

interface Entry {
  readonly received: IncomingRequest;
  readonly context: RequestContext;
  readonly counting: boolean;
}

async function admit(
  provider: ProviderContext,
  wire: Wire,
  { received, context, counting }: Entry,
): Promise<Refusal | Admitted> {
  const { request } = received;
  if (context.secret === "") return wire.keyless;
  const taken = await takeIn(request, wire, provider.limits.bodyBytes ?? wire.bodyBytesMax);
  if (isRefusal(taken)) return taken;
  const { text, body } = taken;
  provider.recorder.keepBody(context.record, text);
  const { path } = context.record;
  const model = wire.request.modelOf(body, path);
  context.record.model = String(model ?? "");
  context.record.stream = wire.request.isStreamed(body, new URL(request.url));
  const traits = typeof model === "string" ? provider.models.find(model) : undefined;
  if (typeof model !== "string" || traits === undefined) return wire.noModel(model);
  const { headers } = request;
  const incoming: Incoming = { protocol: wire.protocol, path, headers, body, text };
  const { sealer } = provider;
  const accepted = wire.judge({
    incoming,
    model,
    traits,
    sealer,
    memory: provider.memoryOf(context.secret),
    counting,
    nowMs: provider.now(),
  });
  return isRefusal(accepted) ? accepted : { provider, wire, context, received, incoming, model, traits, accepted };
}

function overflowed(own: Refusal, admitted: Admitted, windowTokens: number): Response {
  const { context, wire, accepted, traits } = admitted;
  const { overflowError, overflowInStream = wire.streamsOverflow } = traits;
  const refusal =
    overflowError === undefined ? own : inWordsOf(overflowError, own, { prompt: accepted.prompt, windowTokens });
  // A page is a proxy's, which never saw the stream begin.
  const isPage = refusal.body?.startsWith("<") === true;
  if (!context.record.stream || !overflowInStream || isPage) return context.refuse(refusal);
  context.refused(refusal);
  return respond.streamedError(refusal, admitted);
}

async function answer(admitted: Admitted): Promise<Response> {
  const { provider, wire, context, accepted } = admitted;
  const plan = consult(admitted);
  const asked = askedOf(admitted);
  let fault = drawFault(provider.faults, provider.draw);
  const early = fault === undefined ? undefined : refusalOf(fault, wire.faultWords);
  const given = early === undefined && accepted.own === undefined ? await provider.answerer.answer(asked) : {};
  fault ??= given.fault;
  if (fault !== undefined) context.faulted(fault);
  const refusal = fault === undefined ? undefined : (early ?? refusalOf(fault, wire.faultWords));
  if (refusal !== undefined) return context.refuse(refusal);
  if (fault?.kind === "overflow") return failedWindow(admitted);
  const parts = fault?.kind === "window-stop" ? sizedReply({ blocks: [], stop: "window" }) : sizes(admitted, given);
  const use: TokenUse = { inputTokens: accepted.prompt.inputTokens, ...plan.use };
  plan.commit();
  const toSend = replyToSend(admitted, parts, use);
  return respond.answer(admitted, {
    toSend,
    fault,
    bill: (outputTokens) => billOf(admitted, use, outputTokens),
    delivered: (body) => {
      accepted.answered(body);
      provider.answerer.delivered?.(asked);
    },
  });
}

/** What a vendor would say if its window ended just below this request. */
function failedWindow(admitted: Admitted): Response {
  const { wire, traits, accepted } = admitted;
  const windowTokens = accepted.prompt.inputTokens - 1;
  const refusal = { ...wire.overflow(accepted.prompt, windowTokens)!, reason: "fault" } as const;
  const inStream = { ...admitted, traits: { ...traits, overflowInStream: true } };
  return overflowed(refusal, inStream, windowTokens);
}

function askedOf({ provider, context, incoming, model, accepted }: Admitted): ScriptedRequest {
  const { protocol, path, headers, body } = incoming;
  const { stream, key } = context.record;
  const index = provider.books.account().total.answered;
  return { protocol, path, headers, body, model, stream, key, index, inputTokens: accepted.prompt.inputTokens };
}

function sizes({ accepted, traits, context, wire }: Admitted, given: Parameters<typeof sized>[0]): SizedReply {
  if (accepted.own !== undefined) return sizedReply(accepted.own);
  const { maxOutputTokens = traits.maxOutputTokens, inputTokens } = accepted.prompt;
  const { opening } = accepted;
  const { reply, ...answered } = sized(given, {
    limitTokens: Math.min(maxOutputTokens, Math.max(1, traits.windowTokens - inputTokens)),
    tokenFactor: traits.tokenFactor,
    callId: (at) => `${wire.callIdLead}_${context.id}${at}`,
  });
  return { ...answered, reply: opening === undefined ? reply : { ...reply, blocks: [opening, ...reply.blocks] } };
}

function replyToSend(
  { provider, context, incoming, model, accepted, traits, wire }: Admitted,
  parts: SizedReply,
  use: TokenUse,
): ReplyToSend {
  return {
    ...parts,
    use,
    model,
    id: context.id,
    created: Math.floor(provider.now() / 1_000),
    incoming,
    transformations: accepted.transformations,
    seal: (text) => accepted.seal(context.id, text),
    signCompaction: accepted.signCompaction,
    tellsWrites: wire.cacheOf(traits) === "breakpoints",
  };
}

function consult({ provider, context, incoming, model, traits, accepted, wire }: Admitted): CachePlan {
  const { entries, now } = provider;
  const { body } = incoming;
  const scope = JSON.stringify([context.secret, wire.protocol, model, body["prompt_cache_key"]]);
  const query = { entries, scope, prompt: accepted.prompt, traits, nowMs: now() };
  return consultCache(wire.cacheOf(traits), query, body);
}

function billOf({ traits, wire }: Admitted, use: TokenUse, outputTokens: number): Bill {
  const cache = wire.cacheOf(traits);
  const usd = traits.prices === undefined ? 0 : dollars(use, outputTokens, { prices: traits.prices, cache });
  return { use, outputTokens, usd };
}
