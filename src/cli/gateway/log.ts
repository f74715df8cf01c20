/** The gateway's log for a person: a line for each event, without content, gathered for a moment and dropped where nobody reads it. */
import type { Redactor } from "../../core/redaction/redactor.ts";
import type {
  CompactionEvent,
  GatewayEvent,
  JobEvent,
  LostRequests,
  NoticeEvent,
  RecallEvent,
  RequestEvent,
  Treatment,
} from "../../gateway/contract.ts";
import { levelOf } from "../../gateway/operation/log.ts";
import type { PostponedBy } from "../../session/timing.ts";
import { change, count, counted } from "../screen/amounts.ts";
import { clip } from "../screen/text.ts";
import type { TextStyle, Stream } from "../screen/terminal.ts";

/** Why a compaction that is due waits, in a word. */
const POSTPONED_BY = {
  prices: "cost",
  back_off: "a compaction would free too little",
  undone: "the last compaction was undone",
  writing: "its handoff is being written",
} as const satisfies Record<PostponedBy, string>;

const ISO_TIME_FROM = 11;
const ISO_TIME_TO = 19;
const NAME_COLUMNS_MAX = 60;
const MESSAGE_COLUMNS_MAX = 320;

interface LogOptions {
  readonly stream: Stream;
  readonly redact: Redactor;
  readonly now: () => number;
}

export function eventLine(event: GatewayEvent, telling: LogOptions): string {
  const time = telling.stream.paint("dim", new Date(telling.now()).toISOString().slice(ISO_TIME_FROM, ISO_TIME_TO));
  return `${[time, ...makeParts(event, telling)].join("  ")}\n`;
}

function makeParts(event: GatewayEvent, telling: LogOptions): readonly string[] {
  switch (event.kind) {
    case "request":
      return requestParts(event, telling);
    case "compaction":
      return compactionParts(event, telling);
    case "notice":
      return noticeParts(event, telling);
    case "recall":
      return recallParts(event, telling);
    case "job":
      return jobParts(event, telling);
  }
}

function requestParts(event: RequestEvent, { stream: { paint }, redact }: LogOptions): readonly string[] {
  const { outcome, status } = event;
  const good = outcome === "answered";
  const named = (text: string): string => clip(redact(text), NAME_COLUMNS_MAX);
  return [
    `${clip(event.method, NAME_COLUMNS_MAX)} ${named(event.path)}`,
    paint(good ? "good" : "bad", good ? String(status) : `${status} ${outcome}`),
    ...(event.failure === undefined ? [] : [paint("warn", named(event.failure))]),
    ...(event.model === "" ? [] : [paint("accent", named(event.model))]),
    ...(event.streamed ? ["stream"] : []),
    ...treatmentParts(event.treatment, paint),
    ...timingParts(event, paint),
    ...windowParts(event, paint),
    ...(event.retried ? [paint("warn", "sent again, smaller")] : []),
    ...usageParts(event),
    paint("dim", `${count(event.tookMs)} ms total, ${held(event.heldMs)} in precis`),
  ];
}

function treatmentParts(treatment: Treatment, paint: Stream["paint"]): readonly string[] {
  switch (treatment.kind) {
    case "passed":
    case "unchanged":
      return [];
    case "command":
      return [`command: ${treatment.name}`];
    case "untouched":
      return [paint("warn", `untouched: ${treatment.because}`)];
    case "rewritten":
      return [`${treatment.fresh ? "compacted" : "shortened"} ${arrow(treatment.tokens)}`, ...lost(treatment, paint)];
    case "observed":
      return [`would be shortened ${arrow(treatment.tokens)}`, ...lost(treatment, paint)];
  }
}

function timingParts({ timing }: RequestEvent, paint: Stream["paint"]): readonly string[] {
  if (timing?.postponed === undefined) return [];
  const { postponed, compactsAtTokens } = timing;
  const until = compactsAtTokens === undefined ? "" : `, compacts at ${count(compactsAtTokens)} at the latest`;
  return [paint("dim", `waits: ${POSTPONED_BY[postponed]}${until}`)];
}

/** Only where it is not what the model is known for. */
function windowParts({ window }: RequestEvent, paint: Stream["paint"]): readonly string[] {
  return window?.from === "learned" ? [paint("dim", `learned window of ${count(window.tokens)}`)] : [];
}

