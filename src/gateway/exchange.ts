/**
 * One request's way through the gateway (docs/gateway.md): taken in, looked at, sent on, answered, learnt from. Whatever fails
 * of ours on the way in, the request goes on as it came.
 */
import { effectOf } from "../core/caching/effect.ts";
import { PrecisError } from "../core/errors.ts";
import { isEventStream } from "../protocols/answers/reader.ts";
import type { Arrival, Bytes, Departure, Handle, HeaderLines, Tell } from "./contract.ts";
import { UNCACHED } from "./caching.ts";
import { openEntry, treatmentLine, type Entry } from "./entry.ts";
import { bringing, DONE, keeper, leaveWaiting, tellFault, type Keeping } from "./keeping.ts";
import { thinkingRefusal } from "./knowledge/thinking/index.ts";
import { isLarge, threadLost, type LargeLane } from "./large/lane.ts";
import type { GatewayLimits } from "./limits.ts";
import { isTaken, openAnswer, type Opened } from "./opening.ts";
import type { RequestSpan, Spans } from "./operation/spans.ts";
import { relay } from "./relay.ts";
import { routeOf, type ModelRoute } from "./routes.ts";
import { ownerOf, type Owner, type TenantPolicy } from "./tenant.ts";
import { backwardHeaders, onwardHeaders } from "./transport/headers.ts";
import { statusOf } from "./transport/refusals.ts";
import { takeIn, type Intake } from "./transport/intake.ts";
import type { Incoming, Sender } from "./transport/send.ts";
import type { Destination, Upstreams } from "./transport/upstreams.ts";
import { headerOf } from "./transport/vendor.ts";
import { faultOf } from "./untouched.ts";
import { endTrial, visitAgain, visitRelaxed } from "./trial.ts";
import { learn, visit, type Visit, type VisitDesk } from "./visit.ts";

export interface ExchangeDesk {
  readonly limits: GatewayLimits;
  readonly upstreams: Upstreams;
  readonly sender: Sender;
  /** Where large requests are worked on; here where there is no such place. */
  readonly large: LargeLane | undefined;
  readonly visits: VisitDesk;
  /** For one request that shares nothing with any other: what is kept of it goes with it. */
  readonly isolatedVisits: () => VisitDesk;
  readonly tenant: TenantPolicy;
  readonly credentialNames: readonly string[];
  /** Whether only this machine can reach the gateway. */
  readonly loopback: () => boolean;
  /** What happens where something of ours fails: the request goes on as it came, or is refused. */
  readonly onFault: "pass" | "refuse";
  readonly tell: Tell;
  readonly spans: Spans;
  readonly now: () => number;
  /** A compaction will soon be due: it can be made while nobody waits. */
  readonly ahead: (passage: ReadPassage, span: RequestSpan) => void;
}

interface Desk extends ExchangeDesk {
  readonly keeping: Keeping;
}

/** The client's own name for its session. */
const SESSION_HEADER = "x-precis-session";

/** A request for a model's answer on its way. */
export interface Passage {
  readonly arrival: Arrival;
  readonly entry: Entry;
  readonly destination: Destination;
  readonly route: ModelRoute;
  readonly intake: Intake;
  /** Undefined where it goes out untouched. */
  readonly visit: Visit | undefined;
}

/** One that was read. */
export type ReadPassage = Passage & { readonly visit: Visit };

export function createHandle(parts: ExchangeDesk): Handle {
  const desk: Desk = { ...parts, keeping: { fails: false } };
  return async (arrival) => {
    const opening = desk.spans.open(arrival);
    const span = opening instanceof Promise ? await opening : opening;
    const entry = openEntry(arrival, desk.tell, span);
    try {
      const destination = desk.upstreams.pick(arrival);
      if ("refused" in destination) return turnedAway(entry, destination.refused);
      entry.upstream = destination.upstream.name;
      const route = routeOf(arrival.method, destination.target);
      return await (route === undefined
        ? passOn(desk, arrival, entry, destination)
        : answer(desk, arrival, entry, { destination, route }));
    } catch (error) {
      entry.status = statusOf(error);
      entry.over(arrival.signal.aborted ? "aborted" : failedAs(error));
      throw error;
    }
  };
}

