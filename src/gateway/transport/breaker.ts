/**
 * A circuit breaker for each upstream: after several calls in a row that did not reach it, or were not answered in time, further
 * ones are refused at once for a while, instead of each waiting for as long. Then one is let through to see. An answer with
 * an error status is an answer.
 */
import { PrecisError } from "../../core/errors.ts";
import type { EmitEvent } from "../contract.ts";
import type { GatewayLimits } from "../limits.ts";
import type { Sender } from "./send.ts";

export interface BreakerParts {
  readonly limits: Pick<GatewayLimits, "breakerFailures" | "breakerOpenMs">;
  readonly onEvent: EmitEvent;
  readonly now: () => number;
}

interface Circuit {
  /** In a row. */
  failures: number;
  /** No call goes out before this time; 0 while it is closed. */
  openUntil: number;
  /** The one call that is let through is under way. */
  isTried: boolean;
}

const FAILURES: ReadonlySet<string> = new Set(["upstream_unreachable", "upstream_timeout"]);
const SECOND_MS = 1_000;

/** The same sender. @throws also PrecisError `upstream_circuit_open`. */
export function withBreakers(sender: Sender, { limits, onEvent, now }: BreakerParts): Sender {
  // As many as there are upstreams, which are configured.
  const circuits = new Map<string, Circuit>();
  const notice = (code: "circuit_open" | "circuit_closed", message: string): void =>
    onEvent({ kind: "notice", code, tenant: "", message });
  const failed = (name: string, circuit: Circuit): void => {
    circuit.failures += 1;
    if (circuit.failures < limits.breakerFailures) return;
    if (circuit.openUntil === 0)
      notice("circuit_open", `${circuit.failures} calls in a row did not reach ${name}; further ones are refused`);
    circuit.openUntil = now() + limits.breakerOpenMs;
  };
  const answered = (name: string, circuit: Circuit): void => {
    if (circuit.openUntil !== 0) notice("circuit_closed", `${name} answers again`);
    Object.assign(circuit, { failures: 0, openUntil: 0 });
  };
  return {
    ...sender,
    send: async (outgoing) => {
      const { name } = outgoing.to.upstream;
      const circuit = circuits.get(name) ?? { failures: 0, openUntil: 0, isTried: false };
      circuits.set(name, circuit);
      const isOpen = circuit.openUntil !== 0;
      if (isOpen && (circuit.isTried || now() < circuit.openUntil))
        throw circuitOpen(name, Math.max(SECOND_MS, circuit.openUntil - now()));
      if (isOpen) circuit.isTried = true;
      try {
        const response = await sender.send(outgoing);
        answered(name, circuit);
        return response;
      } catch (error) {
        if (error instanceof PrecisError && FAILURES.has(error.code)) failed(name, circuit);
        throw error;
      } finally {
        if (isOpen) circuit.isTried = false;
      }
    },
  };
}

function circuitOpen(name: string, waitMs: number): PrecisError {
  const retryAfterSeconds = Math.ceil(waitMs / SECOND_MS);
  return new PrecisError(`precis: the provider ${name} has not been reachable lately.`, {
    code: "upstream_circuit_open",
    hint: `Send the request again in ${retryAfterSeconds} ${retryAfterSeconds === 1 ? "second" : "seconds"}.`,
    retryable: true,
    cause: { retryAfterSeconds },
  });
}
