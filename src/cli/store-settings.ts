/** A store as the settings have it: its key, from the variable that `gateway.store_key_env` names, and what is masked in it. */
import type { Environment } from "../config/environment.ts";
import type { Configuration } from "../config/schema.ts";
import type { RedactOptions } from "../core/redaction/redact.ts";
import { createRedactor } from "../core/redaction/redactor.ts";
import { maskedStore } from "../store/masked.ts";
import type { HistoryStore } from "../store/store.ts";
import { usageError } from "./exit.ts";

const KEY_BYTES = 32;
const HEXADECIMAL = /^[0-9a-f]{64}$/i;
const BASE64 = /^[A-Za-z0-9+/_-]{43}=?$/;

/** What `openSqliteStore` takes for it; nothing where the store is not encrypted. */
export function storeKey(
  { gateway }: { readonly gateway: Pick<Configuration["gateway"], "store_key_env"> },
  environment: Environment,
): { readonly key?: Uint8Array } {
  const { store_key_env: variable } = gateway;
  if (variable === null) return {};
  const text = environment[variable]?.trim() ?? "";
  const key = HEXADECIMAL.test(text)
    ? Buffer.from(text, "hex")
    : BASE64.test(text)
      ? Buffer.from(text, "base64")
      : undefined;
  if (key?.length === KEY_BYTES) return { key };
  throw usageError(
    text === ""
      ? `the key of the store is to be in the variable ${variable}, which is not set`
      : `${variable} is not a key of 32 bytes in base64 or hexadecimal`,
    "Create one with `openssl rand -base64 32` and keep it: without it the store cannot be read.",
  );
}

/** Keeps no secrets where that is configured. */
export function storeAsConfigured(
  store: HistoryStore,
  { redaction }: Configuration,
  secrets: RedactOptions | undefined,
): HistoryStore {
  return redaction.stored ? maskedStore(store, createRedactor(secrets)) : store;
}
