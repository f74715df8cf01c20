/** A running gateway as the operator asks it: at the configured address, with this machine's token. */
import type { Configuration } from "../config/schema.ts";
import { PrecisError } from "../core/errors.ts";
import { gatewayUrl } from "./gateway-url.ts";
import { operatorToken } from "./operator-token.ts";
import type { Terminal } from "./terminal.ts";

const ANSWER_WITHIN_MS = 5_000;

export interface GatewayClient {
  readonly url: string;
  /** The JSON under `/_precis`. @throws PrecisError `no_gateway`. */
  readonly json: (path: string) => Promise<unknown>;
  /** A stream that is read until the signal ends it; undefined where this gateway has no such route. */
  readonly stream: (path: string, signal: AbortSignal) => Promise<ReadableStream<Uint8Array> | undefined>;
}

export function gatewayClient(configuration: Configuration, terminal: Terminal): GatewayClient {
  const { host, port } = configuration.gateway;
  const url = gatewayUrl(host, port);
  const token = operatorToken(configuration, terminal)?.token;
  const authorization: Readonly<Record<string, string>> =
    token === undefined ? {} : { authorization: `Bearer ${token}` };
  const ask = async (path: string, accept: string, signal: AbortSignal): Promise<Response> => {
    try {
      return await fetch(`${url}/_precis${path}`, {
        headers: { accept, ...authorization },
        redirect: "manual",
        signal,
      });
    } catch (cause) {
      throw new PrecisError(`no gateway answers at ${url}`, {
        code: "no_gateway",
        hint: "Start one with `precis serve`, or name its port with --set gateway.port=N.",
        cause,
      });
    }
  };
  return {
    url,
    json: async (path) => {
      const response = await ask(path, "application/json", AbortSignal.timeout(ANSWER_WITHIN_MS));
      if (!response.ok) throw refused(url, response.status);
      return response.json();
    },
    stream: async (path, signal) => {
      const response = await ask(path, "text/event-stream", signal);
      if (response.ok && response.body !== null) return response.body;
      await response.body?.cancel();
      if (response.status === 404 || response.status === 503) return undefined;
      throw refused(url, response.status);
    },
  };
}

function refused(url: string, status: number): PrecisError {
  return new PrecisError(`the gateway at ${url} answered ${status}`, {
    code: "no_gateway",
    hint: "It needs the operator's token: `precis token` prints the one of this machine.",
  });
}
