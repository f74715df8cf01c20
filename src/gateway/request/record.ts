/** What is logged of one request: gathered while it is under way, and reported once, when it is over. */
import { randomUUID } from "node:crypto";
import type { ClientRequest, EmitEvent, LostRequests, Outcome, RequestEvent, Treatment } from "../contract.ts";
import type { Room } from "../../session/timing.ts";
import type { Conversation } from "../conversations/conversations.ts";
import type { RequestSpan } from "../operation/spans.ts";
import { pathOf } from "./routes.ts";

type Mutable<Members> = { -readonly [Name in keyof Members]: Members[Name] };
/** What the event of the request will say, as far as it is known. */
type Gathered = Mutable<
  Required<Omit<RequestEvent, "kind" | "id" | "method" | "path" | "outcome" | "heldMs" | "firstByteMs" | "tookMs">>
>;

export interface RequestRecord extends Gathered {
  readonly id: string;
  readonly span: RequestSpan;
  room: Room | undefined;
  /** All of the answer was handed over: a client that leaves now has it. */
  delivered: boolean;
  /** Another thread answers, and says what became of it. */
  inThread: boolean;
  /** What was done about the request, as it is now. */
  readonly showPrepared: (request: Shown) => void;
  /** The request goes on to the provider now. */
  readonly sent: () => void;
  readonly begun: () => void;
  /** Called once, when the request is over in whatever way. */
  readonly whenOver: (then: () => void) => void;
  /** Only the first call counts. */
  readonly over: (outcome: Outcome) => void;
  /** The same for a request that was answered in another thread, which says what became of it. */
  readonly overInThread: (event: RequestEvent) => void;
}

interface Shown {
  readonly outgoing: { readonly treatment: Treatment };
  readonly conversation: Pick<Conversation, "runtime">;
}

const NOTHING_YET = {
  protocol: undefined,
  upstream: "",
  tenant: "",
  model: "",
  status: 0,
  streamed: false,
  retried: false,
  disabledEngine: undefined,
  window: undefined,
  room: undefined,
  timing: undefined,
  treatment: { kind: "passed" },
  usage: undefined,
  cache: undefined,
  failure: undefined,
  thread: undefined,
  restored: 0,
  bytesIn: 0,
  bytesOut: 0,
  delivered: false,
  inThread: false,
} as const satisfies Partial<RequestRecord>;

export function openRecord(client: ClientRequest, onEvent: EmitEvent, span: RequestSpan): RequestRecord {
  const started = performance.now();
  let heldMs: number | undefined;
  let firstByteMs: number | undefined;
  let closed = false;
  let atEnd: (() => void) | undefined;
  const since = (): number => performance.now() - started;
  const close = (event: RequestEvent): void => {
    if (closed) return;
    closed = true;
    client.signal.removeEventListener("abort", gone);
    span.end(event);
    atEnd?.();
    onEvent(event);
  };
  const over = (outcome: Outcome): void =>
    close(makeEvent(record, client, { outcome, heldMs: heldMs ?? since(), firstByteMs, tookMs: since() }));
  const overInThread = (event: RequestEvent): void => {
    // What it took here to take the request in comes before all that was measured there.
    const beforeMs = Math.max(0, since() - event.tookMs);
    const { heldMs: held, firstByteMs: first, tookMs } = event;
    close({
      ...event,
      heldMs: beforeMs + held,
      firstByteMs: first === undefined ? undefined : beforeMs + first,
      tookMs: beforeMs + tookMs,
    });
  };
  const gone = (): void => {
    const outcome = record.delivered ? deliveredAs(record) : "aborted";
    if (record.delivered || record.inThread) setTimeout(() => over(outcome), VERDICT_MS).unref();
    else over(outcome);
  };
  client.signal.addEventListener("abort", gone, { once: true });
  const record: RequestRecord = {
    id: randomUUID(),
    span,
    ...NOTHING_YET,
    showPrepared: ({ outgoing, conversation }) => {
      record.treatment = outgoing.treatment;
      const { disabledEngine, window, room, timing } = conversation.runtime.report();
      record.disabledEngine = disabledEngine?.engine;
      record.window = window;
      record.room = room;
      const { postponed, ...figures } = timing;
      record.timing = { ...figures, ...(postponed === undefined ? {} : { postponed: postponed.by }) };
    },
    sent: () => void (heldMs ??= since()),
    begun: () => void (firstByteMs ??= since()),
    whenOver: (then) => void (atEnd = then),
    over,
    overInThread,
  };
  return record;
}

/** How long whoever relays an answer has to say what became of it after its client left. */
const VERDICT_MS = 2_000;
const ERROR_STATUS_MIN = 400;

/** The end of a request whose client has the whole answer. */
export function deliveredAs({ status }: Pick<RequestRecord, "status">): Outcome {
  return status < ERROR_STATUS_MIN ? "answered" : "refused";
}

type Ending = Pick<RequestEvent, "outcome" | "heldMs" | "firstByteMs" | "tookMs">;

function makeEvent(
  {
    span: _s,
    showPrepared: _p,
    sent: _,
    begun: _b,
    whenOver: _w,
    over: _o,
    overInThread: _t,
    delivered: _d,
    inThread: _i,
    room: _r,
    ...logged
  }: RequestRecord,
  { method, target }: ClientRequest,
  ending: Ending,
): RequestEvent {
  return { kind: "request", method, path: pathOf(target), ...logged, ...ending };
}

/** The value of `x-precis`: what was done, for a person and for a program. */
export function treatmentLine(treatment: Treatment): string {
  switch (treatment.kind) {
    case "passed":
    case "unchanged":
      return treatment.kind;
    case "command":
      return `command; name=${treatment.name}`;
    case "untouched":
      return `untouched; because=${treatment.because}`;
    case "observed":
      return `observed; before=${treatment.tokens.before}; after=${treatment.tokens.after}${describeLost(treatment)}`;
    case "rewritten": {
      const { before, after } = treatment.tokens;
      return `rewritten; before=${before}; after=${after}${describeLost(treatment)}${treatment.fresh ? "; fresh" : ""}`;
    }
  }
}

function describeLost({ lostRequests }: LostRequests): string {
  return lostRequests === undefined ? "" : `; lost_requests=${lostRequests}`;
}
