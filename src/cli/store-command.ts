/** What commands about the store have in common: their flags, and the store that these name. */
import type { ArgsDef } from "citty";
import { loadConfiguration } from "../config/load.ts";
import { openStore } from "../store/open.ts";
import type { HistoryStore } from "../store/store.ts";
import type { Arguments } from "./command.ts";
import { CONFIG_FLAGS, configurationRequest } from "./settings-flags.ts";
import { existingStore } from "./store-file.ts";
import { storeKey } from "./store-settings.ts";
import type { Terminal } from "./terminal.ts";

export const STORE_ARGS = {
  store: {
    type: "string",
    valueHint: "ADDRESS",
    description: "Another store than the configured one: a file, or postgres://….",
  },
  ...CONFIG_FLAGS,
  json: { type: "boolean", description: "Print JSON." },
} as const satisfies ArgsDef;

export const TENANT_ARG = {
  tenant: { type: "string", valueHint: "NAME", description: "Only what belongs to this tenant." },
} as const satisfies ArgsDef;

export interface OpenedStore {
  readonly store: HistoryStore;
  /** As a person would write it. */
  readonly shown: string;
  /** Where it is a file. */
  readonly path?: string;
}

export async function withStore<Result>(
  args: Arguments,
  terminal: Terminal,
  { readOnly = false }: { readonly readOnly?: boolean },
  use: (opened: OpenedStore) => Promise<Result>,
): Promise<Result> {
  const configuration = await loadConfiguration(configurationRequest(args, terminal));
  const { address, shown, path } = existingStore(args.text("store"), configuration, terminal);
  const store = await openStore(address, { readOnly, ...storeKey(configuration, terminal.environment) });
  try {
    return await use({ store, shown, ...(path === undefined ? {} : { path }) });
  } finally {
    await store.close();
  }
}
