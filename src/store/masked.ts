/**
 * A store that keeps no secret it can recognise: what is put into it is masked first. Links are those of the conversation as
 * it was, so everything is found as ever; what comes back is masked, and says so.
 */
import { hash } from "node:crypto";
import type { Compaction } from "../core/compaction/compaction.ts";
import { redactMessage } from "../core/passes/redact-messages.ts";
import { redactJson, type Redactor } from "../core/redaction/redactor.ts";
import type { Message, Part, WireSlice } from "../core/transcript/message.ts";
import type { ChainAppend, HistoryStore, Original } from "./store.ts";

/** Hashes look like keys and are none; a session without a name goes by one, and a number where there are several. */
const HASH = /^[0-9a-f]{12,128}(?:~\d+)?$/;
/** Enough to keep two names apart; too little to try secrets against. */
const NAME_HEX_DIGITS = 8;

export function maskedStore(store: HistoryStore, redact: Redactor): HistoryStore {
  const masked = createMask(redact);
  const nameOf = (name: string): string => maskedName(name, redact);
  // A conversation that is kept masked is not the one to compact.
  const { jobs: _, ...others } = store;
  const maskedChain = ({ session, messages, job: _job, ...chain }: ChainAppend): ChainAppend => ({
    ...chain,
    ...(session === undefined ? {} : { session: nameOf(session) }),
    messages: messages.map(masked),
  });
  return {
    ...others,
    appendChain: (tenant, chain) => store.appendChain(tenant, maskedChain(chain)),
    listSessions: (tenant, { parent, prefix, ...query }) =>
      store.listSessions(tenant, {
        ...query,
        ...(parent === undefined ? {} : { parent: nameOf(parent) }),
        ...(prefix === undefined ? {} : { prefix: nameOf(prefix) }),
      }),
    getSession: (tenant, id) => store.getSession(tenant, nameOf(id)),
    withBranches: (tenant, ids) => store.withBranches(tenant, ids.map(nameOf)),
    deleteSessions: (tenant, ids) => store.deleteSessions(tenant, ids.map(nameOf)),
    putUsage: (tenant, usage) => store.putUsage(tenant, { ...usage, model: nameOf(usage.model) }),
    getState: (tenant, root) => store.getState(tenant, maskedRoot(root, redact)),
    putOriginals: (tenant, originals) =>
      store.putOriginals(
        tenant,
        originals.map((one) => maskedOriginal(one, redact)),
      ),
    putCompaction: (tenant, compaction, root) =>
      store.putCompaction(tenant, maskedCompaction(compaction, redact), root),
    putState: (tenant, root, state) => store.putState(tenant, maskedRoot(root, redact), maskedValue(state, redact)),
  };
}

/**
 * A name without its secret, the same one each time, also for a name that is masked already. What identifies has to stay
 * one's own: two names that differ in their secrets alone are distinguished by a piece of their hash.
 */
function maskedName(name: string, redact: Redactor): string {
  if (HASH.test(name)) return name;
  const safe = redact(name);
  return safe === name ? name : `${safe}-${hash("sha256", name).slice(0, NAME_HEX_DIGITS)}`;
}

/** The name of a state may end in a link. */
function maskedRoot(root: string, redact: Redactor): string {
  const link = root.slice(root.lastIndexOf(":") + 1);
  if (!HASH.test(link)) return maskedName(root, redact);
  const before = root.slice(0, root.length - link.length);
  return `${maskedName(before, redact)}${link}`;
}

/** A message whose body has no secret; the same one for the same message, because a conversation comes again and again. */
function createMask(redact: Redactor): (message: Message) => Message {
  const known = new WeakMap<Message, Message>();
  const wires = new WeakMap<WireSlice, WireSlice>();
  const maskedWire = (wire: WireSlice): WireSlice => {
    const before = wires.get(wire);
    if (before !== undefined) return before;
    const safe = Object.freeze({ ...wire, raw: redactJson(wire.raw, redact) });
    wires.set(wire, safe);
    return safe;
  };
  const maskedParts = (parts: readonly Part[]): readonly Part[] =>
    JSON.parse(redactJson(JSON.stringify(parts), redact)) as readonly Part[];
  return (message) => {
    const before = known.get(message);
    if (before !== undefined) return before;
    const { wire, parts } = message;
    const named = withMaskedName(message, redact);
    const safe = wire === undefined ? { ...named, parts: maskedParts(parts) } : { ...named, wire: maskedWire(wire) };
    known.set(message, Object.freeze(safe));
    return safe;
  };
}

/** The message itself where its author's name is no secret. */
function withMaskedName(message: Message, redact: Redactor): Message {
  if (message.name === undefined) return message;
  const name = maskedName(message.name, redact);
  return name === message.name ? message : Object.freeze({ ...message, name });
}

function maskedOriginal({ id, kind, label, text }: Original, redact: Redactor): Original {
  const safe = textOf(kind, text, redact);
  const original = { id, kind, label: redact(label), text: safe };
  return safe === text ? original : { ...original, masked: true };
}

function textOf(kind: Original["kind"], text: string, redact: Redactor): string {
  switch (kind) {
    case "media":
      return text;
    case "arguments":
      return redactJson(text, redact);
    case "span":
      return text
        .split("\n")
        .map((line) => redactJson(line, redact))
        .join("\n");
    default:
      return redact(text);
  }
}

/**
 * What replaces messages goes out as it is kept. Only the model's own thinking stays, which nobody may edit. Of a
 * message that came with a secret the bytes are not kept either.
 */
function maskedCompaction(compaction: Compaction, redact: Redactor): Compaction {
  const clean = new Map<WireSlice, boolean>();
  const withoutSecrets = (message: Message): Message => withMaskedName(redactMessage(message, redact), redact);
  const isClean = (wire: WireSlice): boolean => {
    const known = clean.get(wire) ?? wire.members.every((one) => withoutSecrets(one) === one);
    clean.set(wire, known);
    return known;
  };
  const masked = (message: Message): Message => {
    const safe = withoutSecrets(message);
    const { wire, ...bare } = safe;
    return wire === undefined || (safe === message && isClean(wire)) ? safe : Object.freeze(bare);
  };
  const { after, system, evicted, state, report } = compaction;
  return {
    ...compaction,
    after: after.map(masked),
    ...(system === undefined ? {} : { system: system.map(masked) }),
    evicted: evicted.map(({ original: _, ...one }) => ({ ...one, label: redact(one.label) })),
    state: maskedValue(state, redact),
    report: maskedValue(report, redact) as Compaction["report"],
  };
}

function maskedValue(value: unknown, redact: Redactor): unknown {
  if (typeof value === "string") return HASH.test(value) ? value : redactJson(value, redact);
  if (Array.isArray(value)) return value.map((one) => maskedValue(one, redact));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [maskedName(key, redact), maskedValue(one, redact)]),
  );
}
