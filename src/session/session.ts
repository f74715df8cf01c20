/**
 * The library's door: a session over requests in a provider's own shape. Give it what you would have sent, send what
 * it answers.
 */
import { ENGINE_DEFAULTS } from "../core/engines/settings.ts";
import type { EngineTool, Outcome } from "../core/engines/contract.ts";
import { createChain } from "../core/transcript/links.ts";
import { createMeasure, type Measure } from "../core/transcript/measure.ts";
import type { Transcript } from "../core/transcript/message.ts";
import { sha256 } from "../platform/sha256.ts";
import { protocols } from "../protocols/index.ts";
import { type Decoded } from "../protocols/protocol.ts";
import { type ProtocolName } from "../core/protocols.ts";
import { withAlternatingRoles } from "../protocols/openai-chat/alternate.ts";
import { encodeTools } from "../protocols/registry.ts";
import type { CompactOptions, Prepared, Runtime, SessionOptions, Waiting, WaitingForMain } from "./contract.ts";
import { withMarkers, withoutStaleMarkers, type MarkedRequest } from "./markers.ts";
import { checkCompact, checkSessionOptions, checkWaiting, withCheckedCalls } from "./options.ts";
import type { Pin, PinRequest } from "./pins.ts";
import { neighboursRefusedIn } from "./provider-error.ts";
import { createOutgoing, createRuntime } from "./runtime.ts";
import { createReader, type WireRequest } from "./read-request.ts";
import { mainInPlace, summaryWriters } from "./summarize.ts";

export interface SessionPrepared<Request extends WireRequest> extends Omit<Prepared, "transcript"> {
  /** What to send, in the shape that came in. */
  readonly request: Request;
}

export interface Session extends Pick<
  Runtime,
  "observe" | "recall" | "callTool" | "undo" | "report" | "modelChanged" | "reset" | "on" | "state"
> {
  /**
   * Call before every request, with the whole history.
   *
   * @throws PrecisError `body_not_json`, `body_without_messages`, `message_malformed` or `protocol_mismatch` for a request
   * that is none of the session's protocol, each with its place, and errors of the store; the signal's reason where it aborts.
   */
  readonly prepare: <Request extends WireRequest>(
    request: Request,
    waiting?: Waiting,
  ) => Promise<SessionPrepared<Request>>;
  /**
   * Compacts now, whatever the threshold says; `budget` is in tokens.
   *
   * @throws PrecisError `bad_options` for options out of range, and what `prepare` rejects with.
   */
  readonly compact: <Request extends WireRequest>(
    request: Request,
    options?: CompactOptions,
  ) => Promise<Outcome & { readonly request: Request }>;
  /** See `Runtime.drop`; messages are counted as for `pin`. */
  readonly drop: <Request extends WireRequest>(
    request: Request,
    what: Waiting & { readonly messages: string },
  ) => Promise<Outcome & { readonly request: Request }>;
  /** See `Runtime.pin`; messages have the numbers of the request's conversation, its system prompt not counted. */
  readonly pin: (request: WireRequest, what: PinRequest) => Promise<Pin>;
  readonly unpin: (request: WireRequest, id: string) => Promise<boolean>;
  readonly pins: (request: WireRequest) => Promise<readonly Pin[]>;
  /** The tools for the model (see `Runtime.tools`) as the protocol declares them, for the end of a request's own. */
  readonly tools: () => readonly unknown[];
  /**
   * Call with whatever was caught (see `Runtime.recover`) and the request that was refused, or the history it was prepared
   * from: answers with the request to send in its place, which is smaller where the error reports an overflow, and has
   * neighbours of one role joined where the server wants roles to take turns. Undefined where the error is about something
   * else, and where nothing smaller is possible.
   *
   * @throws PrecisError as `prepare` does.
   */
  readonly recover: <Request extends WireRequest>(
    error: unknown,
    request: Request,
    waiting?: Waiting,
  ) => Promise<SessionPrepared<Request> | undefined>;
}

