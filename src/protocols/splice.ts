/**
 * Writes a transcript into the body it came from. Runs that did not change are ranges of the body, so their bytes and
 * everything between them stay; the others are written by the dialect.
 */
import {
  isSame,
  textMessage,
  type Message,
  type Transcript,
  type Content,
  type WireSlice,
  callsOf,
  resultOf,
  type ToolCallPart,
  type ToolResultPart,
} from "../core/transcript/message.ts";
import { misplacedSystem } from "../core/transcript/oracle.ts";
import type { Dialect, Entry, Run, WriteContext, IdRules } from "./dialect.ts";
import {
  newPiece,
  applyEdits,
  composeArray,
  joinPieces,
  removalOf,
  type Edit,
  type Piece,
  memberText,
} from "./json.ts";
import type { Decoded, ProtocolName } from "./protocol.ts";
import { createPairing } from "../core/transcript/pairing.ts";

/** Opens a conversation where the provider wants a user message first and the transcript has none. */
const OPENING_TEXT = "(The conversation before this point is not shown.)";

export function spliceBody(dialect: Dialect, decoded: Decoded, transcript: Transcript): string {
  const { keyed, listed } = placeSystem(dialect, transcript, decoded);
  const context = makeContext(dialect, [...transcript.system, ...transcript.messages], dialect.name);
  const edits = [
    ...listEdit(dialect, decoded, listed, context),
    ...systemEdit(dialect, decoded, keyed, context),
    ...toolsEdit(dialect, decoded, transcript),
  ];
  return applyEdits(decoded.body, edits);
}

/** The JSON text of the array of messages, and of the system prompt, for a request that does not exist yet. */
export function writeTranscript(dialect: Dialect, transcript: Transcript, source: ProtocolName) {
  const { keyed, listed } = placeSystem(dialect, transcript, undefined);
  const context = makeContext(dialect, [...transcript.system, ...transcript.messages], source);
  const messages = writeList(dialect, withOpening(dialect, listed, undefined), context);
  const system = keyed.length === 0 ? undefined : dialect.writeSystem(keyed, context);
  return system === undefined ? { messages } : { messages, system };
}

/** The JSON text of an array of these messages, as they are. */
export function formatMessages(dialect: Dialect, messages: readonly Message[]): string {
  return writeList(dialect, messages, makeContext(dialect, messages, dialect.name));
}

function writeList(dialect: Dialect, messages: readonly Message[], context: WriteContext): string {
  return `[${makeRuns(dialect, messages)
    .flatMap((run) => writeRuns(dialect, run, context))
    .join(",")}]`;
}

function makeContext(dialect: Dialect, messages: readonly Message[], source: ProtocolName): WriteContext {
  let pairs: ReturnType<typeof pairsOf> | undefined;
  const known = () =>
    (pairs ??= pairsOf(messages, (message) => listSlice(dialect, message) !== undefined, dialect.ids));
  return {
    idOf: (part) => known().idOf(part),
    answersCustom: (part) => known().answersCustom(part),
    nameOf: (part) => known().nameOf(part),
    systemRole: () => (messages.some((message) => isDeveloper(dialect, message)) ? "developer" : "system"),
    ownBlocks: (message) => (message.wire?.protocol ?? source) === dialect.name,
  };
}

function isDeveloper(dialect: Dialect, message: Message): boolean {
  const slice = message.role === "system" ? listSlice(dialect, message) : undefined;
  return slice !== undefined && memberText(slice.raw, "role") === '"developer"';
}

/** Parts the system messages between the request's own member and the list, where they were or where new ones go. */
function placeSystem(dialect: Dialect, transcript: Transcript, decoded: Decoded | undefined) {
  const keyed: Entry[] = [];
  const listed: Message[] = [];
  const bare = decoded?.form === "messages";
  transcript.system.forEach((message, at) => {
    const slice = keySlice(dialect, message);
    const fresh = slice === undefined && listSlice(dialect, message) === undefined;
    if (!bare && (slice !== undefined || (fresh && dialect.systemInKey(message, { first: at === 0 }))))
      keyed.push({ message, member: slice?.members[0] });
    else listed.push(message);
  });
  return { keyed, listed: [...listed, ...transcript.messages] };
}

/** A user message before an assistant's where the provider demands one; what the client itself opened with stays. */
function withOpening(dialect: Dialect, listed: readonly Message[], decoded: Decoded | undefined): readonly Message[] {
  const at = listed.findIndex((message) => message.role !== "system");
  const first = listed[at];
  if (!dialect.rules.opensWithUser || first?.role !== "assistant") return listed;
  if (first.wire !== undefined && first.wire.raw === decoded?.transcript.messages[0]?.wire?.raw) return listed;
  return [...listed.slice(0, at), textMessage("user", OPENING_TEXT), ...listed.slice(at)];
}

