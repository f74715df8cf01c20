/**
 * Recall by the model: it is offered tools with which it asks for what a compaction took away, the gateway answers in the
 * client's stead, and the client sees one answer in which none of this happened (docs/recall.md).
 */
import type { Usage } from "../../core/engines/contract.ts";
import { createRedactor } from "../../core/redaction/redactor.ts";
import type { RedactOptions } from "../../core/redaction/redact.ts";
import type { Chain } from "../../core/transcript/links.ts";
import { definitions } from "../../protocols/registry.ts";
import { addUsage } from "../../protocols/usage.ts";
import type { Decoded } from "../../protocols/index.ts";
import type { Runtime } from "../../session/contract.ts";
import type { HistoryStore } from "../../store/store.ts";
import type { HeaderLines, EmitEvent } from "../contract.ts";
import type { ReadRequest } from "../conversations.ts";
import type { ModelBook } from "../models.ts";
import { faultReason, reportFault } from "../request/fault.ts";
import type { AnsweredRequest, PreparedRequest } from "../request/model-request.ts";
import type { ProviderAnswer } from "../request/open-answer.ts";
import { createHiddenTurns } from "./hidden.ts";
import { RECALL_LIMITS, type RecallLimits } from "./limits.ts";
import { streamed } from "./stream.ts";
import { takesTools, withTools, type RecallOffer, type ToolOffer } from "./tool.ts";
import { createCallAnswers, gatewayTools } from "./tool-calls.ts";
import { createTurn, type AnsweredCall } from "./turn.ts";
import { answerWhole } from "./answer-whole.ts";

export interface RecallSettings {
  /** Default `on`. */
  readonly offer?: RecallOffer;
  readonly limits?: Partial<RecallLimits>;
}

const RECALL_OFFER: RecallOffer = "on";

export interface RecallContext extends RecallSettings {
  readonly store: HistoryStore;
  readonly chain: Chain;
  readonly models: ModelBook;
  readonly secrets: RedactOptions | undefined;
  readonly onEvent: EmitEvent;
}

export interface Recall {
  /** What the model was told: the request with everything in it that was hidden from its client. @throws PrecisError of the store. */
  readonly restored: (tenant: string, reading: ReadRequest) => Promise<Decoded>;
  /** Whether the request gets a tool once something has left its conversation. */
  readonly adds: (request: Decoded) => boolean;
  /** The request's tools with ours; `recallable`: something has left the conversation. Undefined where none is offered. */
  readonly offer: (request: Decoded, runtime: Pick<Runtime, "tools">, recallable: boolean) => ToolOffer | undefined;
  /** The answer as its client is to have it. */
  readonly withoutRecalls: (recalling: RecallAnswerRequest) => Promise<ProviderAnswer>;
}

/** A request whose model may recall, with the answer that came. */
export interface RecallAnswerRequest {
  readonly request: PreparedRequest & AnsweredRequest;
  readonly resend: (body: string) => Promise<ProviderAnswer>;
  readonly failed: () => void;
  readonly signal: AbortSignal;
}

const ERROR_STATUS_MIN = 400;
/** As much of the window as a request's answer is reserved at most. */
const RESERVE_SHARE_MAX = 0.5;

export function createRecall(given: RecallContext): Recall {
  const { store, chain, offer = RECALL_OFFER } = given;
  const recalls = offer !== "off";
  const takes = (request: Decoded): boolean => takesTools(request, recalls ? offer : RECALL_OFFER);
  const redact = createRedactor(given.secrets ?? {});
  const limits = { ...RECALL_LIMITS, ...given.limits };
  const hidden = createHiddenTurns({ store, hash: chain.hash, limits });
  return {
    restored: async (tenant, reading) => (takes(reading.decoded) ? hidden.restored(tenant, reading) : reading.decoded),
    adds: (request) => recalls && takes(request),
    offer: (request, runtime, recallable) =>
      takes(request) ? withTools(request, gatewayTools(runtime, recalls && recallable)) : undefined,
    withoutRecalls: async ({ request, resend, failed, signal }) => {
      const { answer, tenant, reading, conversation, outgoing } = request;
      const link = reading.links.at(-1);
      if (link === undefined || answer.response.status >= ERROR_STATUS_MIN || isCoded(answer)) return answer;
      const { protocol } = reading.decoded;
      const { body, hiddenTools: names } = outgoing;
      const { runtime } = conversation;
      const turn = createTurn({
        ...bounds(given, request),
        tenant,
        protocol,
        link,
        body,
        hidden,
        limits,
        answer: createCallAnswers({ runtime, store, tenant, body, redact, limits }),
      });
      const readers = [answer.reader];
      const further = (next: ProviderAnswer): void => void readers.push(next.reader);
      const spent = (): Usage | undefined => summed(readers.flatMap(({ state }) => state.usage ?? []));
      if (!answer.streamed) {
        const screen = definitions[protocol].wholeScreen(names);
        return {
          ...(await answerWhole(answer, { screen, names, turn, bodyBytesMax: limits.bodyBytes, resend, further })),
          spent,
        };
      }
      const screen = definitions[protocol].screen(names);
      const eventBytesMax = limits.eventBytes;
      const shown = streamed(answer, { screen, turn, eventBytesMax, resend, further, failed, signal });
      return { ...answer, body: shown, spent, goesOn: true };
    },
  };
}

function bounds({ models, onEvent }: RecallContext, { tenant, model, upstream, prepared, reading }: PreparedRequest) {
  const { window, factor } = models.of(tenant, model, upstream);
  const reserved = Math.min(reading.decoded.transcript.maxOutputTokens ?? 0, window.tokens * RESERVE_SHARE_MAX);
  return {
    tokens: prepared.tokens,
    usableTokens: window.tokens - reserved,
    factor,
    onCall: (call: AnsweredCall) => onEvent({ kind: "recall", tenant, model, ...call }),
    unkept: (error: unknown) => reportFault({ onEvent }, { tenant }, faultReason(error), error),
  };
}

/** We ask for answers as they are; one that comes compressed all the same passes as it is. */
function isCoded({ response: { headers } }: ProviderAnswer): boolean {
  return headers.some(
    ([name, value]) => name.toLowerCase() === "content-encoding" && value.toLowerCase() !== "identity",
  );
}

/** A request whose answer can be read: not compressed. */
export function plainAnswer(lines: HeaderLines): HeaderLines {
  return [...lines.filter(([name]) => name.toLowerCase() !== "accept-encoding"), ["accept-encoding", "identity"]];
}

/** Of all that was sent to the provider for one answer. */
function summed(usages: readonly Usage[]): Usage | undefined {
  return usages.length === 0 ? undefined : usages.reduce(addUsage);
}