/** An answer of the runtime with the request in place of its transcript; spreads over unions. */
type Shaped<Answer, Request> = Answer extends unknown
  ? Omit<Answer, "transcript"> & { readonly request: Request }
  : never;

/**
 * Starts a session. Without options: OpenAI Chat, the default engine, a 200,000-token window, history in memory.
 *
 * @throws PrecisError `bad_options` for options that are unknown or out of range, `unknown_engine` for an engine's name.
 */
export function createSession(options: SessionOptions = {}): Session {
  checkSessionOptions(options);
  const protocol = protocols[options.protocol ?? "openai-chat"];
  const read = createReader(protocol);
  const runtime = withCheckedCalls(createRuntime({ ...options, ...withSummary(options) }));
  const measure = createMeasure(options);
  const mark = createMarking(options, measure);
  const bringMain = createMain(options, runtime, mark);
  /** Its server said that roles have to take turns. */
  let alternates = false;
  /** Runs one call of the runtime on a request and puts its transcript back into the request's shape. */
  const through = async <Request extends WireRequest, Answer extends { readonly transcript: Transcript }>(
    request: Request,
    call: (decoded: Decoded, main: WaitingForMain) => Promise<Answer | undefined>,
  ): Promise<Shaped<Answer, Request> | undefined> => {
    const decoded = read(request);
    const answer = await call(decoded, bringMain(decoded, typeof request === "string"));
    if (answer === undefined) return undefined;
    const { transcript, ...rest } = answer;
    const shaped = (value: unknown) => ({ ...rest, request: value }) as Shaped<Answer, Request>;
    const marked = mark.send(decoded, transcript);
    const text = alternates ? withAlternatingRoles(marked) : marked;
    if (text === decoded.body) return shaped(request);
    return shaped(typeof request === "string" ? text : JSON.parse(text));
  };
  const change = async <Request extends WireRequest>(request: Request, call: Parameters<typeof whereFree>[0]) =>
    (await through(request, whereFree(call)))!;
  return {
    prepare: async (request, waiting) => {
      checkWaiting("prepare", waiting);
      return (await through(request, async ({ transcript, locked }, main) =>
        locked === undefined
          ? runtime.prepare(transcript, { ...waiting, ...main })
          : unchangedRequest(transcript, measure.transcript(transcript)),
      ))!;
    },
    compact: async (request, how) => {
      checkCompact(how);
      return change(request, (transcript, main) => runtime.compact(transcript, { ...how, ...main }));
    },
    recover: async (error, request, waiting) => {
      checkWaiting("recover", waiting);
      if (!alternates && protocol.name === "openai-chat" && (await neighboursRefusedIn(error, waiting?.signal))) {
        alternates = true;
        const joined = await through(
          request,
          whereOpen((transcript) => runtime.standing(transcript)),
        );
        return joined?.request === request ? undefined : joined;
      }
      return through(
        request,
        whereOpen((transcript, main) => runtime.recover(error, transcript, { ...waiting, ...main })),
      );
    },
    drop: async (request, what) => change(request, (transcript) => runtime.drop(transcript, what)),
    ...pinCalls(runtime, read),
    tools: () => declared(runtime.tools(), protocol.name),
    ...callsOfItsOwn(runtime),
  };
}

/** Those that need no request. */
function callsOfItsOwn({ observe, recall, callTool, undo, report, modelChanged, reset, on, state }: Runtime) {
  return { observe, recall, callTool, undo, report, modelChanged, reset, on, state };
}

type Changed = Outcome & { readonly transcript: Transcript };

/** A change of a conversation that may be changed; what its provider holds stays as it is. */
function whereFree(change: (transcript: Transcript, main: WaitingForMain) => Promise<Changed>) {
  return async ({ transcript, locked }: Decoded, main: WaitingForMain): Promise<Changed> =>
    locked === undefined ? change(transcript, main) : { kind: "unchanged", because: locked, transcript };
}