/** System messages that lost their place go without their bytes, so that they are written again; what the client itself misplaced stays. */
function withSystemPlaced(dialect: Dialect, listed: readonly Message[], { transcript }: Decoded): readonly Message[] {
  if (dialect.rules.systemInConversation === "anywhere") return listed;
  const misplaced = new Set(misplacedSystem(listed));
  if (misplaced.size === 0) return listed;
  const came = [...transcript.system, ...transcript.messages];
  const own = new Set(misplacedSystem(came).map((at) => came[at]!.wire?.raw));
  return listed.map((message, at) => {
    if (!misplaced.has(at) || own.has(message.wire?.raw)) return message;
    const { wire: _, ...bare } = message;
    return bare;
  });
}

function writeRuns(dialect: Dialect, run: Run, context: WriteContext): readonly string[] {
  const whole = isWhole(run) && run.slice!.raw.startsWith("{");
  return whole ? [run.slice!.raw] : dialect.write(run, context);
}

function listEdit(dialect: Dialect, decoded: Decoded, messages: readonly Message[], context: WriteContext): Edit[] {
  const { body, layout } = decoded;
  const places = new Map(layout.groups.map((group) => [group.slice, group]));
  const placed = withSystemPlaced(dialect, withOpening(dialect, messages, decoded), decoded);
  const pieces = makeRuns(dialect, placed).flatMap((run): Piece[] => {
    const place = run.slice === undefined ? undefined : places.get(run.slice);
    if (place === undefined) return writeRuns(dialect, run, context).map(newPiece);
    if (isWhole(run)) return [{ first: place.first, count: place.count }];
    return dialect.write(run, context).map((text) => ({ first: place.first, count: place.count, text }));
  });
  const joined = joinPieces(pieces, layout.elements.length);
  if (joined.whole) return [];
  const isArray = body[layout.list.start] === "[";
  const text = isArray
    ? composeArray({ text: body, ...layout.list, elements: layout.elements }, joined.pieces)
    : // A request whose input was one string becomes one with a list.
      writeList(dialect, placed, context);
  return [{ ...layout.list, text }];
}

function systemEdit(dialect: Dialect, decoded: Decoded, keyed: readonly Entry[], context: WriteContext): Edit[] {
  const { systemKeys } = dialect;
  const [systemKey] = systemKeys;
  if (systemKey === undefined || decoded.form === "messages") return [];
  const was = decoded.transcript.system.filter((message) => keySlice(dialect, message) !== undefined);
  if (was.length === keyed.length && was.every((message, at) => isSame(keyed[at]!.message, message))) return [];
  const { members, list } = decoded.layout;
  const text = keyed.length === 0 ? undefined : dialect.writeSystem(keyed, context);
  const at = members.findLastIndex((member) => systemKeys.includes(member.key));
  const member = members[at];
  if (member !== undefined)
    return text === undefined ? [removalOf(members, at)] : [{ start: member.start, end: member.end, text }];
  if (text === undefined) return [];
  const { keyStart } = members.findLast((one) => one.start === list.start)!;
  return [{ start: keyStart, end: keyStart, text: `${JSON.stringify(systemKey)}:${text},` }];
}

function toolsEdit(dialect: Dialect, decoded: Decoded, { tools }: Transcript): Edit[] {
  if (tools === undefined || tools === decoded.transcript.tools || decoded.form === "messages") return [];
  const { members, list } = decoded.layout;
  const member = members.findLast(({ key }) => dialect.toolKeys.includes(key));
  if (member !== undefined) return [{ start: member.start, end: member.end, text: tools }];
  const { keyStart } = members.findLast((one) => one.start === list.start)!;
  return [{ start: keyStart, end: keyStart, text: `${JSON.stringify(dialect.toolKeys[0])}:${tools},` }];
}

/** The bytes a message has in this protocol's list; a system prompt from a request's own member has none there. */
function listSlice(dialect: Dialect, message: Message): WireSlice | undefined {
  const slice = message.wire?.protocol === dialect.name ? message.wire : undefined;
  return slice?.ofSystem === true ? undefined : slice;
}

/** The bytes a system message has in the request's own member. */
function keySlice(dialect: Dialect, message: Message): WireSlice | undefined {
  const slice = message.wire?.protocol === dialect.name ? message.wire : undefined;
  return slice?.ofSystem === true ? slice : undefined;
}

