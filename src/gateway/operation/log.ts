/** The gateway's events as JSON lines. They hold no content and no credential; what clients name themselves is redacted all the same. */
import { pino } from "pino";
import { redactJson } from "../../core/redaction/json.ts";
import type { Redactor } from "../../core/redaction/redactor.ts";
import type { GatewayEvent, Tell, UntouchedReason } from "../contract.ts";

export interface LogOptions {
  /** Takes one line with its line break. */
  readonly write: (line: string) => void;
  /** Should know every rule: `createRedactor(await loadSecretRules())`. */
  readonly redact: Redactor;
}

export interface Log {
  readonly tell: Tell;
  /** A line beside the events, for example that the gateway listens. */
  readonly say: (event: string, fields: Readonly<Record<string, unknown>>) => void;
}

/** Untouched because something failed, and not because it should be so. */
const FAILURES: ReadonlySet<UntouchedReason> = new Set(["store_unavailable", "internal_fault"]);

export function createLog({ write, redact }: LogOptions): Log {
  const logger = pino(
    {
      base: null,
      timestamp: () => `,"at":"${new Date().toISOString()}"`,
      formatters: { level: (level) => ({ level }) },
      hooks: { streamWrite: (line) => `${redactJson(line.trimEnd(), redact)}\n` },
    },
    { write },
  );
  return {
    tell: ({ kind, ...rest }) => logger[levelOf({ kind, ...rest } as GatewayEvent)]({ event: kind, ...rest }),
    say: (event, fields) => logger.info({ event, ...fields }),
  };
}

/** How much an event is to be worried about. */
export function levelOf(event: GatewayEvent): "info" | "warn" | "error" {
  switch (event.kind) {
    case "request": {
      const { outcome, treatment } = event;
      const failed = treatment.kind === "untouched" && FAILURES.has(treatment.because);
      return failed || outcome === "upstream_failed" ? "warn" : "info";
    }
    case "compaction":
      return event.degraded.length > 0 ? "warn" : "info";
    case "recall":
      return "info";
    case "notice":
      return event.code === "internal_fault" ? "error" : event.code === "window_learned" ? "info" : "warn";
  }
}