/** The same for what a refused request gives way to; undefined where its provider holds the history. */
function whereOpen(change: (transcript: Transcript, main: WaitingForMain) => Promise<Prepared | undefined>) {
  return async ({ transcript, locked }: Decoded, main: WaitingForMain): Promise<Prepared | undefined> =>
    locked === undefined ? change(transcript, main) : undefined;
}

function pinCalls(runtime: Runtime, read: (request: unknown) => Decoded): Pick<Session, "pin" | "unpin" | "pins"> {
  return {
    pin: async (request, what) => runtime.pin(read(request).transcript, what),
    unpin: async (request, id) => runtime.unpin(read(request).transcript, id),
    pins: async (request) => runtime.pins(read(request).transcript),
  };
}

function declared(tools: readonly EngineTool[], protocol: ProtocolName): readonly unknown[] {
  const neutral = tools.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters }));
  return JSON.parse(encodeTools(JSON.stringify(neutral), protocol)) as unknown[];
}

function withSummary({ summarize, writers }: SessionOptions): Pick<SessionOptions, "writers"> {
  const own = summaryWriters(summarize);
  return own === undefined ? {} : { writers: { ...writers, ...own } };
}

/** The main model of one call, behind the conversation as it would go out now; none where no function reaches it. */
function createMain(options: SessionOptions, runtime: Pick<Runtime, "state">, mark: Marking) {
  const { summarize, model } = options;
  const safe = createOutgoing(options);
  return (decoded: Decoded, asText: boolean): WaitingForMain => {
    if (typeof summarize !== "function") return {};
    const main = mainInPlace(summarize, {
      asText,
      model: decoded.transcript.model ?? model ?? "main",
      windowTokens: runtime.state().contextLength,
      request: (conversation) => {
        const body = mark.show(decoded, safe(conversation));
        return body === decoded.body ? decoded : protocols[decoded.protocol].decode(body, decoded);
      },
    });
    return { main };
  };
}

interface Marking {
  /** What is to be sent now, and remembered as that. */
  readonly send: (incoming: Decoded, sent: Transcript) => string;
  /** The same, with nothing remembered. */
  readonly show: (incoming: Decoded, sent: Transcript) => string;
}

/** The request's text with this transcript in it, and with markers where they are asked for. */
function createMarking(
  { protocol: name = "openai-chat", caching, settings, chain }: SessionOptions,
  measure: Measure,
): Marking {
  const protocol = protocols[name];
  const { linksOf } = chain ?? createChain(sha256);
  let before: Decoded | undefined;
  const marked = (incoming: Decoded, sent: Transcript): MarkedRequest => {
    const body = protocol.splice(incoming, sent);
    if (incoming.locked !== undefined) return { body, outgoing: before };
    if (caching === undefined) return withoutStaleMarkers({ body, incoming, before });
    const { layout, strategy = "spaced", ttl = "5m", minimumTokens } = caching;
    const { protectFirstN: headMessages } = { ...ENGINE_DEFAULTS, ...settings };
    const root = linksOf(incoming.transcript.messages.slice(0, 1))[0] ?? "";
    const rules = { layout, strategy: layout === "openai" ? ("anchors" as const) : strategy, minimumTokens };
    return withMarkers({ rules, ttl, body, incoming, sent, before, headMessages, measure, root });
  };
  return {
    send: (incoming, sent) => {
      const { body, outgoing } = marked(incoming, sent);
      before = outgoing;
      return body;
    },
    show: (incoming, sent) => marked(incoming, sent).body,
  };
}

function unchangedRequest(transcript: Transcript, tokens: number): Prepared {
  const nothing = {
    compacted: false,
    recallable: false,
    lostRequests: 0,
    fits: true,
    soon: false,
    observe: () => undefined,
  };
  return { transcript, tokens, before: tokens, ...nothing };
}