function makeRuns(dialect: Dialect, messages: readonly Message[]): Run[] {
  const runs: { slice: WireSlice | undefined; entries: Entry[]; next: number }[] = [];
  const indexOf = memberFinder();
  for (const message of messages) {
    const slice = listSlice(dialect, message);
    const run = runs.at(-1);
    const follows = slice !== undefined && run?.slice === slice ? indexOf(slice, message, run.next) : -1;
    if (follows >= 0 && run !== undefined) {
      run.entries.push({ message, member: slice!.members[follows] });
      run.next = follows + 1;
      continue;
    }
    const found = slice === undefined ? -1 : indexOf(slice, message, 0);
    const own = found >= 0 ? slice : undefined;
    const entry = { message, member: own?.members[found] };
    const attaches =
      run !== undefined &&
      (run.slice === undefined || own === undefined) &&
      dialect.attaches(run, message, own !== undefined);
    if (attaches) {
      run.entries.push(entry);
      if (own !== undefined) Object.assign(run, { slice: own, next: found + 1 });
    } else runs.push({ slice: own, entries: [entry], next: found + 1 });
  }
  return runs;
}

/**
 * Finds which member of its slice a message is, or was before an edit: the next one that says the same, else the next of
 * its role that answers the same call. -1 when there is none from `from` on.
 */
function memberFinder(): (slice: WireSlice, message: Message, from: number) => number {
  const known = new Map<WireSlice, ReadonlyMap<string, readonly number[]>>();
  return (slice, message, from) => {
    const { members } = slice;
    const next = members[from];
    if (next !== undefined && isSame(message, next)) return from;
    let places = known.get(slice);
    if (places === undefined) known.set(slice, (places = placeEntries(members)));
    const alike = (places.get(describeLikeness(message)) ?? []).filter((at) => at >= from);
    return alike.find((at) => isSame(message, members[at]!)) ?? alike[0] ?? -1;
  };
}

function placeEntries(members: readonly Content[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  members.forEach((member, at) => {
    const key = describeLikeness(member);
    const list = places.get(key);
    if (list === undefined) places.set(key, [at]);
    else list.push(at);
  });
  return places;
}

/** What an edit leaves alone: the role, and the call that a result answers. */
function describeLikeness({ role, parts }: Content): string {
  const [first] = parts;
  return first?.kind === "tool-result" ? `${role} ${first.callId}` : role;
}

/** Whether a run is all of its slice, as it was decoded. */
function isWhole({ slice, entries }: Run): boolean {
  if (slice === undefined || entries.length !== slice.members.length) return false;
  return entries.every(({ message, member }, at) => member === slice.members[at] && isSame(message, member!));
}

const HASH_HEX_DIGITS = 8;

/** FNV-1a over UTF-16 code units: enough to keep two ids apart after their odd characters are gone. */
function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(HASH_HEX_DIGITS, "0");
}

/** The id itself where the rules accept it, else what is left of it with a hash of the whole. */
function acceptedId(id: string, { pattern, maxChars }: IdRules): string {
  if (id.length > 0 && id.length <= maxChars && pattern.test(id)) return id;
  const kept = id.slice(0, maxChars - HASH_HEX_DIGITS - 1).replace(/[^a-zA-Z0-9_-]/g, "_");
  return `${kept}_${shortHash(id)}`;
}

/** What a call goes out as; its result shares it. */
interface Pair {
  readonly name: string;
  readonly custom: boolean;
  readonly tool: string;
}

/** Pairs calls and results in order, turn by turn, and names each pair; ids of messages that keep their bytes stay. */
export function pairsOf(
  messages: readonly Message[],
  hasBytes: (message: Message) => boolean,
  rules: IdRules,
): Pick<WriteContext, "idOf" | "answersCustom" | "nameOf"> {
  const pairs = new Map<ToolCallPart | ToolResultPart, Pair>();
  const used = new Set<string>();
  const latest = new Map<string, Pair>();
  const pairing = createPairing<Pair>();
  const answer = (result: ToolResultPart): void => {
    const pair = pairing.answer(result.callId) ?? latest.get(result.callId);
    if (pair !== undefined) pairs.set(result, pair);
  };
  const ask = (call: ToolCallPart, turn: number, fixed: boolean): void => {
    const name = fixed ? call.id : unusedId(acceptedId(call.id, rules), used, rules);
    const pair = { name, custom: call.custom === true, tool: call.name };
    used.add(name);
    pairs.set(call, pair);
    latest.set(call.id, pair);
    pairing.ask(call.id, turn, pair);
  };
  messages.forEach((message, at) => {
    for (const call of callsOf(message)) ask(call, at, hasBytes(message));
    const result = resultOf(message);
    if (result !== undefined) answer(result);
  });
  return {
    idOf: (part) => pairs.get(part)?.name ?? acceptedId(part.kind === "tool-call" ? part.id : part.callId, rules),
    answersCustom: (part) => pairs.get(part)?.custom === true,
    nameOf: (part) => pairs.get(part)?.tool,
  };
}

function unusedId(id: string, used: ReadonlySet<string>, rules: IdRules): string {
  if (!rules.unique || !used.has(id)) return id;
  for (let count = 2; ; count++) {
    const suffix = `_${count}`;
    const next = id.slice(0, rules.maxChars - suffix.length) + suffix;
    if (!used.has(next)) return next;
  }
}
