/** The gateway's events as JSON lines. They hold no content and no credential; what clients name themselves is redacted all the same. */
import { pino } from "pino";
import { redactJson, type Redactor } from "../../core/redaction/redactor.ts";
import type { GatewayEvent, RequestEvent, EmitEvent, UntouchedReason } from "../contract.ts";

export interface LogOptions {
  /** Takes one line with its line break. */
  readonly write: (line: string) => void;
  /** Should know every rule: `createRedactor(await loadSecretRules())`. */
  readonly redact: Redactor;
}

export interface Log {
  readonly onEvent: EmitEvent;
  /** A line beside the events, for example that the gateway listens. */
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
  "idle",
  "circuit_closed",
]);

/** How much an event is to be worried about. */
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
