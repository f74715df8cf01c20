/** The operator's calls put together, over a store that a gateway may be using at the same time. */
import { hash } from "node:crypto";
import { createRedactor } from "../../core/redaction/redactor.ts";
import { createChain } from "../../core/transcript/links.ts";
import { createRegistry, lookUp, type Registry } from "../../models/registry/registry.ts";
import type { OperatorHookSettings } from "../../session/operator-hooks/contract.ts";
import { createOperatorHooks } from "../../session/operator-hooks/operator-hooks.ts";
import type { HistoryStore } from "../../store/store.ts";
import type { EmitEvent } from "../contract.ts";
import { forgetWindows, listWindows } from "../learned-windows.ts";
import { UNKNOWN_WINDOW_TOKENS, createModelBook } from "../models.ts";
import { sessionOptions, type SessionSettings } from "../session-options.ts";
import type * as Change from "./change.ts";
import type { CompactionPreview, History, Which } from "./contract.ts";
import type { HistoryDependencies } from "./dependencies.ts";
import { compactionView, contextView, unkeptView } from "./context-view.ts";
import { findSession } from "./find.ts";
import { createPreviews } from "./previews.ts";
import { readMessages } from "./read-messages.ts";
import { createMeasures, createReadRecent } from "./recently-read.ts";
import { exportSession } from "./export.ts";
import { fork } from "./fork.ts";
import { pin, pins, unpin } from "./pins.ts";
import { recall, search } from "./search.ts";
import { list, messagesOf, show } from "./show.ts";

/** The gateway's own options, so that what the operator compacts is as the gateway would have it. */
export interface HistoryOptions extends SessionSettings {
  readonly store: HistoryStore;
  readonly registry?: Registry;
  /** One window for every model, in tokens. */
  readonly contextLength?: number;
  readonly hooks?: OperatorHookSettings;
  /** Hears of hooks that fail. */
  readonly onEvent?: EmitEvent;
}

export function createHistory(options: HistoryOptions): History {
  const { store, registry = createRegistry(), contextLength, secrets } = options;
  const dependencies: HistoryDependencies = {
    store,
    chain: createChain((text) => hash("sha256", text)),
    models: () => createModelBook({ store, registry, contextLength, unknownTokens: UNKNOWN_WINDOW_TOKENS }),
    readRecent: createReadRecent(store),
    measureOf: createMeasures(),
    pricesOf: (model) => lookUp(registry, model)?.prices,
    windowIsStated: contextLength !== undefined,
    runtime: sessionOptions(options),
    redact: createRedactor(secrets),
    hooks: createOperatorHooks(options.hooks, secrets),
    onEvent: options.onEvent ?? (() => undefined),
  };
  return {
    tenants: () => store.listTenants(),
    windows: (choice) => listWindows(store, choice),
    forgetWindows: (choice) => forgetWindows(store, choice),
    list: (tenant, limit, offset) => list(dependencies, tenant, { limit, offset }),
    show: (which, tail) => show(dependencies, which, tail),
    context: (which) => contextView(dependencies, which),
    read: (which, page) => readMessages(dependencies, which, page),
    compaction: (which, number, page) => compactionView(dependencies, which, number, page),
    ...previewCalls(dependencies),
    compact: async (which, how) => (await loadChange()).compact(dependencies, which, how),
    drop: async (which, messages) => (await loadChange()).drop(dependencies, which, messages),
    undo: async (which) => (await loadChange()).undo(dependencies, which),
    setThreshold: async (which, threshold) => (await loadChange()).setThreshold(dependencies, which, threshold),
    pins: (which) => pins(dependencies, which),
    pin: (which, what) => pin(dependencies, which, what),
    unpin: (which, id) => unpin(dependencies, which, id),
    fork: (which, how) => fork(dependencies, which, how),
    export: (which, how) => exportSession(dependencies, which, how),
    messages: (which) => messagesOf(dependencies, which),
    engineTools: async (which, scope = {}) => {
      const { engineTools, toolsAtStart } = await import("./engine-tools.ts");
      return which === undefined ? toolsAtStart(dependencies) : engineTools(dependencies, which, scope);
    },
    recall: (tenant, id) => recall(dependencies, tenant, id),
    search: (query) => search(dependencies, query),
  };
}

type PreviewCall = "preview" | "showPreview" | "editPreview" | "applyPreview";

function previewCalls(dependencies: HistoryDependencies): Pick<History, PreviewCall> {
  const previews = createPreviews();
  const sessionOf = async (which: Which): Promise<string> => (await findSession(dependencies.store, which)).entry.id;
  return {
    preview: async (which, how) => {
      const made = await (await loadChange()).compactUnkept(dependencies, which, how);
      if (made.kind !== "made") return made;
      return shownAs(previews.add(made), made);
    },
    editPreview: async (which, preview, handoff) => {
      const edited = previews.get(await sessionOf(which), preview).edit(handoff);
      return shownAs(previews.add(edited), edited);
    },
    showPreview: async (which, preview, page) => {
      const { compaction } = previews.get(await sessionOf(which), preview);
      return unkeptView(dependencies, which, compaction, page);
    },
    applyPreview: async (which, preview) => {
      const { session, compaction, keep } = previews.get(await sessionOf(which), preview);
      previews.delete(preview);
      await keep();
      return { kind: "compacted", session, report: compaction.report };
    },
  };
}

function shownAs(preview: string, { session, compaction }: Change.UnkeptCompaction): CompactionPreview {
  return { kind: "preview", session, preview, report: compaction.report };
}

/** Loaded when something is compacted or undone: looking at it needs no engine. */
function loadChange(): Promise<typeof Change> {
  return import("./change.ts");
}