function lost({ lostRequests = 0 }: LostRequests, paint: Stream["paint"]): readonly string[] {
  return lostRequests === 0 ? [] : [paint("warn", `${counted(lostRequests, "user request")} may be missing`)];
}

function arrow({ before, after }: { readonly before: number; readonly after: number }): string {
  return `${count(before)} → ${count(after)}`;
}

function usageParts({ usage }: RequestEvent): readonly string[] {
  if (usage === undefined) return [];
  const cached = [
    ...(usage.cacheRead === 0 ? [] : [`${count(usage.cacheRead)} cached`]),
    ...(usage.cacheWrite === 0 ? [] : [`${count(usage.cacheWrite)} written`]),
  ];
  return [
    `in ${count(usage.input)}${cached.length === 0 ? "" : ` (${cached.join(", ")})`}, out ${count(usage.output)}`,
  ];
}

function held(ms: number): string {
  return ms < 10 ? ms.toFixed(1) : count(ms);
}

function compactionParts(event: CompactionEvent, { stream: { paint }, redact }: LogOptions): readonly string[] {
  const { tokens, degraded, modelCalls, costUsd } = event;
  return [
    paint("strong", `compaction${event.ahead ? " ahead" : ""}`),
    event.reason,
    paint("accent", clip(redact(event.model), NAME_COLUMNS_MAX)),
    `${arrow(tokens)} (${change(tokens.before, tokens.after)})`,
    ...lost(event, paint),
    ...(modelCalls === 0 ? [] : [`${counted(modelCalls, "model call")}, $${costUsd.toFixed(4)}`]),
    ...(degraded.length === 0 ? [] : [paint("warn", clip(redact(degraded.join("; ")), MESSAGE_COLUMNS_MAX))]),
    paint("dim", `${count(event.tookMs)} ms`),
    ...(event.because === undefined ? [] : [paint("dim", event.because)]),
  ];
}

function recallParts(event: RecallEvent, { stream: { paint }, redact }: LogOptions): readonly string[] {
  const found = event.found ? `${count(event.tokens)} tokens` : "nothing found";
  const tool = paint("dim", clip(event.tool, NAME_COLUMNS_MAX));
  return [paint("strong", "recalled"), found, paint("accent", clip(redact(event.model), NAME_COLUMNS_MAX)), tool];
}

const JOB_OUTCOMES = {
  made: "compaction made ahead",
  nothing: "nothing to compact",
  failed: "failed, tried again later",
} as const satisfies Record<JobEvent["outcome"], string>;

function jobParts(event: JobEvent, { stream: { paint }, redact }: LogOptions): readonly string[] {
  const { outcome, modelCalls, costUsd } = event;
  return [
    paint("strong", "job"),
    paint(outcome === "failed" ? "warn" : "good", JOB_OUTCOMES[outcome]),
    paint("accent", clip(redact(event.model), NAME_COLUMNS_MAX)),
    ...(modelCalls === 0 ? [] : [`${counted(modelCalls, "model call")}, $${costUsd.toFixed(4)}`]),
    paint("dim", `${count(event.tookMs)} ms`),
  ];
}

const LOOKS = { info: "accent", warn: "warn", error: "bad" } as const satisfies Record<string, TextStyle>;

function noticeParts(event: NoticeEvent, { stream: { paint }, redact }: LogOptions): readonly string[] {
  return [paint(LOOKS[levelOf(event)], event.code), clip(redact(event.message), MESSAGE_COLUMNS_MAX)];
}

/** Some ten thousand lines. */
const WAITING_CHARS_MAX = 4_000_000;
/** Soon enough for a person who watches. */
const GATHER_MS = 25;

export interface LineWriter {
  readonly write: (line: string) => void;
  /** Writes what is gathered now. */
  readonly flush: () => void;
}

/** A paused pager or a slow disk costs at most `WAITING_CHARS_MAX`; further lines are lost until it reads on. */
export function lineWriter(stream: Pick<Stream, "write">, waitingCharsMax = WAITING_CHARS_MAX): LineWriter {
  let waiting = 0;
  let gathered = "";
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const { length } = gathered;
    if (length === 0) return;
    const taken = (): void => void (waiting -= length);
    // Lines that a full disk does not take are lost as well.
    void stream.write(gathered).then(taken, taken);
    gathered = "";
  };
  const write = (line: string): void => {
    if (waiting + line.length > waitingCharsMax) return;
    waiting += line.length;
    gathered += line;
    timer ??= setTimeout(flush, GATHER_MS);
  };
  return { write, flush };
}
