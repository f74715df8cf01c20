/** The operator's calls put together, over a store that a gateway may be using at the same time. */
import { hash, randomBytes } from "node:crypto";
import { createRedactor } from "../../core/redaction/redactor.ts";
import { createChain } from "../../core/transcript/links.ts";
import { createRegistry, lookUp, type Registry } from "../../models/registry/registry.ts";
import { type OperatorHookSettings, createOperatorHooks } from "../../session/operator-hooks/operator-hooks.ts";
import type { HistoryStore } from "../../store/store.ts";
import type { EmitEvent } from "../contract.ts";
import { forgetWindows, listWindows } from "../models/learned-windows.ts";
import { UNKNOWN_WINDOW_TOKENS, createModelBook } from "../models/models.ts";
import { sessionOptions, type SessionSettings } from "../gateway-options.ts";
import type {
  CompactionPreview,
  History,
  Which,
  SessionPins,
  ForkHow,
  ForkResult,
  Exported,
  ExportOptions,
} from "../../session/history.ts";
import { type HistoryDependencies, readMessages, createMeasures, createReadRecent } from "./sizes.ts";
import { compactionView, contextView, unkeptView } from "./context-view.ts";
import { findSession, readConversation } from "./find.ts";
import { recall, search } from "./search.ts";
import { list, messagesOf, show } from "./show.ts";
import { PrecisError } from "../../core/errors.ts";
import type * as Change from "./compact-and-undo.ts";
import { addPin, listPins, removePin, type PinContext, type PinRequest } from "../../session/pins.ts";
import { exchangesOf } from "../../core/transcript/exchanges.ts";
import { sharesWire, withParts, type Message, type Part } from "../../core/transcript/message.ts";
import { applyCompaction, type Compaction } from "../../core/compaction/compaction.ts";
import { exportedWithoutSecrets, ORIGIN_MEMBER, originsOf } from "../../session/handoff-text.ts";
import { opensWithHandoff } from "../../core/handoff/marks.ts";
import { protocols } from "../../protocols/index.ts";
import { elementTexts } from "../../protocols/json.ts";

/** The gateway's own options, so that what the operator compacts is as the gateway would have it. */
interface HistoryOptions extends SessionSettings {
  readonly store: HistoryStore;
  readonly registry?: Registry;
  /** One window for every model, in tokens. */
  readonly contextLength?: number;
  readonly hooks?: OperatorHookSettings;
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
  return import("./compact-and-undo.ts");
}

async function pins(dependencies: HistoryDependencies, which: Which): Promise<SessionPins> {
  return pinned(await pinnedSession(dependencies, which));
}

async function pin(dependencies: HistoryDependencies, which: Which, what: PinRequest): Promise<SessionPins> {
  const session = await pinnedSession(dependencies, which);
  await addPin(session, what);
  return pinned(session);
}

async function unpin(dependencies: HistoryDependencies, which: Which, id: string): Promise<SessionPins> {
  const session = await pinnedSession(dependencies, which);
  if (await removePin(session, id)) return pinned(session);
  throw new PrecisError(`the session has no pin ${JSON.stringify(id.slice(0, SHOWN_CHARS))}`, {
    code: "unknown_pin",
    hint: "List its pins: each has an id such as p1a2b3c.",
  });
}

const SHOWN_CHARS = 40;

interface PinnedSession extends PinContext {
  readonly session: string;
}

async function pinned(session: PinnedSession): Promise<SessionPins> {
  return { session: session.session, pins: await listPins(session) };
}

async function pinnedSession({ store, chain }: HistoryDependencies, which: Which): Promise<PinnedSession> {
  const { tenant, entry } = await findSession(store, which);
  return { store, tenant, chain, links: await store.readLinks(tenant, entry.head), session: entry.id };
}

const PREVIEW_MS = 10 * 60_000;
const PREVIEWS_MAX = 8;
const ID_BYTES = 9;

interface Previews {
  readonly add: (made: Change.UnkeptCompaction) => string;
  /** @throws PrecisError `unknown_preview`. */
  readonly get: (session: string, id: string) => Change.UnkeptCompaction;
  readonly delete: (id: string) => void;
}

function createPreviews(now: () => number = Date.now): Previews {
  const previews = new Map<string, { readonly made: Change.UnkeptCompaction; readonly until: number }>();
  const forgetOld = (): void => {
    for (const [id, { until }] of previews) if (until < now() || previews.size > PREVIEWS_MAX) previews.delete(id);
  };
  return {
    add: (made) => {
      const id = randomBytes(ID_BYTES).toString("base64url");
      previews.set(id, { made, until: now() + PREVIEW_MS });
      forgetOld();
      return id;
    },
    get: (session, id) => {
      forgetOld();
      const made = previews.get(id)?.made;
      if (made?.session === session) return made;
      throw new PrecisError("there is no such preview any more", {
        code: "unknown_preview",
        hint: "A preview can be applied once, within ten minutes. Make a new one.",
      });
    },
    delete: (id) => void previews.delete(id),
  };
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,127}$/;
const OWN_NAMES_MAX = 1_000;
const SHORT_ID_CHARS = 12;

