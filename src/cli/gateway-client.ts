/** A running gateway as the operator asks it: at the configured address, with this machine's token. */
import type { Configuration } from "../config/schema.ts";
import { PrecisError } from "../core/errors.ts";
import { gatewayUrl } from "./gateway-url.ts";
import { operatorToken } from "./operator-token.ts";
import type { Terminal } from "./terminal.ts";

const ANSWER_WITHIN_MS = 5_000;

/** The JSON under `/_precis`. @throws PrecisError `no_gateway`. */
export async function gatewayJson(path: string, configuration: Configuration, terminal: Terminal): Promise<unknown> {
  const { host, port } = configuration.gateway;
  const url = gatewayUrl(host, port);
  const token = operatorToken(configuration, terminal)?.token;
  const response = await fetch(`${url}/_precis${path}`, {
    headers: { accept: "application/json", ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    redirect: "manual",
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  }).catch((cause: unknown) => {
    throw new PrecisError(`no gateway answers at ${url}`, {
      code: "no_gateway",
      hint: "Start one with `precis serve`, or name its port with --set gateway.port=N.",
      cause,
    });
  });
  if (response.ok) return response.json();
  throw new PrecisError(`the gateway at ${url} answered ${response.status}`, {
    code: "no_gateway",
    hint: "It needs the operator's token: `precis token` prints the one of this machine.",
  });
}
