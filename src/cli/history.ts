/** The kept conversations, opened for a command: the store that is meant, and the settings a gateway would use on it. */
import type { ArgsDef } from "citty";
import { DEFAULTS } from "../config/defaults.ts";
import { resolveAll } from "../config/load.ts";
import { configurationError } from "../config/problems.ts";
import type { Configuration } from "../config/schema.ts";
import { PrecisError } from "../core/errors.ts";
import { wrapped } from "../config/wrap.ts";
import { createRedactor, type Redactor } from "../core/redaction/redactor.ts";
import type { GatewayEvent } from "../gateway/contract.ts";
import type { History } from "../gateway/history/contract.ts";
import { createHistory } from "../gateway/history/history.ts";
import { sessionOptions } from "../gateway/gateway-options.ts";
import type { RuntimeOptions } from "../session/contract.ts";
import { type HookFailure, createOperatorHooks } from "../session/operator-hooks/operator-hooks.ts";
import { openStore } from "../store/open.ts";
import type { HistoryStore } from "../store/store.ts";
import type { Arguments } from "./command.ts";
import { engineNamed, withEngine } from "./engine.ts";
import { gatewayOptions } from "./gateway-options.ts";
import { CONFIG_FLAGS, configurationRequest } from "./settings-flags.ts";
import { existingStore, storePlace } from "./store-file.ts";
import { storeAsConfigured, storeKey } from "./store-settings.ts";
import type { Stream, Terminal } from "./terminal.ts";

/** Whose history it is on a machine of one's own. */
export const LOCAL_TENANT = "local";

export const HISTORY_ARGS = {
  store: {
    type: "string",
    valueHint: "ADDRESS",
    description: "Another store than the configured one: a file, or postgres://….",
  },
  tenant: { type: "string", valueHint: "NAME", description: "The tenant; `local` by default." },
  ...CONFIG_FLAGS,
} as const satisfies ArgsDef;

export const SESSION_ARG = {
  session: {
    type: "positional",
    valueHint: "ID",
    description: "The session's id, or an unambiguous beginning of it.",
  },
} as const satisfies ArgsDef;

export interface OpenedHistory {
  readonly history: History;
  readonly tenant: string;
  /** The store as a person would write it. */
  readonly store: string;
  readonly kept: HistoryStore;
  /** Where it is a file. */
  readonly path?: string;
  /** Secrets are masked in what is kept. */
  readonly masks: boolean;
  /** By the configured rules. */
  readonly redact: Redactor;
  /** For a session on this store, with the configured engine, settings and hooks. */
  readonly runtimeOptions: (model: RuntimeModel) => RuntimeOptions & { readonly store: HistoryStore };
}

export interface RuntimeModel {
  readonly model: string;
  readonly contextLength: number;
}

interface HistoryUse {
  readonly readOnly: boolean;
  /** The engine is needed: only then is one that is not there an error. `if_there`: the default one takes its place. */
  readonly compacts?: boolean | "if_there";
  /** The store is made where there is none. */
  readonly creates?: true;
}

export async function withHistory<Result>(
  args: Arguments,
  terminal: Terminal,
  { readOnly, compacts = false, creates }: HistoryUse,
  use: (opened: OpenedHistory) => Promise<Result>,
): Promise<Result> {
  const loaded = await resolveAll(configurationRequest(args, terminal));
  if (loaded.problems.length > 0) throw configurationError(loaded.problems);
  const { address, shown, path } = (creates === true ? storePlace : existingStore)(
    args.text("store"),
    loaded.configuration,
    terminal,
  );
  const { context } =
    compacts === false || (compacts === "if_there" && !hasEngine(loaded, terminal)) ? DEFAULTS : loaded.configuration;
  return withEngine({ context }, terminal, async (engine) => {
    const options = await gatewayOptions(loaded, terminal.environment, engine);
    const key = storeKey(loaded.configuration, terminal.environment);
    const store = storeAsConfigured(
      await openStore(address, { readOnly, ...key }),
      loaded.configuration,
      options.secrets,
    );
    try {
      const tenant = args.text("tenant") ?? LOCAL_TENANT;
      const history = createHistory({ ...options, store, onEvent: (event) => void sayNotice(event, terminal.err) });
      const redact = createRedactor(options.secrets);
      const hooks = createOperatorHooks(options.hooks, options.secrets);
      const onFailure = ({ message }: HookFailure): void => void terminal.err.say(`${message}\n`);
      const runtimeOptions = ({ model, contextLength }: RuntimeModel) => {
        const own = hooks?.forSession({ tenant, model, onFailure });
        const { settings, ...rest } = sessionOptions(options);
        return {
          ...rest,
          // One text takes the place of the whole beginning.
          settings: { ...settings, contextLength, protectFirstN: 0 },
          store,
          tenant,
          model,
          ...(own === undefined ? {} : { hooks: own }),
        };
      };
      return await use({
        history,
        tenant,
        store: shown,
        kept: store,
        ...(path === undefined ? {} : { path }),
        masks: loaded.configuration.redaction.stored,
        redact,
        runtimeOptions,
      });
    } finally {
      await store.close();
    }
  });
}

function hasEngine({ configuration }: { readonly configuration: Configuration }, terminal: Terminal): boolean {
  try {
    engineNamed(configuration, terminal);
    return true;
  } catch (error) {
    if (error instanceof PrecisError) return false;
    throw error;
  }
}

async function sayNotice(event: GatewayEvent, err: Stream): Promise<void> {
  if (event.kind === "notice") await err.say(`${wrapped(event.message, err.columns).join("\n")}\n`);
}

/** The one session that a command is about. */
export function sessionNamed(args: Arguments, { tenant }: Pick<OpenedHistory, "tenant">) {
  return { tenant, id: args.text("session")! };
}

/** Says that a tenant has no session, and who has some. */
export async function noSessions({ history, tenant, store }: OpenedHistory): Promise<string> {
  const others = (await history.tenants()).map((one) => `${one.tenant} (${one.sessions})`);
  const said = `no session of the tenant "${tenant}" in ${store}`;
  return others.length === 0 ? said : `${said}; there are some of ${others.join(", ")}: name one with --tenant`;
}
