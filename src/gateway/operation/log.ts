/** The gateway's events as JSON lines. They hold no content and no credential; what clients name themselves is redacted all the same. */
import { pino } from "pino";
import { redactJson, type Redactor } from "../../core/redaction/redactor.ts";
import type { GatewayEvent, RequestEvent, EmitEvent, UntouchedReason } from "../contract.ts";

interface LogOptions {
  readonly write: (line: string) => void;
  /** Should know every rule: `createRedactor(await loadSecretRules())`. */
  readonly redact: Redactor;
}

export interface Log {
  readonly onEvent: EmitEvent;
  readonly say: (event: string, fields: Readonly<Record<string, unknown>>) => void;
}

/** Untouched because something failed, and not because it should be so. */
const FAILURES: ReadonlySet<UntouchedReason> = new Set(["store_unavailable", "internal_fault"]);

/** Names that are remembered redacted: clients use few, again and again. */
const NAMES_MAX = 1_024;

export function createLog({ write, redact }: LogOptions): Log {
  const open = (streamWrite: (line: string) => string) =>
    pino(
      {
        base: null,
        timestamp: () => `,"at":"${new Date().toISOString()}"`,
        formatters: { level: (level) => ({ level }) },
        hooks: { streamWrite },
      },
      { write },
    );
  const guarded = open((line) => `${redactJson(line.trimEnd(), redact)}\n`);
  const plain = open((line) => line);
  const named = rememberingNames(redact);
  return {
    onEvent: (event) => {
      const { kind, ...rest } = event;
      const level = levelOf(event);
      // These events are frequent, and only the names in them come from outside: each is masked once and remembered.
      if (event.kind === "request") plain[level]({ event: kind, ...rest, ...named(event) });
      else guarded[level]({ event: kind, ...rest });
    },
    say: (event, fields) => guarded.info({ event, ...fields }),
  };
}

type Names = Pick<RequestEvent, "method" | "path" | "upstream" | "tenant" | "model">;

/** What of a request a client or an operator named, redacted with the names of its fields. */
function rememberingNames(redact: Redactor): (event: Names) => Names {
  const known = new Map<string, Names>();
  return ({ method, path, upstream, tenant, model }) => {
    const text = JSON.stringify({ method, path, upstream, tenant, model });
    let names = known.get(text);
    if (names === undefined) {
      if (known.size >= NAMES_MAX) known.clear();
      known.set(text, (names = JSON.parse(redactJson(text, redact)) as Names));
    }
    return names;
  };
}

const INFORMING = new Set<string>([
  "window_learned",
  "window_remembered",
  "window_forgotten",
  "retention",
  "postponed",
  "circuit_closed",
]);

export function levelOf(event: GatewayEvent): "info" | "warn" | "error" {
  switch (event.kind) {
    case "request": {
      const { outcome, treatment } = event;
      const failed = treatment.kind === "untouched" && FAILURES.has(treatment.because);
      return failed || outcome === "upstream_failed" ? "warn" : "info";
    }
    case "compaction":
      return event.degraded.length > 0 || event.lostRequests > 0 ? "warn" : "info";
    case "recall":
      return "info";
    case "job":
      return event.outcome === "failed" ? "warn" : "info";
    case "notice":
      return event.code === "internal_fault" ? "error" : INFORMING.has(event.code) ? "info" : "warn";
  }
}

const NAME_CHARS_MAX = 160;
/** Of what looks random, this much is shown: enough to find it again. */
const SHOWN_CHARS = 4;
/** A run of that many letters and digits is a word only if it has no digits and few changes of case. */
const MIXED_CHARS_MIN = 16;
const WORD_CHARS_MAX = 24;
/** From small to capital. `streamGenerateContent` has two, a long name of a model four. */
const RUN_CASE_CHANGES_MIN = 4;
const PART_CASE_CHANGES_MIN = 6;

/** What may be one secret: everything between signs that keys do not contain. */
const PARTS = /[A-Za-z0-9_~+=.-]+/g;
const RUNS = /[A-Za-z0-9]+/g;
const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/i;

/** The same event, with nothing in it that may be a key. */
export function withShownNames(event: GatewayEvent): GatewayEvent {
  switch (event.kind) {
    case "request":
      return { ...event, path: shownName(event.path), model: shownName(event.model) };
    case "compaction":
    case "recall":
    case "job":
      return { ...event, model: shownName(event.model) };
    case "notice":
      return { ...event, message: shownText(event.message) };
  }
}

export function shownName(name: string): string {
  const shown = shownText(name);
  return shown.length <= NAME_CHARS_MAX ? shown : `${shown.slice(0, NAME_CHARS_MAX)}…`;
}

function shownText(text: string): string {
  return text.replace(PARTS, (part) =>
    looksRandom(part) ? `${part.slice(0, SHOWN_CHARS)}…(${part.length} characters)` : part,
  );
}

function looksRandom(part: string): boolean {
  return UUID.test(part) || (part.match(RUNS) ?? []).some(isRandomRun) || isSeparatedRandom(part);
}

function isRandomRun(run: string): boolean {
  if (run.length < MIXED_CHARS_MIN) return false;
  return run.length > WORD_CHARS_MAX || /\d/.test(run) || caseChanges(run) >= RUN_CASE_CHANGES_MIN;
}

/** Random text in which the separators of base64url fell so that no run of it is long. */
function isSeparatedRandom(part: string): boolean {
  const joined = part.replace(/[^A-Za-z0-9]/g, "");
  return joined.length > WORD_CHARS_MAX && /\d/.test(joined) && caseChanges(joined) >= PART_CASE_CHANGES_MIN;
}

function caseChanges(text: string): number {
  return text.match(/[a-z][A-Z]/g)?.length ?? 0;
}

/** A listener that throws fails no request, and not the process. */
export function safely(onEvent: EmitEvent): EmitEvent {
  return (event) => {
    try {
      onEvent(event);
    } catch {}
  };
}
