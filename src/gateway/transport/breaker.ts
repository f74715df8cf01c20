/**
 * Circuit breakers. After several calls in a row that made no connection to an upstream, further ones are refused at once for a
 * while, instead of each waiting for as long. Then the gateway connects by itself, which takes no longer than any connection may,
 * and lets all through once that succeeds: whoever asks next does not wait for somebody else's answer. An upstream that takes
 * connections and does not answer in time is closed only to the tenant whose calls ran out of time.
 */
import { PrecisError } from "../../core/errors.ts";
import type { EmitEvent } from "../contract.ts";
import type { GatewayLimits } from "../limits.ts";
import type { ProviderRequest, Sender } from "./send.ts";

export interface BreakerParts {
  readonly limits: Pick<GatewayLimits, "breakerFailures" | "breakerOpenMs">;
  readonly onEvent: EmitEvent;
  readonly now: () => number;
}

interface Circuit {
  failures: number;
  /** No call goes out before this time; 0 while it is closed. */
  openUntil: number;
  probe: Promise<void> | undefined;
}

/** Tenants beyond these are forgotten, the oldest first: that only gives them their failures back. */
const CIRCUITS_MAX = 10_000;
const SECOND_MS = 1_000;

/** The same sender. @throws also PrecisError `upstream_circuit_open`. */
export function withBreakers(sender: Sender, { limits, onEvent, now }: BreakerParts): Sender {
  /** Those with failures: of an upstream by its name, of a tenant there by both. */
  const circuits = new Map<string, Circuit>();
  const failed = (key: string, tenant: string, said: string): void => {
    const circuit = circuits.get(key) ?? { failures: 0, openUntil: 0, probe: undefined };
    circuits.set(key, circuit);
    if (circuits.size > CIRCUITS_MAX) circuits.delete(circuits.keys().next().value!);
    circuit.failures += 1;
    if (circuit.failures < limits.breakerFailures) return;
    const message = `${circuit.failures} calls in a row ${said}; further ones are refused`;
    if (circuit.openUntil === 0) onEvent({ kind: "notice", code: "circuit_open", tenant, message });
    circuit.openUntil = now() + limits.breakerOpenMs;
  };
  const worked = (key: string, tenant: string, message: string): void => {
    if (circuits.get(key)?.openUntil) onEvent({ kind: "notice", code: "circuit_closed", tenant, message });
    circuits.delete(key);
  };
  const connected = (name: string): void => worked(name, "", `${name} can be reached again`);
  const unreached = (error: unknown, name: string): void => {
    if (errorCode(error) === "upstream_unreachable") failed(name, "", `did not reach ${name}`);
  };
  const letThrough = async (outgoing: ProviderRequest, slowKey: string): Promise<void> => {
    const { name } = outgoing.to.upstream;
    const away = circuits.get(name);
    if (away !== undefined && away.openUntil !== 0 && now() >= away.openUntil) {
      const trying = connect(sender, outgoing.to, () => connected(name)).catch((error) => unreached(error, name));
      await (away.probe ??= trying.finally(() => (away.probe = undefined)));
    }
    const slow = circuits.get(slowKey);
    const waitMs = Math.max(circuits.get(name)?.openUntil ?? 0, slow?.openUntil ?? 0) - now();
    if (waitMs > 0) throw circuitOpen(name, waitMs);
    // One call is tried in that time, and an answer to any lets all through.
    if (slow !== undefined && slow.openUntil !== 0) slow.openUntil = now() + limits.breakerOpenMs;
  };
  return {
    ...sender,
    send: async (outgoing) => {
      const { tenant, to } = outgoing;
      const { name } = to.upstream;
      const slowKey = JSON.stringify([name, tenant]);
      await letThrough(outgoing, slowKey);
      try {
        const response = await sender.send({ ...outgoing, onConnected: () => connected(name) });
        worked(slowKey, tenant, `${name} answers in time again`);
        return response;
      } catch (error) {
        unreached(error, name);
        if (errorCode(error) === "upstream_timeout") failed(slowKey, tenant, `were not answered by ${name} in time`);
        throw error;
      }
    },
  };
}

/** Connects and sends nothing. @throws what the connection fails with. */
async function connect(sender: Sender, to: ProviderRequest["to"], onConnected: () => void): Promise<void> {
  const ending = new AbortController();
  const { signal } = ending;
  const done = (): void => (onConnected(), ending.abort());
  try {
    await sender.send({ to, tenant: "", method: "HEAD", headers: [], body: undefined, signal, onConnected: done });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

function errorCode(error: unknown): string | undefined {
  return error instanceof PrecisError ? error.code : undefined;
}

function circuitOpen(name: string, waitMs: number): PrecisError {
  const retryAfterSeconds = Math.ceil(Math.max(SECOND_MS, waitMs) / SECOND_MS);
  return new PrecisError(`precis: the provider ${name} has not been reachable lately.`, {
    code: "upstream_circuit_open",
    hint: `Send the request again in ${retryAfterSeconds} ${retryAfterSeconds === 1 ? "second" : "seconds"}.`,
    retryable: true,
    cause: { retryAfterSeconds },
  });
}