/** Whose failure it was. */
function failedAs(error: unknown): "upstream_failed" | "turned_away" {
  const upstream = error instanceof PrecisError && error.code.startsWith("upstream_");
  return upstream ? "upstream_failed" : "turned_away";
}

function turnedAway(entry: Entry, departure: Departure): Departure {
  entry.status = departure.status;
  entry.over("turned_away");
  return departure;
}

/** Any other request of a provider's API: its body is not even read. */
async function passOn(desk: Desk, arrival: Arrival, entry: Entry, to: Destination): Promise<Departure> {
  const { sender } = desk;
  const { method, body, signal } = arrival;
  entry.tenant = ownerIn(desk, arrival).tenant;
  entry.sent();
  const headers = onwardHeaders(arrival.headers, "same");
  const incoming = await entry.span.upstream(to.upstream, () => sender.send({ to, method, headers, body, signal }));
  const streamed = isEventStream(headerOf(incoming.headers, "content-type"));
  return departureOf(
    entry,
    { incoming, streamed, body: incoming.body },
    { committed: () => DONE, whenWhole: () => undefined },
  );
}

function ownerIn({ tenant: policy, loopback, credentialNames }: Desk, arrival: Arrival): Owner {
  return ownerOf(arrival, { policy, loopback: loopback(), credentialNames });
}

async function answer(
  shared: Desk,
  arrival: Arrival,
  entry: Entry,
  { destination, route }: Pick<Passage, "destination" | "route">,
): Promise<Departure> {
  const { tenant, isolated } = ownerIn(shared, arrival);
  const desk = isolated ? { ...shared, visits: shared.isolatedVisits(), ahead: () => undefined } : shared;
  entry.protocol = route.protocol;
  entry.tenant = tenant;
  const intake = await takeIn(arrival, desk.limits);
  if ("refused" in intake) return turnedAway(entry, intake.refused);
  entry.bytesIn = intake.raw.length;
  const { large } = desk;
  const isElsewhere = large !== undefined && isLarge(intake.plain, desk.limits);
  const call = { arrival, raw: intake.raw, loopback: desk.loopback(), over: entry.overThere };
  const departure = isElsewhere ? await large.answer(call) : undefined;
  if (departure !== undefined) return departure;
  const going = { arrival, entry, destination, route, intake };
  const passage = isElsewhere ? withoutThread(desk, going) : await look(desk, going);
  const asking = asked(desk, passage);
  const keeps = passage.visit !== undefined && route.asks !== "count";
  const brought = keeps ? bringing(desk, passage.visit) : undefined;
  const last = await asking;
  const committed = brought === undefined ? () => DONE : keeper(desk, entry, { brought, opened: last.opened });
  // What the model may recall from now on has to be there.
  if (keeps && recallsWaiting(last.passage.visit)) await committed();
  const opened = await screened(desk, last);
  return departureOf(entry, opened, {
    committed,
    whenWhole: () => {
      // Nobody waits for it, so nobody else would catch what fails here.
      try {
        reported(desk, { passage: last.passage, opened });
      } catch (error) {
        tellFault(desk, entry, "internal_fault", error);
      }
    },
  });
}

/** The thread for large requests was lost: the request is forwarded as it came, and the event loop does not read it either. */
function withoutThread(desk: Desk, passage: Omit<Passage, "visit">): Passage {
  const error = threadLost();
  passage.entry.treatment = { kind: "untouched", because: "internal_fault" };
  tellFault(desk, passage.entry, "internal_fault", error);
  if (desk.onFault === "refuse") throw error;
  return { ...passage, visit: undefined };
}

/** Small requests fit any window: their streams are not held for a moment. */
const HELD_TOKENS_MIN = 4_000;

async function ask(desk: Desk, passage: Passage): Promise<Opened> {
  const { route, visit: visited } = passage;
  const small = (visited?.prepared.tokens ?? 0) < HELD_TOKENS_MIN && !recallsWaiting(visited);
  const holds = visited === undefined || route.asks === "count" ? "nothing" : small ? "small" : "all";
  return openAnswer(await send(desk, passage), { protocol: route.protocol, holds, limits: desk.limits });
}

