/** The kept conversations, opened for a command with the settings a gateway would use on them; sessions of agents are taken into them. */
import type { ArgsDef } from "citty";
import { DEFAULTS } from "../../config/defaults.ts";
import { resolveAll } from "../../config/load.ts";
import { configurationError } from "../../config/problems.ts";
import type { Configuration } from "../../config/schema.ts";
import { PrecisError } from "../../core/errors.ts";
import { wrapped } from "../screen/text.ts";
import { createRedactor, type Redactor } from "../../core/redaction/redactor.ts";
import type { GatewayEvent } from "../../gateway/contract.ts";
import type { History } from "../../session/history.ts";
import { createHistory } from "../../gateway/history/history.ts";
import { sessionOptions } from "../../gateway/gateway-options.ts";
import type { RuntimeOptions } from "../../session/contract.ts";
import { type HookFailure, createOperatorHooks } from "../../session/operator-hooks/operator-hooks.ts";
import { openStore } from "../../store/open.ts";
import type { HistoryStore } from "../../store/store.ts";
import { option, positional, type Arguments } from "../program/command.ts";
import { engineNamed, withEngine } from "../settings/engine.ts";
import { gatewayOptions } from "../gateway/options.ts";
import { CONFIG_FLAGS, configurationRequest } from "../settings/flags.ts";
import { existingStore, storePlace, storeAsConfigured, storeKey } from "./place.ts";
import type { Stream, Terminal } from "../screen/terminal.ts";
import { hash } from "node:crypto";
import { createChain } from "../../core/transcript/links.ts";
import type { Message } from "../../core/transcript/message.ts";
import type { ReadLog } from "../../logs/log.ts";
import { protocols } from "../../protocols/index.ts";

/** Whose history it is on a machine of one's own. */
export const LOCAL_TENANT = "local";

export const HISTORY_ARGS = {
  store: option("ADDRESS", "Another store than the configured one: a file, or postgres://…."),
  tenant: option("NAME", "The tenant; `local` by default."),
  ...CONFIG_FLAGS,
} as const satisfies ArgsDef;

export const SESSION_ARG = {
  session: positional("ID", "The session's id, or an unambiguous beginning of it."),
} as const satisfies ArgsDef;

export interface OpenedHistory {
  readonly history: History;
  readonly tenant: string;
  readonly store: string;
  readonly kept: HistoryStore;
  readonly path?: string;
  /** Secrets are masked in what is kept. */
  readonly masks: boolean;
  readonly redact: Redactor;
  readonly runtimeOptions: (model: RuntimeModel) => RuntimeOptions & { readonly store: HistoryStore };
}

interface RuntimeModel {
  readonly model: string;
  readonly contextLength: number;
}

interface HistoryUse {
  readonly readOnly: boolean;
  /** The engine is needed: only then is one that is not there an error. `if_there`: the default one takes its place. */
  readonly compacts?: boolean | "if_there";
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

export function sessionNamed(args: Arguments, { tenant }: Pick<OpenedHistory, "tenant">) {
  return { tenant, id: args.text("session")! };
}

export async function noSessions({ history, tenant, store }: OpenedHistory): Promise<string> {
  const others = (await history.tenants()).map((one) => `${one.tenant} (${one.sessions})`);
  const said = `no session of the tenant "${tenant}" in ${store}`;
  return others.length === 0 ? said : `${said}; there are some of ${others.join(", ")}: name one with --tenant`;
}

/** Such a session is a copy of what Claude Code keeps in a file of its own. */
const CLAUDE_CODE_SESSION = "claude-code:";

/**
 * For what changes a session's next request: of a copy that no gateway has answered, Claude Code would send what it has.
 *
 * @throws PrecisError `kept_by_agent` for such a copy.
 */
export async function refuseCopy(
  { history }: OpenedHistory,
  session: ReturnType<typeof sessionNamed>,
  hint: string,
): Promise<void> {
  const { id, model } = await history.show(session, 1);
  if (model !== undefined || !id.startsWith(CLAUDE_CODE_SESSION)) return;
  throw new PrecisError(`${id} is a copy of a session that Claude Code keeps itself`, { code: "kept_by_agent", hint });
}

const NAME_CHARS_MAX = 128;
const { linksOf } = createChain((text) => hash("sha256", text));

interface KeptSession {
  readonly session: string;
  readonly messages: readonly Message[];
  readonly links: readonly string[];
  readonly added: number;
}

interface SessionPlace extends Pick<OpenedHistory, "kept" | "tenant"> {
  readonly path: string;
}

/** Continues a session that is in the store already; undefined where nothing was said in it. @throws PrecisError of the store. */
export async function keepSession(
  { transcript, speaks, format, id }: ReadLog,
  { kept, tenant, path }: SessionPlace,
): Promise<KeptSession | undefined> {
  // In the form in which the agent sends them, so that a gateway that sees the conversation recognises it.
  const { messages: encoded } = protocols[speaks].encode({ system: [], messages: transcript.messages });
  const { messages } = protocols[speaks].decode(JSON.stringify(encoded)).transcript;
  if (messages.length === 0) return undefined;
  const links = linksOf(messages);
  const name = `${format}:${(id ?? hash("sha256", path)).replaceAll(/[^A-Za-z0-9._:@/-]/g, "-")}`;
  const { session, added } = await kept.appendChain(tenant, {
    links,
    messages,
    session: name.slice(0, NAME_CHARS_MAX),
  });
  return { session, messages, links, added };
}
