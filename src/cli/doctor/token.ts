/** The operator's token: whether it is there, for its owner alone, and how it is used. */
import type { Configuration } from "../../config/schema.ts";
import { PrecisError } from "../../core/errors.ts";
import { operatorToken, tokenPlace } from "../operator-token.ts";
import type { Terminal } from "../terminal.ts";
import { fault, fine, type Finding } from "./finding.ts";

const HOW =
  "metrics and the API take `authorization: Bearer $(precis token)`, a browser the link of `precis token --link`";

export function checkToken(configuration: Configuration, terminal: Terminal): readonly Finding[] {
  // A variable that is not set is reported with the keys.
  const { token_env: variable } = configuration.gateway;
  if (variable !== null && !terminal.environment[variable]?.trim()) return [];
  try {
    const known = operatorToken(configuration, terminal);
    const where = known === undefined ? "created by the first `precis serve`" : tokenPlace(known, terminal);
    return [fine("port", "operator_token", `the operator's token is ${where}: ${HOW}`)];
  } catch (error) {
    if (!(error instanceof PrecisError)) throw error;
    return [fault("port", "operator_token", { says: error.message, fix: error.hint ?? "Create a new one." })];
  }
}
