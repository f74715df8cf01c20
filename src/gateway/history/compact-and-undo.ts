/**
 * What changes a conversation's future: an explicit compaction, and taking one back. Both only add to the store, under
 * the conversation's links; a gateway on the same store asks there for every request, so its next one is as changed here.
 */
import { defined } from "../../core/defined.ts";
import { reachTo } from "../../core/compaction/revise.ts";
import { createMeasure, type Measure } from "../../core/transcript/measure.ts";
import type { Compaction } from "../../core/compaction/compaction.ts";
import type { Message, Transcript } from "../../core/transcript/message.ts";
import { builtInName } from "../../core/engines/names.ts";
import { type SessionThreshold } from "../../core/engines/settings.ts";
import type { Outcome } from "../../core/engines/contract.ts";
import type { Runtime, RuntimeOptions, RuntimeState } from "../../session/contract.ts";
import { badThreshold, writeThreshold } from "../../session/threshold.ts";
import { pinsOf } from "../../session/pins.ts";
import { createRuntime } from "../../session/runtime.ts";
import { carryThinking } from "../quirks/thinking.ts";
import { archiveRestart } from "./archive.ts";
import type { CompactHow, CompactResult, ThresholdResult, UndoResult, Which } from "../../session/history.ts";
import { hooksOf } from "../conversations/start.ts";
import { readConversation, findSession } from "./find.ts";
import { withEditedHandoff } from "./edit-handoff.ts";
import { windowOf } from "./context-view.ts";
import type { HistoryDependencies } from "./sizes.ts";
import type { OperatorHooks } from "../../session/operator-hooks/operator-hooks.ts";
import type { HistoryStore } from "../../store/store.ts";

const KEPT_MASKED =
  "it is stored with its secrets masked, so only the gateway, which sees the original requests, can compact it";

export function compact(dependencies: HistoryDependencies, which: Which, how: CompactHow): Promise<CompactResult> {
  return change(dependencies, which, compactWith(how));
}

function compactWith({ focus, budget, signal, messages }: CompactHow): Make {
  return (runtime, transcript, measure) =>
    runtime.compact(transcript, {
      reason: "explicit",
      ...(budget === undefined ? {} : { budget: budget(measure.messages(transcript.messages)) }),
      ...defined({ focus, messages, signal }),
    });
}

export function drop(dependencies: HistoryDependencies, which: Which, messages: string): Promise<CompactResult> {
  return change(dependencies, which, (runtime, transcript) => runtime.drop(transcript, { messages }));
}

type Make = (runtime: Runtime, transcript: Transcript, measure: Measure) => Promise<Outcome>;

interface MadeCompaction {
  readonly kind: "made";
  readonly tenant: string;
  readonly session: string;
  readonly compaction: Compaction;
  readonly keep: () => Promise<void>;
}

/** One that a person may edit before it is kept. */
export interface UnkeptCompaction extends MadeCompaction {
  readonly edit: (handoff: string) => UnkeptCompaction;
}

async function change(dependencies: HistoryDependencies, which: Which, make: Make): Promise<CompactResult> {
  const made = await makeChange(dependencies, which, make);
  if (made.kind !== "made") return made;
  await made.keep();
  return { kind: "compacted", session: made.session, report: made.compaction.report };
}

