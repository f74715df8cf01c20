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
import type { Decoded } from "../../protocols/protocol.ts";
import type { Runtime } from "../../session/contract.ts";
import type { HistoryStore } from "../../store/store.ts";
import type { HeaderLines, EmitEvent } from "../contract.ts";
import type { ReadRequest } from "../conversations/conversations.ts";
import type { ModelBook } from "../models/models.ts";
import { faultReason, reportFault } from "../request/fault.ts";
import type { AnsweredRequest, PreparedRequest } from "../request/model-request.ts";
import type { ProviderAnswer } from "../request/open-answer.ts";
import { createHiddenTurns } from "./hidden.ts";
import { RECALL_LIMITS, type RecallLimits, takesTools, withTools, type RecallOffer, type ToolOffer } from "./tool.ts";
import { createCallAnswers, gatewayTools, createTurn, type AnsweredCall, type Turn } from "./turn.ts";
import type { HiddenTools, WholePassage, WholeScreen, Screen } from "../../protocols/answers/screen.ts";
import { resumed, type Chunks } from "../request/relay.ts";
import { splitFrames, type Frame } from "../../protocols/answers/frames.ts";
import { PrecisError } from "../../core/errors.ts";

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

interface RecallAnswerRequest {
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

interface WholeAnswerOptions {
  readonly screen: WholeScreen;
  readonly names: HiddenTools;
  readonly turn: Turn;
  readonly bodyBytesMax: number;
  readonly resend: (body: string) => Promise<ProviderAnswer>;
  readonly further: (answer: ProviderAnswer) => void;
}

/** The same answer where nothing was hidden or it cannot be read; an error of a further request is the client's answer. */
async function answerWhole(
  first: ProviderAnswer,
  { screen, names, turn, bodyBytesMax, resend, further }: WholeAnswerOptions,
): Promise<ProviderAnswer> {
  const passages: WholePassage[] = [];
  for (let answer = first; ;) {
    const { text, body } = await collected(answer, bodyBytesMax);
    const passage = text === undefined ? undefined : screen.read(text);
    if (passage === undefined) return { ...answer, body };
    passages.push(passage);
    const next = await turn.heard(passage, answer.reader.state.usage);
    if (next === undefined) {
      const hides = passages.length > 1 || passage.calls.length > 0;
      const shown =
        hides || Array.from(names).some((name) => text!.includes(String(name))) ? screen.join(passages) : text!;
      return shown === text ? { ...answer, body } : rewritten(first, shown);
    }
    answer = await continueTurn({ turn, resend, further }, next);
  }
}

interface Collected {
  readonly text: string | undefined;
  readonly body: Chunks;
}

async function collected({ body }: ProviderAnswer, bytesMax: number): Promise<Collected> {
  const read: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const next = await body.next();
    if (next.done === true) break;
    read.push(next.value);
    bytes += next.value.length;
    if (bytes > bytesMax) return { text: undefined, body: resumed(read, body) };
  }
  return { text: Buffer.concat(read).toString(), body: resumed(read, body) };
}

/** The first answer's head: what it says of the body's length no longer holds. */
function rewritten(first: ProviderAnswer, text: string): ProviderAnswer {
  const bytes = Buffer.from(text);
  const headers = first.response.headers.map(([name, value]): readonly [string, string] =>
    name.toLowerCase() === "content-length" ? [name, String(bytes.length)] : [name, value],
  );
  return { ...first, response: { ...first.response, headers }, body: resumed([bytes], NOTHING_MORE()) };
}

async function* NOTHING_MORE(): Chunks {}

// A streamed answer on its way through a screen: passage after passage, as one stream.

interface StreamOptions {
  readonly screen: Screen;
  readonly turn: Turn;
  readonly eventBytesMax: number;
  readonly resend: (body: string) => Promise<ProviderAnswer>;
  readonly further: (answer: ProviderAnswer) => void;
  /** The answer broke off after its first passage; its client has been told. */
  readonly failed: () => void;
  readonly signal: AbortSignal;
}