/** Whether the model may recall what is not kept yet: then it has to be known whether the request is taken. */
function recallsWaiting(visited: Visit | undefined): boolean {
  return visited?.recalls === true && visited.conversation.pending.waiting() > 0;
}

interface Asked {
  readonly passage: Passage;
  readonly opened: Opened;
}

/** The answer that counts: to the request, or to the one that was sent in its place. */
async function asked(desk: Desk, passage: Passage): Promise<Asked> {
  try {
    return await askUntilTaken(desk, passage);
  } catch (error) {
    const conversation = passage.visit?.conversation;
    // Nobody knows whether it was taken.
    if (conversation !== undefined) leaveWaiting(desk, conversation);
    throw error;
  }
}

/** Asks the provider, and asks again, within a bound, as long as it refuses what can be made such that it may take it. */
async function askUntilTaken(desk: Desk, passage: Passage): Promise<Asked> {
  let answered: Asked = { passage, opened: await ask(desk, passage) };
  let taken = false;
  try {
    for (let retries = 0; retries < desk.limits.refusalRetries; retries++) {
      const again = await onceMore(desk, answered);
      if (again === undefined) break;
      answered = again;
    }
    taken = isTaken(answered.opened);
    return answered;
  } finally {
    const { visit: visited } = answered.passage;
    if (visited !== undefined) endTrial(desk.visits, visited, taken);
  }
}

/** Without what the model recalls on its way, where it may. */
async function screened(desk: Desk, { passage, opened }: Asked): Promise<Opened> {
  const { recall } = desk.visits;
  const { visit: visited, route, entry, arrival } = passage;
  if (recall === undefined || visited?.recalls !== true || route.asks === "count") return opened;
  const { limits } = desk;
  return recall.screened({
    visit: visited,
    opened,
    resend: async (body) => {
      const incoming = await send(desk, { ...passage, visit: { ...visited, body } });
      return openAnswer(incoming, { protocol: route.protocol, holds: "all", limits });
    },
    failed: () => entry.over("upstream_failed"),
    signal: arrival.signal,
  });
}

/** Sends a request that was refused once more, where it can be made such that it is not. */
async function onceMore(desk: Desk, { passage, opened: refused }: Asked): Promise<Asked | undefined> {
  const { entry } = passage;
  let discarded = false;
  try {
    const since = entry.span.now();
    const again = await mended(desk, passage, refused);
    if (again === undefined) return undefined;
    entry.span.compacted(again.prepared, since);
    discarded = true;
    await refused.body.return();
    entry.retried = true;
    entry.treatment = again.treatment;
    entry.contained = again.conversation.runtime.report().contained?.engine;
    const retry = { ...passage, visit: again };
    return { passage: retry, opened: await ask(desk, retry) };
  } catch (error) {
    if (passage.arrival.signal.aborted || discarded) throw error;
    tellFault(desk, entry, faultOf(error), error);
    return undefined;
  }
}

/** Compacted where it was too large, without the thinking that does not fit where that was in the way. */
async function mended(
  { visits }: Desk,
  { visit: visited }: Passage,
  { incoming: { status }, reader: { state }, tooLarge, error }: Opened,
): Promise<Visit | undefined> {
  if (visited === undefined) return undefined;
  if (tooLarge && state.overflow !== undefined) return visitAgain(visits, visited, state.overflow);
  const bound = error !== undefined && thinkingRefusal(status, error) === "bound";
  return bound ? visitRelaxed(visits, visited) : undefined;
}