/** The same as `compact` with nothing kept until `keep` is called. */
export async function compactUnkept(
  dependencies: HistoryDependencies,
  which: Which,
  how: CompactHow,
): Promise<UnkeptCompaction | CompactResult> {
  const staged = stageStore(dependencies.store);
  // Whoever is called after a compaction is told of it once it is one.
  const { afterwards, hooks } = deferAfterCompact(dependencies.hooks);
  const made = await makeChange({ ...dependencies, store: staged.store, hooks }, which, compactWith(how));
  if (made.kind !== "made") return made;
  const { tenant, chain, measure } = made;
  const { messages } = chain;
  const owner = { store: dependencies.store, tenant, chain: dependencies.chain, pinned: new Map<string, unknown>() };
  const pins = await pinsOf(owner, { system: [], messages });
  const editing = { messages, chain: dependencies.chain, measure, redact: dependencies.redact, pins };
  const unkept = (compaction: Compaction): UnkeptCompaction => ({
    ...made,
    compaction,
    edit: (handoff) => unkept(withEditedHandoff(compaction, handoff, editing)),
    keep: async () => {
      await made.saveState();
      await staged.commit(compaction);
      await archiveRestart(dependencies.store, tenant, compaction, chain);
      afterwards(compaction);
    },
  });
  return unkept(made.compaction);
}

interface MadeChange extends MadeCompaction {
  readonly chain: { readonly links: readonly string[]; readonly messages: readonly Message[] };
  readonly saveState: () => Promise<void>;
  readonly measure: Measure;
}

async function makeChange(
  dependencies: HistoryDependencies,
  which: Which,
  make: Make,
): Promise<MadeChange | CompactResult> {
  const { store, chain } = dependencies;
  const { tenant, entry } = await findSession(store, which);
  const session = entry.id;
  const { messages, locked } = await readConversation(store, tenant, entry.head);
  if (locked !== undefined) return { kind: "unchanged", session, because: locked };
  const links = chain.linksOf(messages);
  if (links.at(-1) !== entry.head) return { kind: "unchanged", session, because: KEPT_MASKED };
  const options = await runtimeOptions(dependencies, tenant, links);
  const runtime = createRuntime(options);
  const measure = createMeasure(options);
  const outcome = await make(runtime, { system: [], messages }, measure);
  await dependencies.hooks?.settled();
  if (outcome.kind === "unchanged") {
    const { because, irreducible } = outcome;
    return { kind: "unchanged", session, because, ...(irreducible === undefined ? {} : { irreducible }) };
  }
  const { compaction } = outcome;
  const state = runtime.state();
  const saveState = (): Promise<void> => store.putState(tenant, links[0]!, state);
  const kept = { links, messages };
  const keep = async (): Promise<void> => {
    await saveState();
    await archiveRestart(store, tenant, compaction, kept);
  };
  return { kind: "made", tenant, session, compaction, chain: kept, saveState, measure, keep };
}

function deferAfterCompact(hooks: OperatorHooks | undefined): {
  readonly hooks: OperatorHooks | undefined;
  readonly afterwards: (kept: Compaction) => void;
} {
  const calls: ((kept: Compaction) => unknown)[] = [];
  const afterwards = (kept: Compaction): void => calls.forEach((call) => call(kept));
  if (hooks === undefined) return { hooks, afterwards };
  const deferring: OperatorHooks = {
    settled: hooks.settled,
    forSession: (session) => {
      const { afterCompact, ...own } = hooks.forSession(session);
      if (afterCompact === undefined) return own;
      return { ...own, afterCompact: (_, made) => void calls.push((kept) => afterCompact(kept, made)) };
    },
  };
  return { hooks: deferring, afterwards };
}

/** As the gateway begins a session that it knows from before; of its system prompt and tools nothing is kept. */
async function runtimeOptions(
  dependencies: HistoryDependencies,
  tenant: string,
  links: readonly string[],
): Promise<RuntimeOptions> {
  const { store, chain, runtime } = dependencies;
  const [usage, state, compactions] = await Promise.all([
    store.findUsage(tenant, links),
    store.getState(tenant, links[0] ?? ""),
    store.listCompactions(tenant, links),
  ]);
  const model = usage?.model ?? "";
  const models = dependencies.models();
  await models.recalled(tenant, model);
  const { factor, window: known, ...images } = models.of(tenant, model);
  // What a gateway took for the window, perhaps told by a flag of its own, is in what it left behind.
  const window = (await windowOf(dependencies, { tenant, model: usage?.model, state })) ?? known;
  const contextLength = window.tokens;
  const undoneReach = compactions.reduce(
    (most, { compaction, undone }) => Math.max(most, undone ? compaction.covered : 0),
    0,
  );
  return {
    ...runtime,
    ...hooksOf(dependencies, { tenant, model }),
    settings: { ...runtime.settings, ...readReserve(state), contextLength, note: "handoff" },
    store,
    tenant,
    model,
    factor,
    ...images,
    chain,
    // What reaches further than everything that was undone lifts the undo.
    amend: (compaction, original, estimator) =>
      reachTo(carryThinking(compaction, original, estimator), undoneReach, original, chain),
    ...(isState(state) ? { state: { ...state, factor, contextLength, window } } : {}),
  };
}