/** Of what a provider says about an error, this much is passed on. */
const ERROR_CHARS_MAX = 2_000;

async function* streamed(first: ProviderAnswer, streaming: StreamOptions): Chunks {
  const { screen, turn, resend, further } = streaming;
  let answer = first;
  for (let later = false; ; later = true) {
    const broken = yield* passing(answer, streaming, later);
    if (broken !== undefined) {
      yield failure(streaming, broken);
      return;
    }
    const next = await turn.heard(screen.passage(), readUsage(answer));
    if (next === undefined) break;
    try {
      answer = await continueTurn({ turn, resend, further }, next);
      if (answer.response.status >= ERROR_STATUS_MIN || !answer.streamed) {
        yield failure(streaming, await refusal(answer));
        return;
      }
    } catch (error) {
      if (streaming.signal.aborted) throw error;
      yield failure(streaming, error);
      return;
    }
    screen.goOn();
  }
  const end = screen.release();
  if (end !== "") yield Buffer.from(end);
}

/** What broke a later passage; the first one breaks as it would without us. */
async function* passing(
  { body }: ProviderAnswer,
  { screen, eventBytesMax, signal }: StreamOptions,
  later: boolean,
): AsyncGenerator<Uint8Array, unknown, undefined> {
  const splitter = splitFrames(eventBytesMax);
  const shown = (frames: readonly (Frame | string)[]): string =>
    frames.map((frame) => showFrame(screen, frame)).join("");
  try {
    for await (const chunk of body) {
      const text = shown(splitter.push(chunk));
      if (text !== "") yield Buffer.from(text);
    }
  } catch (error) {
    if (!later || signal.aborted) throw error;
    return error;
  }
  const text = shown(splitter.end());
  if (text !== "") yield Buffer.from(text);
  return later && !screen.passage().ended ? BROKEN_OFF : undefined;
}

const BROKEN_OFF = new Error("the answer ended early");

/** An event that cannot be read is the client's to find. */
function showFrame(screen: Screen, frame: Frame | string): string {
  if (typeof frame === "string") return frame;
  try {
    return screen.take(frame);
  } catch (error) {
    if (error instanceof PrecisError) return frame.raw;
    throw error;
  }
}

function readUsage({ reader: { state } }: ProviderAnswer): Usage | undefined {
  return state.usage;
}

function failure({ screen, failed }: StreamOptions, error: unknown): Uint8Array {
  failed();
  const known = error instanceof PrecisError;
  const code = known ? error.code : "upstream_broke_off";
  const message = known ? `${error.message} ${error.hint}` : (error as Error).message;
  return Buffer.from(screen.failure({ code, message }));
}

/** The provider's own words about a request that it would not go on with. */
async function refusal({ body, response: { status } }: ProviderAnswer): Promise<Error> {
  let text = "";
  for await (const chunk of body) {
    text += Buffer.from(chunk).toString();
    if (text.length > ERROR_CHARS_MAX) break;
  }
  return new Error(`the provider answered with status ${status}: ${errorMessage(text).slice(0, ERROR_CHARS_MAX)}`);
}

function errorMessage(text: string): string {
  try {
    const { error } = JSON.parse(text) as { readonly error?: { readonly message?: unknown } };
    return typeof error?.message === "string" ? error.message : text;
  } catch {
    return text;
  }
}

interface ContinuedTurn {
  readonly turn: Pick<Turn, "withoutLast">;
  readonly resend: (body: string) => Promise<ProviderAnswer>;
  readonly further: (answer: ProviderAnswer) => void;
}

/** The next request of a turn: where its provider finds it too large, once more without what was recalled last. */
async function continueTurn({ turn, resend, further }: ContinuedTurn, body: string): Promise<ProviderAnswer> {
  const answer = await resend(body);
  further(answer);
  const smaller = answer.tooLarge ? turn.withoutLast() : undefined;
  if (smaller === undefined) return answer;
  await answer.body.return();
  const again = await resend(smaller);
  further(again);
  return again;
}
