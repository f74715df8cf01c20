/** Sessions and search hits as a person reads them: one a line, or one session with its compactions and newest messages. */
import { wrapped, clip, columnWidths, padEnd, padStart, visibleLine, visible } from "./text.ts";
import { RECEIPT_KINDS, type CompactionReport } from "../../core/compaction/compaction.ts";
import { countIn } from "../../core/receipt/counts.ts";
import type { CompactionShown, MessageShown, SessionShown, SessionSummary } from "../../session/history.ts";
import { cooldownText } from "../../session/cooldowns.ts";
import type { CompactionTiming } from "../../session/timing.ts";
import { windowOriginText } from "../../session/timing.ts";
import { thresholdText } from "../../session/threshold.ts";
import { age, change, count, counted } from "./amounts.ts";
import { namedLines } from "./table.ts";
import { RECEIPT_NAMES } from "./receipt-names.ts";
import type { Stream } from "./terminal.ts";
import { titleOf } from "../../core/recall/messages.ts";
import type { Role } from "../../core/transcript/message.ts";

const ID_COLUMNS_MIN = 8;
const NAME_COLUMNS_MAX = 24;
const MODEL_COLUMNS_MAX = 18;
const TITLE_COLUMNS_MIN = 12;
const LABEL_COLUMNS = 13;
const LINES_SHOWN_MAX = 6;
const CALLS_SHOWN_MAX = 4;
const PRICE_DIGITS = 4;
const ISO_MINUTE_CHARS = 16;

/** The shortest beginnings, all of one length, that tell the ids apart; a name of one's own stays whole. */
export function shortIds(ids: readonly string[]): readonly string[] {
  const hashed = ids.filter(isHash);
  let columns = ID_COLUMNS_MIN;
  while (new Set(hashed.map((id) => id.slice(0, columns))).size < new Set(hashed).size) columns++;
  return ids.map((id) => (isHash(id) ? id.slice(0, columns) : id));
}

function isHash(id: string): boolean {
  return /^[0-9a-f]{64}(?:~|$)/.test(id);
}

export function sessionList(sessions: readonly SessionSummary[], now: number, { paint, columns }: Stream): string {
  const ids = shortIds(sessions.map(({ id }) => id));
  const header = ["session", "age", "model", "messages", "tokens", "cut", "fork"];
  const rows = sessions.map((one, at) => [
    clip(ids[at]!, NAME_COLUMNS_MAX),
    age(now - one.updatedAt),
    clip(one.model ?? "", MODEL_COLUMNS_MAX),
    count(one.messages),
    `${one.tokensAre === "estimated" ? "≈" : ""}${count(one.tokens)}`,
    `${one.compactions}${one.undone ? "u" : one.timing?.postponed === undefined ? "" : "w"}`,
    `${one.branches}`,
  ]);
  const widths = columnWidths([header, ...rows]);
  const cellsOf = (cells: readonly string[]): readonly string[] =>
    cells.map((cell, at) => (at === 0 || at === 2 ? padEnd : padStart)(cell, widths[at]!));
  const room = columns - widths.reduce((sum, width) => sum + width + 2, 0);
  const beside = room >= TITLE_COLUMNS_MIN;
  const lines = rows.flatMap((row, at) => {
    const { title: begins, archiveOf } = sessions[at]!;
    const title = archiveOf === undefined ? begins : `archive: ${begins}`;
    const [id = "", ...rest] = cellsOf(row);
    const drawn = [paint("accent", id), ...rest].join("  ");
    if (beside) return [`${drawn}  ${paint("dim", clip(title, room))}`.trimEnd()];
    return [drawn, ...(title === "" ? [] : [`  ${paint("dim", clip(title, columns - 2))}`])];
  });
  return `${[paint("dim", `${cellsOf(header).join("  ")}${beside ? "  begins with" : ""}`), ...lines].join("\n")}\n`;
}

export function sessionPage(session: SessionShown, now: number, stream: Stream): string {
  const { paint } = stream;
  const section = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : ["", paint("strong", title), ...lines];
  return [
    ...facts(session, now, stream),
    ...section(
      "Compactions",
      session.history.flatMap((one, at) => compactionLines(one, at, { now, stream })),
    ),
    ...section("Engine", engineLines(session, stream)),
    ...section("Hidden results", hiddenLines(session, now, stream)),
    ...section(
      "Newest messages",
      session.tail.flatMap((one) => messageLines(one, stream)),
    ),
    "",
  ].join("\n");
}

