/** The last step: the answer goes back to the client, and what it taught is learned once the client has it. */
import type { Bytes, ClientResponse, HeaderLines } from "../contract.ts";
import type { OwnAnswerBody } from "../../protocols/answers/own-answer.ts";
import { backwardHeaders } from "../transport/headers.ts";
import type { GatewayContext } from "./context.ts";
import { roomLine } from "../../session/timing.ts";
import { deliveredAs, treatmentLine, type RequestRecord } from "./record.ts";
import { reportFault } from "./fault.ts";
import type { AnsweredRequest, PreparedRequest } from "./model-request.ts";
import { type ProviderAnswer, isAccepted } from "./open-answer.ts";
import { relay } from "./relay.ts";
import { effectOf } from "../../core/caching/effectiveness.ts";
import type { Usage } from "../../core/engines/contract.ts";
import { addUsage } from "../../protocols/usage.ts";
import { emitWindowNotice } from "../conversations/start.ts";
import { threadUseOf, type HeldThread } from "../conversations/threads.ts";

/** `keep` settles when what the request brought is in the store, within a bound. */
export function respond(context: GatewayContext, request: AnsweredRequest, keep: () => Promise<void>): ClientResponse {
  const { record, answer } = request;
  const whenWhole = (): void => {
    // Nothing awaits this function, so its errors have to be caught here.
    try {
      learnFrom(context, request);
    } catch (error) {
      reportFault(context, record, "internal_fault", error);
    }
  };
  return relayed(record, answer, { committed: keep, whenWhole });
}

export function respondRefused(record: RequestRecord, response: ClientResponse): ClientResponse {
  record.status = response.status;
  record.over("turned_away");
  return response;
}

const OK = 200;

type Relayable = Pick<ProviderAnswer, "response" | "streamed"> &
  Partial<Pick<ProviderAnswer, "reader" | "goesOn">> & { readonly body: Bytes };

interface OwnResponse extends Partial<OwnAnswerBody> {
  readonly status?: number;
  readonly body: string;
}

/** A response of the gateway's own in place of its provider's; what was done is in the record. */
export function ownResponse(
  record: RequestRecord,
  { status = OK, contentType = "application/json", body }: OwnResponse,
): ClientResponse {
  const bytes = Buffer.from(body);
  return {
    status,
    headers: [
      ["content-type", contentType],
      ["content-length", String(bytes.length)],
      ["x-precis", treatmentLine(record.treatment)],
      ["x-precis-request", record.id],
    ],
    body: bytes,
  };
}

/** Answers a request here, without its provider. */
export function respondHere(record: RequestRecord, answer: OwnAnswerBody): ClientResponse {
  const response = ownResponse(record, answer);
  record.status = OK;
  record.streamed = answer.streamed;
  record.bytesOut = Buffer.byteLength(answer.body);
  record.sent();
  record.over("answered");
  return response;
}

export function respondUnread(record: RequestRecord, answer: Relayable): ClientResponse {
  return relayed(record, answer, { committed: () => Promise.resolve(), whenWhole: () => undefined });
}

function relayed(
  record: RequestRecord,
  { response: { status, headers }, streamed, body, reader, goesOn }: Relayable,
  { committed, whenWhole }: { readonly committed: () => Promise<void>; readonly whenWhole: () => void },
): ClientResponse {
  record.status = status;
  record.streamed = streamed;
  const own: HeaderLines = [
    ["x-precis", treatmentLine(record.treatment)],
    ["x-precis-request", record.id],
    ...(record.disabledEngine === undefined
      ? []
      : [["x-precis-disabled-engine", encodeURIComponent(record.disabledEngine)] as const]),
    ...(record.room === undefined ? [] : [["x-precis-room", roomLine(record.room)] as const]),
  ];
  // The client has its answer before anything is learned or reported of it.
  const over = (): void =>
    void setImmediate(() => {
      whenWhole();
      record.over(deliveredAs(record));
    });
  return {
    status,
    headers: [...backwardHeaders(headers), ...own],
    body: relay(body, {
      record,
      streamed,
      isComplete: () => goesOn !== true && reader?.state.complete === true,
      committed,
      whenWhole: over,
    }),
  };
}

function learnFrom(context: GatewayContext, request: AnsweredRequest): void {
  const { answer, record } = request;
  const { usage, besides } = answer.reader.state;
  // Recall may have taken more than one request to the provider, and the provider may have compacted.
  const reported = answer.spent?.() ?? usage;
  const total = reported !== undefined && besides !== undefined ? addUsage(reported, besides) : reported;
  record.usage = total;
  learnThread(context, request);
  if (request.prepared === undefined) return;
  const { caching, newTokens } = request;
  if (total !== undefined)
    record.cache = effectOf({ usage: total, newTokens, prices: caching.prices, ttl: caching.ttl });
  if (!isAccepted(answer)) return;
  const { conversation } = request;
  const { reasonedCalls: calls } = answer.reader.state;
  conversation.reasoned = { calls, isReported: conversation.reasoned?.isReported ?? false };
  if (usage !== undefined) learnUsage(context, request, { usage, total: total ?? usage });
  if (request.soon) context.compactAhead(request);
}

function learnUsage(
  context: GatewayContext,
  request: PreparedRequest,
  { usage, total }: { readonly usage: Usage; readonly total: Usage },
): void {
  const { mode, models, store, now } = context;
  const { tenant, model, conversation, reading, prepared, outgoing } = request;
  // What is only observed was not sent: the provider counted something else.
  const wasSent = mode !== "observe" || outgoing.treatment.kind === "unchanged";
  // A summary that the provider made says nothing here of what it read.
  if (wasSent && usage.input > 0) prepared.observe(usage);
  models.learnFactor(tenant, model, conversation.runtime.state().factor);
  const outputTokens = prepared.transcript.maxOutputTokens ?? 0;
  const refuted = models.answered(request, { inputTokens: usage.input, outputTokens });
  if (refuted !== undefined && mode !== "observe")
    emitWindowNotice(context, request, {
      code: "window_forgotten",
      window: models.of(tenant, model, request.upstream).window,
    });
  const link = reading.links.at(-1);
  if (link !== undefined) void store.putUsage(tenant, { ...total, link, model, at: now() }).catch(() => undefined);
}

/** A conversation that was replayed and not compacted is asked for again once it has grown by this share. */
const REPLAY_GROWTH_SHARE = 0.15;

function learnThread(context: GatewayContext, request: AnsweredRequest): void {
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