async function fork({ store }: HistoryDependencies, which: Which, { at, name }: ForkHow): Promise<ForkResult> {
  const { tenant, entry } = await findSession(store, which);
  const { messages } = await readConversation(store, tenant, entry.head);
  const links = await store.readLinks(tenant, entry.head);
  const end = at ?? messages.length;
  const ends = exchangesOf(messages)
    .map((exchange) => exchange.end)
    .filter((one) => one === messages.length || !sharesWire(messages[one - 1], messages[one]!));
  if (!ends.includes(end)) throw noBoundary(end, ends);
  const named = await nameFor(name, entry.id, async (one) => (await store.getSession(tenant, one)) === undefined);
  const chain = { links: links.slice(0, end), messages: messages.slice(0, end), session: named };
  // A store that masks secrets may have another name for it.
  const { session } = await store.appendChain(tenant, chain);
  return { session, parent: entry.id, messages: end };
}

/** A call and its results are not parted: the conversation could not go on from there. */
function noBoundary(end: number, ends: readonly number[]): PrecisError {
  const before = ends.findLast((one) => one < end);
  const after = ends.find((one) => one > end);
  const near = [before, after].filter((one) => one !== undefined).join(" or ");
  return new PrecisError(`message ${end} is not the end of an exchange`, {
    code: "bad_fork",
    hint:
      near === "" ? "The session has no message." : `A call and its results stay together: fork after message ${near}.`,
  });
}

async function nameFor(
  given: string | undefined,
  parent: string,
  isFree: (name: string) => Promise<boolean>,
): Promise<string> {
  if (given !== undefined) {
    if (!NAME.test(given))
      throw new PrecisError(`${JSON.stringify(given.slice(0, 128))} is not a valid session name`, {
        code: "bad_fork",
        hint: "Use at most 128 letters, digits and the characters . _ : @ / -",
      });
    if (await isFree(given)) return given;
    throw new PrecisError(`a session named ${JSON.stringify(given)} already exists`, {
      code: "session_exists",
      hint: "Choose another name, or leave it out.",
    });
  }
  for (let number = 1; number <= OWN_NAMES_MAX; number++) {
    const name = `${parent.slice(0, SHORT_ID_CHARS)}-fork-${number}`;
    if (await isFree(name)) return name;
  }
  throw new PrecisError("the session has too many forks without a name", {
    code: "session_exists",
    hint: "Give this one a name.",
  });
}

// A conversation as JSON of its protocol: as the client knows it, or as it would go out; messages without a secret as their very bytes.
// What precis wrote is labelled or left out, so that it never passes for conversation in a data set.

const FALLBACK_PROTOCOL = "openai-chat";

async function exportSession(
  dependencies: HistoryDependencies,
  which: Which,
  options: ExportOptions,
): Promise<Exported> {
  const { store, redact } = dependencies;
  const { tenant, entry } = await findSession(store, which);
  const conversation = await readConversation(store, tenant, entry.head);
  const { compaction } = options.compacted
    ? await store.findCompaction(tenant, await store.readLinks(tenant, entry.head))
    : {};
  const messages = applyForExport(conversation.messages, compaction, options)
    .flatMap((message) => fromElsewhere(message, options))
    .map((message) => (options.secrets === "keep" ? message : exportedWithoutSecrets(message, redact)));
  const protocol = options.to ?? conversation.protocol ?? FALLBACK_PROTOCOL;
  const elements = elementTexts(protocols[protocol].format(messages));
  const origins = options.synthetic === "drop" ? new Map<number, string>() : originsOf(protocol, messages);
  const labelled = options.synthetic === "mark" ? elements.map((text, at) => label(text, origins.get(at))) : elements;
  return {
    session: entry.id,
    protocol,
    text: written(labelled, options.form),
    messages: elements.length,
    synthetic: origins.size,
  };
}

function applyForExport(
  messages: readonly Message[],
  compaction: Compaction | undefined,
  { synthetic }: ExportOptions,
): readonly Message[] {
  if (compaction === undefined) return messages;
  const sent = applyCompaction({ system: [], messages }, compaction).messages;
  if (synthetic !== "drop") return sent;
  const originals = new Map<number, Message>();
  compaction.map.forEach((destination, at) => {
    if ("at" in destination) originals.set(destination.at, messages[at]!);
  });
  return sent.flatMap((message, at) => {
    const original = at < compaction.after.length ? originals.get(at) : message;
    return original === undefined ? [] : [original];
  });
}

/** A client may send a handoff that precis wrote elsewhere, in its library or an extension: it is recognised by how it opens. */
function fromElsewhere(message: Message, { synthetic }: ExportOptions): readonly Message[] {
  if (message.origin !== undefined || message.role !== "user" || !message.parts.some(isHandoff)) return [message];
  if (synthetic !== "drop") return [withParts(message, message.parts, "summary")];
  const theirs = message.parts.filter((part) => !isHandoff(part));
  return theirs.length === 0 ? [] : [withParts(message, theirs)];
}

function isHandoff(part: Part): boolean {
  return part.kind === "text" && opensWithHandoff(part.text);
}

function label(element: string, origin: string | undefined): string {
  if (origin === undefined) return element;
  const inside = element.slice(element.indexOf("{") + 1).trimStart();
  return `{"${ORIGIN_MEMBER}":"${origin}"${inside === "}" ? "" : ","}${inside}`;
}

/** A text in JSON holds no line break of its own: those between its pieces are white space. */
function written(elements: readonly string[], form: ExportOptions["form"]): string {
  const lines = elements.map((text) => text.replaceAll(/[\r\n]+/g, " "));
  if (form === "jsonl") return lines.map((line) => `${line}\n`).join("");
  return elements.length === 0 ? "[]\n" : `[\n${elements.join(",\n")}\n]\n`;
}
