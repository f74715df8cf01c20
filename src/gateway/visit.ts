/**
 * A request for a model's answer, from its bytes to what is to be sent: whose it is, which conversation it goes on with,
 * what stands for it, and whether a compaction is due. Nothing here talks to a provider.
 */
import type { CachingDesk, Caching } from "./caching.ts";
import type { CompactionEvent, HeaderLines, Tell, Treatment } from "./contract.ts";
import type { Compaction } from "../core/compaction/compaction.ts";
import type { Usage } from "../core/engines/contract.ts";
import { faultOf } from "./untouched.ts";
import type { Chain } from "../core/transcript/links.ts";
import type { Transcript } from "../core/transcript/message.ts";
import { protocols, type Decoded, type ProtocolName } from "../protocols/index.ts";
import type { Prepared, Runtime, RuntimeOptions, RuntimeState } from "../session/contract.ts";
import { RESERVE_SHARE_MAX } from "../session/live.ts";
import { withMarkers, withoutStaleMarkers } from "../session/markers.ts";
import { createRuntime } from "../session/runtime.ts";
import { createMemoryStore } from "../store/memory.ts";
import type { HistoryStore } from "../store/store.ts";
import type { Beginning, Conversation, Conversations, Reading } from "./conversations.ts";
import { clientCompaction } from "./knowledge/client-compaction.ts";
import {
  allowsCompaction,
  carryThinking,
  thinkingCourse,
  type ThinkingCourse,
  type ThinkingRules,
} from "./knowledge/thinking/index.ts";
import type { ModelBook } from "./models.ts";
import { createPending } from "./pending.ts";
import { plainAnswer, type Recall } from "./recall/recall.ts";

/** `observe` rewrites nothing and says what it would have done; `off` leaves to explicit compactions. */
export type Mode = "rewrite" | "observe" | "off";

export interface VisitDesk {
  readonly mode: Mode;
  /** For every conversation; what depends on the request is added. */
  readonly runtime: Pick<
    RuntimeOptions,
    "engine" | "settings" | "writers" | "mainAhead" | "secrets" | "redactOutgoing" | "now"
  >;
  readonly chain: Chain;
  readonly store: HistoryStore;
  readonly models: ModelBook;
  readonly thinking: ThinkingRules;
  readonly conversations: Conversations;
  readonly caching: CachingDesk;
  /** Where models may recall what left their conversation. */
  readonly recall?: Recall | undefined;
  readonly tell: Tell;
}

/** How a request is to be looked at. */
export interface VisitOptions {
  readonly tenant: string;
  readonly protocol: ProtocolName;
  readonly text: string;
  /** The client's own name for its session. */
  readonly session: string | undefined;
  /** Where it goes: the upstream's address. Windows are learned of each. */
  readonly upstream: string;
  /** `standing`: put in place what there is, and decide nothing. */
  readonly decide: "due" | "standing";
  /** How its provider's cache is used, and what it costs. */
  readonly caching: Caching;
}

/** A request that was read and prepared. */
export interface Visit extends VisitOptions {
  readonly reading: Reading;
  /** The request with what was hidden from its client; the client's own where that is nothing. */
  readonly told: Decoded;
  readonly model: string;
  readonly conversation: Conversation;
  readonly prepared: Prepared;
  readonly treatment: Treatment;
  /** Estimated tokens that came since the request before; undefined where there was none. */
  readonly newTokens: number | undefined;
  /** A compaction is worth making ahead. */
  readonly soon: boolean;
  /** What to send; the text that came where nothing changes. */
  readonly body: string;
  /** The model may call the recall tool. */
  readonly recalls: boolean;
  /** What refusals showed of its model: learned once this request is taken. */
  readonly shown?: Pick<RuntimeState, "contextLength" | "factor"> | undefined;
  /** What a rewritten request says in its headers too. */
  readonly headersOf?: (headers: HeaderLines) => HeaderLines;
}