/** Reads the request and decides about it; on a fault of ours it goes on as it came. */
async function look(desk: Desk, passage: Omit<Passage, "visit">): Promise<Passage> {
  const { arrival, entry, intake, route } = passage;
  const { tenant } = entry;
  if (intake.text === undefined) {
    const because = intake.plain.length > desk.limits.readBodyBytes ? "too_large_to_read" : "not_text";
    entry.treatment = { kind: "untouched", because };
    return { ...passage, visit: undefined };
  }
  try {
    const reading = desk.visits.conversations.read(tenant, route.protocol, intake.text);
    entry.model = reading.decoded.transcript.model ?? "";
    if (reading.decoded.locked !== undefined) {
      entry.treatment = { kind: "untouched", because: "held_by_provider" };
      return { ...passage, visit: undefined };
    }
    const since = entry.span.now();
    const visited = await visit(desk.visits, reading, {
      tenant,
      protocol: route.protocol,
      text: intake.text,
      session: headerOf(arrival.headers, SESSION_HEADER),
      upstream: `${passage.destination.upstream.origin}${passage.destination.upstream.basePath}`,
      decide: route.asks === "count" ? "standing" : "due",
      caching:
        route.asks === "count"
          ? UNCACHED
          : desk.visits.caching.of({
              protocol: route.protocol,
              model: entry.model,
              upstream: passage.destination.upstream,
            }),
    });
    entry.span.compacted(visited.prepared, since);
    entry.contained = visited.conversation.runtime.report().contained?.engine;
    // Nothing of what came before was kept either; the operator and the client are told.
    const unkept = desk.keeping.fails && visited.treatment.kind === "unchanged";
    entry.treatment = unkept ? { kind: "untouched", because: "store_unavailable" } : visited.treatment;
    return { ...passage, visit: visited };
  } catch (error) {
    const because = faultOf(error);
    entry.treatment = { kind: "untouched", because };
    if (because === "unreadable" || because === "too_large_to_read") return { ...passage, visit: undefined };
    tellFault(desk, entry, because, error);
    if (desk.onFault === "refuse") throw error;
    return { ...passage, visit: undefined };
  }
}

/** Sends what is to be sent: the bytes that came, or the rewritten body. */
function send({ sender }: Pick<ExchangeDesk, "sender">, passage: Passage): Promise<Incoming> {
  const { arrival, entry, destination, intake, visit: visited } = passage;
  const rewritten = visited !== undefined && visited.body !== visited.text;
  const headers = onwardHeaders(arrival.headers, rewritten ? "rewritten" : "same");
  entry.sent();
  return entry.span.upstream(destination.upstream, () =>
    sender.send({
      to: destination,
      method: arrival.method,
      headers: visited?.headersOf?.(headers) ?? headers,
      body: rewritten ? Buffer.from(visited.body) : intake.raw,
      signal: arrival.signal,
    }),
  );
}

function reported(desk: Desk, { passage, opened }: Asked): void {
  const { visit: visited, entry } = passage;
  const { usage } = opened.reader.state;
  const spent = opened.spent?.() ?? usage;
  entry.usage = spent;
  if (spent !== undefined && visited !== undefined) {
    const { caching, newTokens } = visited;
    entry.cache = effectOf({ usage: spent, newTokens, prices: caching.prices, ttl: desk.visits.caching.ttl });
  }
  if (visited === undefined || !isTaken(opened)) return;
  const { store, mode } = desk.visits;
  if (usage !== undefined) {
    // What is only observed was not sent: the provider counted something else.
    if (mode !== "observe" || visited.treatment.kind === "unchanged") visited.prepared.observe(usage);
    learn(desk.visits, visited, usage);
    const link = visited.reading.links.at(-1);
    const { model, tenant } = visited;
    if (link !== undefined)
      void store.putUsage(tenant, { ...(spent ?? usage), link, model, at: desk.now() }).catch(() => undefined);
  }
  if (visited.soon) desk.ahead({ ...passage, visit: visited }, entry.span);
}

interface Returning {
  readonly committed: () => Promise<void>;
  readonly whenWhole: () => void;
}

const ERROR_STATUS_MIN = 400;

function departureOf(
  entry: Entry,
  { incoming: { status, headers }, streamed, body }: Pick<Opened, "incoming" | "streamed"> & { readonly body: Bytes },
  { committed, whenWhole }: Returning,
): Departure {
  entry.status = status;
  entry.streamed = streamed;
  const own: HeaderLines = [
    ["x-precis", treatmentLine(entry.treatment)],
    ["x-precis-request", entry.id],
    ...(entry.contained === undefined ? [] : [["x-precis-contained", encodeURIComponent(entry.contained)] as const]),
  ];
  // The client has its answer before anything is learnt or told of it.
  const over = (): void =>
    void setImmediate(() => {
      whenWhole();
      entry.over(status < ERROR_STATUS_MIN ? "answered" : "refused");
    });
  return {
    status,
    headers: [...backwardHeaders(headers), ...own],
    body: relay(body, { entry, streamed, committed, whenWhole: over }),
  };
}