function facts(session: SessionShown, now: number, stream: Stream): readonly string[] {
  const { estimate, messages, tokens, tokensAre, model, protocol, parent, forkedAt, branches, archives, archiveOf } =
    session;
  const { paint } = stream;
  const usage = tokensAre === "reported" ? `; its last request took ${count(tokens)}, as the provider reported` : "";
  const lineage = [
    ...(archiveOf === undefined ? [] : [`the archive of ${archiveOf}, as it was when that restarted from a summary`]),
    ...archives.map((one) => `its first ${counted(one.messages, "message")} are archived as ${one.session}`),
    ...(parent === undefined || archiveOf !== undefined ? [] : [`left ${parent} after message ${forkedAt}`]),
    ...(branches === 0 ? [] : [`${count(branches)} ${branches === 1 ? "branch" : "branches"} left it`]),
  ];
  const stands = session.history.some((one) => one.stands);
  return [
    `${paint("strong", session.id)}  ${paint("dim", `tenant ${session.tenant}`)}`,
    ...(session.title === ""
      ? []
      : named("begins with", clip(session.title, stream.columns - LABEL_COLUMNS - 2), stream)),
    ...named("asked", visibleLine([model, protocol].filter((one) => one !== undefined).join(", ")), stream),
    ...named(
      "used",
      `${minute(session.createdAt)} to ${minute(session.updatedAt)} UTC, ${age(now - session.updatedAt)} ago`,
      stream,
    ),
    ...named("as it is", `${counted(messages, "message")}, ≈ ${count(estimate.original)} tokens${usage}`, stream),
    ...(stands
      ? named(
          "goes out as",
          `${counted(session.sentMessages, "message")}, ≈ ${count(estimate.sent)} tokens (${change(estimate.original, estimate.sent)})`,
          stream,
        )
      : []),
    ...(session.window === undefined
      ? []
      : named("window", `${count(session.window.tokens)} tokens, ${windowOriginText(session.window, now)}`, stream)),
    ...(session.undone
      ? named("undone", "not compacted automatically until an overflow or `precis sessions compact`", stream)
      : []),
    ...(session.timing === undefined || session.undone ? [] : timingLines(session.timing, stream)),
    ...(session.threshold === undefined
      ? []
      : named("threshold", `set for this session: ${thresholdText(session.threshold)}`, stream)),
    ...session.resting
      .filter(({ until }) => until > now)
      .flatMap((rest) => named("model", visibleLine(cooldownText(rest, now)), stream)),
    ...(lineage.length === 0 ? [] : named("lineage", lineage.join("; "), stream)),
  ];
}

function timingLines(
  { thresholdTokens, compactsAtTokens, postponed }: CompactionTiming,
  stream: Stream,
): readonly string[] {
  if (compactsAtTokens === undefined) return named("compacted", "not automatically", stream);
  const late = compactsAtTokens > thresholdTokens;
  const latest = `at ${count(compactsAtTokens)} tokens at the latest; the threshold is ${count(thresholdTokens)}`;
  return [
    ...named("compacted", late ? latest : `at ${count(compactsAtTokens)} tokens`, stream),
    ...(postponed === undefined ? [] : named("waits", visibleLine(postponed.because), stream)),
  ];
}

const HIDDEN_SHOWN_MAX = 12;

function engineLines({ engine }: SessionShown, stream: Stream): readonly string[] {
  if (engine?.statistics === undefined) return [];
  const { compactions, savedTokens, averageRatio, hitRate, savedShare } = engine.statistics;
  const cache = `${percent(hitRate)} of the input read from a cache, ${percent(savedShare)} of its cost saved`;
  return [
    ...named("engine", engine.name, stream),
    ...named(
      "statistics",
      `${counted(compactions, "compaction")}, ${count(savedTokens)} tokens saved, ${percent(averageRatio)} on average; ${cache}`,
      stream,
    ),
  ];
}