/** A conversation of no more messages begins now: nothing of it was kept before. */
const NEW_MESSAGES_MAX = 3;

/** @throws PrecisError of the protocol for a body that cannot be read, of the store where it does not answer. */
export async function visit(desk: VisitDesk, reading: Reading, options: VisitOptions): Promise<Visit> {
  const { tenant } = options;
  const told = desk.recall === undefined ? reading.decoded : await desk.recall.restored(tenant, reading);
  const { transcript } = told;
  const model = transcript.model ?? "";
  const recalled = desk.models.recalled(options.tenant, model);
  if (recalled !== undefined) await recalled;
  const conversation = await desk.conversations.of(tenant, reading, (relative) =>
    begin(desk, { ...options, reading, model, relative }),
  );
  conversation.pricing.economy = options.caching.economy;
  const spared = sparedBecause(desk, told);
  const started = performance.now();
  const repeats = reading.links.length <= conversation.sent;
  const decides = spared === undefined && options.decide === "due" && !repeats;
  const prepared = await inTurn(conversation, async () => {
    const { runtime } = conversation;
    conversation.pending.broughtBy(reading.links.at(-1));
    suit(desk, runtime, { tenant, transcript, model, upstream: options.upstream });
    const standing = decides ? undefined : await runtime.standing(transcript);
    // What does not fit cannot have gone out before.
    const again = standing?.fits === false && repeats && spared === undefined && options.decide === "due";
    return standing === undefined || again ? prepare(runtime, transcript) : standing;
  });
  if (options.decide === "due") conversation.sent = Math.max(conversation.sent, reading.links.length);
  const out = outgoing(desk, { ...options, reading, told, conversation, spared }, prepared);
  const soon = prepared.soon && spared === undefined;
  const { weighs } = conversation;
  const newTokens = weighs === undefined ? undefined : Math.max(0, prepared.before - weighs);
  conversation.weighs = prepared.before;
  const done: Visit = { ...options, reading, told, model, conversation, prepared, soon, newTokens, ...out };
  if (prepared.compaction !== undefined) settled(desk, done, prepared.compaction, performance.now() - started);
  return done;
}

/** Where nothing new can be kept, what stands can still be read. */
async function prepare(runtime: Runtime, transcript: Transcript): Promise<Prepared> {
  try {
    return await runtime.prepare(transcript);
  } catch (error) {
    if (faultOf(error) !== "store_unavailable") throw error;
    const prepared = await runtime.standing(transcript);
    if (!prepared.compacted) throw error;
    return prepared;
  }
}

/** What the usage that a provider reported for a request teaches of its model. */
export function learn({ models }: VisitDesk, visited: Visit, { input: inputTokens }: Usage): void {
  const { tenant, model, upstream, conversation } = visited;
  models.learnFactor(tenant, model, conversation.runtime.state().factor);
  models.answered(tenant, model, { upstream, inputTokens });
}

export function inTurn<Answer>(conversation: Conversation, work: () => Promise<Answer>): Promise<Answer> {
  const next = conversation.turn.then(work);
  conversation.turn = next.catch(() => undefined);
  return next;
}

interface Begun extends VisitOptions {
  readonly reading: Reading;
  readonly model: string;
  readonly relative: Conversation | undefined;
}