function readReserve(state: unknown): { readonly maxOutputTokens?: number } {
  const reserved = isState(state) ? state.maxOutputTokens : undefined;
  return reserved === undefined ? {} : { maxOutputTokens: reserved };
}

function isState(state: unknown): state is RuntimeState {
  return typeof state === "object" && state !== null && "schemaVersion" in state;
}

export async function undo({ store }: HistoryDependencies, which: Which): Promise<UndoResult | undefined> {
  const { tenant, entry } = await findSession(store, which);
  const links = await store.readLinks(tenant, entry.head);
  const { compaction } = await store.findCompaction(tenant, links);
  if (compaction === undefined) return undefined;
  await store.undoCompaction(tenant, compaction.covers);
  const { compaction: before } = await store.findCompaction(tenant, links);
  return {
    session: entry.id,
    undone: compaction.report,
    ...(before === undefined ? {} : { standing: before.report }),
  };
}

export async function setThreshold(
  dependencies: HistoryDependencies,
  which: Which,
  set: SessionThreshold | undefined,
): Promise<ThresholdResult> {
  const { store } = dependencies;
  const { tenant, entry } = await findSession(store, which);
  const links = await store.readLinks(tenant, entry.head);
  const root = links[0] ?? "";
  const options = await runtimeOptions(dependencies, tenant, links);
  const runtime = createRuntime({ ...options, settings: { ...options.settings, sessionThreshold: set } });
  const { engine, timing } = runtime.report();
  if (set !== undefined && (builtInName(engine) ?? "none") === "none")
    throw badThreshold(
      `the engine ${engine} has no threshold that could be set`,
      "Use one of the built-in engines, or set it in the engine's own settings.",
    );
  await writeThreshold({ store, tenant, root }, set);
  // Whoever looks at the session sees it before its next request. What no gateway has answered has no state yet, and no known window.
  if (options.state !== undefined) await store.putState(tenant, root, runtime.state());
  const { undone } = await store.findCompaction(tenant, links);
  return {
    session: entry.id,
    ...(set === undefined ? {} : { set }),
    thresholdTokens: timing.thresholdTokens,
    ...(undone ? { undone } : {}),
  };
}

interface StagedStore {
  readonly store: HistoryStore;
  /** Makes the changes, in the order in which they were asked for; with another compaction in place of the one that was recorded. */
  readonly commit: (edited?: Compaction) => Promise<void>;
}

function stageStore(store: HistoryStore): StagedStore {
  const changes: ((edited?: Compaction) => Promise<unknown>)[] = [];
  const later = (write: (edited?: Compaction) => Promise<unknown>): void => void changes.push(write);
  return {
    store: {
      ...store,
      putOriginals: async (tenant, originals) => later(() => store.putOriginals(tenant, originals)),
      undoCompaction: async (tenant, link) => later(() => store.undoCompaction(tenant, link)),
      putState: async (tenant, root, state) => later(() => store.putState(tenant, root, state)),
      putCompaction: async (tenant, compaction, root) => {
        later((edited) => store.putCompaction(tenant, edited ?? compaction, root));
        return compaction;
      },
    },
    commit: async (edited) => {
      for (const write of changes) await write(edited);
    },
  };
}