function hiddenLines({ engine }: SessionShown, now: number, { paint, columns }: Stream): readonly string[] {
  const hidden = engine?.hidden ?? [];
  const newest = hidden.slice(-HIDDEN_SHOWN_MAX);
  const more = hidden.length - newest.length;
  return [
    ...(more > 0 ? [`  ${paint("dim", `… ${counted(more, "older result")}`)}`] : []),
    ...newest.map(({ id, number, label, at }) => {
      const when = at === undefined ? "" : `, hidden ${age(now - at)} ago`;
      return `  ${paint("accent", id)}  ${clip(`message ${number}: ${label}${when}`, columns - id.length - 4)}`;
    }),
  ];
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function minute(ms: number): string {
  return new Date(ms).toISOString().slice(0, ISO_MINUTE_CHARS).replace("T", " ");
}

function named(name: string, says: string, stream: Stream): readonly string[] {
  return namedLines(name, says, { left: LABEL_COLUMNS }, stream);
}

function compactionLines(
  { covered, undone, stands, createdAt, report }: CompactionShown,
  at: number,
  { now, stream }: { readonly now: number; readonly stream: Stream },
): readonly string[] {
  const { paint, columns } = stream;
  const { tokens } = report;
  const state = undone ? paint("warn", "undone") : stands ? paint("good", "active") : "replaced by a later one";
  const head = `${at + 1}  ${paint("strong", report.reason)}  ${count(tokens.before)} → ${count(tokens.after)} tokens (${change(tokens.before, tokens.after)})`;
  return [
    `  ${head}  ${age(now - createdAt)} ago  ${state}`,
    ...describeAccount(report, covered).flatMap((line) =>
      wrapped(line, columns - 5).map((one) => `     ${paint("dim", one)}`),
    ),
  ];
}

function describeAccount(report: CompactionReport, covered: number): readonly string[] {
  const { because, messages, recall, receipt, degraded, modelCalls, costUsd, summary } = report;
  const gone = RECEIPT_KINDS.flatMap((kind) => {
    const [recallable, lost] = [countIn(receipt, kind, "recallable"), countIn(receipt, kind, "lost")];
    if (recallable + lost === 0) return [];
    return `${counted(recallable + lost, RECEIPT_NAMES[kind])}${lost === 0 ? "" : ` (${count(lost)} lost)`}`;
  });
  const writer =
    summary === undefined
      ? ""
      : `, written by ${summary.by === "model" ? "a model" : "code"}${summary.edited === true ? ", edited by a person" : ""}`;
  const price = modelCalls === 0 ? "" : `; ${counted(modelCalls, "model call")}, $${costUsd.toFixed(PRICE_DIGITS)}`;
  return [
    ...(because === undefined ? [] : [`because ${because}`]),
    `covers ${counted(covered, "message")}: ${count(messages.kept)} kept, ${count(messages.edited)} digested, ${count(messages.summarised)} in the handoff${writer}; ${counted(recall.length, "recall id")}${price}`,
    ...(gone.length === 0 ? [] : [`not in it: ${gone.join(", ")}`]),
    ...degraded.map((line) => `! ${line}`),
  ];
}

function messageLines(
  { number, role, tokens, text, calls }: MessageShown,
  { paint, columns }: Stream,
): readonly string[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const shown = lines.slice(0, LINES_SHOWN_MAX).map((line) => `    ${clip(line, columns - 4)}`);
  const more = lines.length - shown.length;
  const called = calls
    .slice(0, CALLS_SHOWN_MAX)
    .map((call) => `    ${paint("accent", "→")} ${clip(call, columns - 6)}`);
  return [
    `  ${paint("strong", `${number} ${role}`)}  ${paint("dim", `${count(tokens)} tokens`)}`,
    ...shown,
    ...(more > 0 ? [`    ${paint("dim", `… ${counted(more, "more line")}`)}`] : []),
    ...called,
    ...(calls.length > called.length ? [`    ${paint("dim", `→ ${calls.length - called.length} more`)}`] : []),
  ];
}

export interface HitShown {
  readonly id: string;
  readonly label?: string;
  readonly number?: number;
  readonly role?: Role;
  /** Of a message that left its conversation too. */
  readonly recall?: string;
  readonly text: string;
  readonly missing?: readonly string[];
}

const ID_COLUMNS_MAX = 28;
const LABEL_COLUMNS_MAX = 60;

export function listed(hits: readonly HitShown[], { paint }: Stream): string {
  return hits
    .map(({ id, label = "", number, role, recall, text, missing = [] }) => {
      const place =
        number === undefined || role === undefined
          ? clip(visibleLine(label), LABEL_COLUMNS_MAX)
          : titleOf({ number, role, tools: [] });
      const notes = [
        ...(recall === undefined ? [] : [`in ${recall}`]),
        ...(missing.length === 0 ? [] : [`without ${missing.join(", ")}`]),
      ];
      const lines = visible(text)
        .split("\n")
        .map((line) => `  ${line}`.trimEnd());
      const head = [paint("accent", clip(id, ID_COLUMNS_MAX)), place].join(" ");
      return `${[head, ...notes.map((note) => paint("dim", note))].join(", ")}\n${lines.join("\n")}\n`;
    })
    .join("\n");
}