async function begin(desk: VisitDesk, begun: Begun): Promise<Beginning> {
  const { tenant, reading, model, relative } = begun;
  const { store, chain, models, mode } = desk;
  const { windowTokens, factor, ...images } = models.of(tenant, model, begun.upstream);
  const isNew = relative !== undefined || reading.links.length <= NEW_MESSAGES_MAX;
  const [state, repeats] = isNew
    ? [undefined, false]
    : await Promise.all([store.getState(tenant, rootOf(reading)), wentOut(desk, begun)]);
  const sent = repeats ? reading.links.length : 0;
  const pricing = { economy: begun.caching.economy };
  // What was only observed is not to be found by anybody else.
  const pending = createPending(mode === "observe" ? createMemoryStore() : store);
  const runtime = createRuntime({
    ...desk.runtime,
    settings: { ...desk.runtime.settings, contextLength: windowTokens },
    store: pending.store,
    enabled: mode !== "off",
    tenant,
    model,
    factor,
    ...images,
    chain,
    modelsAhead: true,
    amend: carryThinking,
    economy: () => pricing.economy,
    // What is known of the model is newer than what the session knew.
    ...(isState(state) ? { state: { ...state, factor } } : {}),
  });
  const notice = (code: "pressure" | "irreducible" | "engine_contained", message: string): void =>
    desk.tell({ kind: "notice", code, tenant, message });
  runtime.on("pressure", ({ tokens, thresholdTokens }) =>
    notice("pressure", `a conversation has ${tokens} tokens and is compacted at ${thresholdTokens}`),
  );
  runtime.on("irreducible", ({ smallest, limit, because }) =>
    notice("irreducible", `nothing below ${smallest} of ${limit} tokens: ${because}`),
  );
  // What the engine said may quote the conversation.
  runtime.on("contained", ({ engine, because }) =>
    notice("engine_contained", `the engine ${engine} was put out of service: ${because}`),
  );
  return { runtime, sent, pricing, pending };
}

/** Whether a request went out before this process began: its messages were kept before it was answered. */
async function wentOut({ store }: VisitDesk, { tenant, reading, decide }: Begun): Promise<boolean> {
  return decide !== "standing" && store.isStored(tenant, reading.links.at(-1)!);
}

/** The limits that follow from this very request: its model, and what it reserves for the answer. */
export function suit(
  { models, runtime: { settings } }: VisitDesk,
  runtime: Runtime,
  {
    tenant,
    model,
    transcript,
    upstream,
  }: Pick<Visit, "tenant" | "model" | "upstream"> & { readonly transcript: Transcript },
): void {
  const contextLength = models.of(tenant, model, upstream).windowTokens;
  const asked = transcript.maxOutputTokens ?? settings?.maxOutputTokens ?? 0;
  const maxOutputTokens = Math.min(asked, Math.floor(contextLength * RESERVE_SHARE_MAX));
  runtime.modelChanged({ model, contextLength, maxOutputTokens });
}

type Spared = "client_compaction" | "bound_thinking" | undefined;

/** Why nothing new is compacted for this request, whatever it weighs. */
function sparedBecause({ thinking }: VisitDesk, told: Decoded): Spared {
  if (clientCompaction(told.transcript) !== undefined) return "client_compaction";
  return allowsCompaction(told, thinking) ? undefined : "bound_thinking";
}

type Outgoing = Pick<Visit, "body" | "recalls" | "treatment" | "headersOf">;

interface Going extends Pick<Visit, "reading" | "told" | "conversation" | "caching"> {
  readonly spared: Spared;
}

/** What goes out for what was prepared, with cache markers where they are wanted. */
export function outgoing(desk: VisitDesk, going: Going, prepared: Prepared): Outgoing {
  const out = rewritten(desk, going, prepared);
  const { reading, conversation, caching } = going;
  const { rules } = caching;
  if (desk.mode === "observe") return out;
  if (rules === undefined) {
    const bare = withoutStaleMarkers({ body: out.body, incoming: reading.decoded, before: conversation.outgoing });
    conversation.outgoing = bare.outgoing;
    return { ...out, body: bare.body };
  }
  const { transcript } = prepared;
  const { body, outgoing: read } = withMarkers({
    rules,
    ttl: desk.caching.ttl,
    body: out.body,
    incoming: reading.decoded,
    sent: out.body === reading.decoded.body ? reading.decoded.transcript : transcript,
    before: conversation.outgoing,
    headMessages: desk.caching.headMessages,
    measure: desk.caching.measure,
    root: rootOf(reading),
  });
  conversation.outgoing = read;
  return { ...out, body };
}

/** A rewritten request is made safe for the thinking in it, or not sent. */
function rewritten({ mode, thinking: rules, recall }: VisitDesk, going: Going, prepared: Prepared): Outgoing {
  const {
    reading: { decoded },
    told,
    conversation,
    spared,
  } = going;
  const { transcript, before, tokens, compacted, compaction, recallable, lostRequests } = prepared;
  const sizes = { before, after: tokens };
  const losing = lostRequests > 0 ? { lostRequests } : {};
  const changed = transcript !== told.transcript;
  const asItCame = { body: decoded.body, recalls: false };
  if (mode === "observe" && changed) return { ...asItCame, treatment: { kind: "observed", tokens: sizes, ...losing } };
  const { rewritten: stood } = conversation;
  const course = thinkingCourse({ request: told, sent: transcript, rules, stood });
  if (course.kind === "untouched") return { ...asItCame, treatment: course };
  // From the first compaction on: before it there is nothing to recall, and at it what a provider caches begins anew.
  const tools = recallable || told !== decoded ? recall?.tools(decoded) : undefined;
  const recalls = tools !== undefined;
  const safe = course.kind === "send" ? course.transcript : transcript;
  const sent = recalls ? { ...safe, tools } : safe;
  const text = sent === decoded.transcript ? decoded.body : protocols[decoded.protocol].splice(decoded, sent);
  const headersOf = headersFor(course, recalls);
  const out: Omit<Outgoing, "treatment"> = {
    body: course.kind === "send" ? course.editBody(text) : text,
    recalls,
    ...(headersOf === undefined ? {} : { headersOf }),
  };
  if (compacted) {
    conversation.rewritten = true;
    return { ...out, treatment: { kind: "rewritten", fresh: compaction !== undefined, tokens: sizes, ...losing } };
  }
  if (prepared.irreducible?.code === "keep_requests")
    return { ...out, treatment: { kind: "untouched", because: "requests_kept" } };
  // Thinking is in the way only where something would have been done.
  const untouched = spared === "client_compaction" || (spared !== undefined && prepared.soon);
  return { ...out, treatment: untouched ? { kind: "untouched", because: spared } : { kind: "unchanged" } };
}

function headersFor(course: ThinkingCourse, recalls: boolean): Visit["headersOf"] {
  const edit = course.kind === "send" ? course.editHeaders : undefined;
  if (!recalls) return edit;
  return (headers) => plainAnswer(edit?.(headers) ?? headers);
}

/** A compaction came into being: told, and the session's counters kept for another process. */
export function settled(desk: VisitDesk, visited: Visit, compaction: Compaction, tookMs: number): void {
  const { prepared } = visited;
  desk.tell(eventOf(visited, compaction, { tookMs, ahead: prepared.ahead === true }));
  if (desk.mode !== "rewrite") return;
  const { tenant, reading, conversation } = visited;
  const state = conversation.runtime.state();
  conversation.pending.add(() => desk.store.putState(tenant, rootOf(reading), state).catch(() => undefined));
}

function eventOf(
  { tenant, model }: Pick<Visit, "tenant" | "model">,
  { report }: Compaction,
  how: { readonly tookMs: number; readonly ahead: boolean },
): CompactionEvent {
  const { reason, because, tokens, degraded, lost, modelCalls, costUsd } = report;
  const lostRequests = lost.requests.absent;
  const figures = { tokens, degraded, lostRequests, modelCalls, costUsd };
  return { kind: "compaction", tenant, model, reason, because, ...figures, ...how };
}

function rootOf({ links, decoded }: Reading): string {
  return links[0] ?? decoded.protocol;
}

function isState(state: unknown): state is RuntimeState {
  return typeof state === "object" && state !== null && "schemaVersion" in state;
}
