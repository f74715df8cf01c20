/**
 * Reads a body: scans for the list of messages, takes over every message whose bytes were in the previous body at the
 * same place, and parses the others.
 */
import { PrecisError } from "../core/errors.ts";
import type { Message, Part, Transcript, WireSlice } from "../core/transcript/message.ts";
import { type Dialect, type Draft, type WireElement } from "./dialect.ts";
import { isFields } from "./fields.ts";
import { heldBecause, isHeld } from "./content.ts";
import { elementsOf, memberText, membersOf, notJson, skipSpace, skipValue, type Member, type Span } from "./json.ts";
import type { Decoded, Group, Layout } from "./protocol.ts";

export interface DecodeOptions {
  readonly previous: Decoded | undefined;
  readonly elementsMax: number | undefined;
}

export function decodeBody(dialect: Dialect, body: string, options: DecodeOptions): Decoded {
  const previous = options.previous?.protocol === dialect.name ? options.previous : undefined;
  const scanned = scanBody(dialect, body, { ...options, previous });
  const own = new Map(scanned.members.map(({ key, start, end }) => [key, body.slice(start, end)]));
  const settings = readSettings(dialect, own, previous?.transcript.tools);
  const alike = dialect.readsAlike?.(settings.model, previous?.transcript.model) !== false;
  const groups = readGroups(dialect, scanned, {
    model: settings.model,
    previous: alike ? previous?.layout : undefined,
  });
  const firstTurn = groups.findIndex(({ slice }) => slice.members[0]?.role !== "system");
  const split = firstTurn < 0 ? groups.length : firstTurn;
  const transcript = Object.freeze({
    system: Object.freeze([...readSystemMessages(dialect, own, previous), ...makeMessages(groups.slice(0, split))]),
    messages: makeMessages(groups.slice(split)),
    ...settings,
  });
  const layout: Layout = { members: scanned.members, list: scanned.list, elements: scanned.elements, groups };
  const locked = dialect.lockOf(own) ?? groups.find(({ held }) => held !== undefined)?.held;
  const form = body.charCodeAt(skipSpace(body, 0)) === OPEN_BRACKET ? "messages" : "request";
  return { protocol: dialect.name, body, form, transcript, layout, ...(locked === undefined ? {} : { locked }) };
}

const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const QUOTE = 0x22;

interface Scanned {
  readonly body: string;
  readonly members: readonly Member[];
  readonly list: Span;
  readonly elements: readonly Span[];
  /** Whether the bytes of an element are those of the previous body's element of the same index. */
  readonly same: readonly boolean[];
}

function scanBody(dialect: Dialect, body: string, options: DecodeOptions): Scanned {
  const { previous } = options;
  const start = skipSpace(body, 0);
  const opening = body.charCodeAt(start);
  if (opening !== OPEN_BRACE && opening !== OPEN_BRACKET) throw notJson(start, "it opens with neither { nor [");
  const list = scanList(body, options);
  if (opening === OPEN_BRACKET) {
    const end = list.scan(start);
    requireEnd(body, end);
    return { body, members: [], list: { start, end }, elements: list.found.elements, same: list.found.same };
  }
  const knownMembers = new Map(previous?.layout.members.map((member) => [member.key, member]));
  const members = membersOf(body, start, (key, at) => {
    if (key !== dialect.listKey) return memberEnd(body, at, previous?.body, knownMembers.get(key));
    const code = body.charCodeAt(at);
    return code === OPEN_BRACKET ? list.scan(at) : list.clear();
  });
  requireEnd(body, skipSpace(body, members.at(-1)?.end ?? start + 1) + 1);
  const span = members.findLast((member) => member.key === dialect.listKey);
  if (span === undefined) throw withoutMessages(dialect, "is missing");
  if (body.charCodeAt(span.start) === OPEN_BRACKET) return { body, members, list: span, ...list.found };
  const isInput = dialect.listMayBeText === true && body.charCodeAt(span.start) === QUOTE;
  if (!isInput) throw withoutMessages(dialect, "is not an array");
  return { body, members, list: span, elements: [span], same: [false] };
}

function withoutMessages(dialect: Dialect, because: string): PrecisError {
  return new PrecisError(`The request holds no messages: \`${dialect.listKey}\` ${because}.`, {
    code: "body_without_messages",
    hint: `Send a request of ${dialect.name} with a \`${dialect.listKey}\` array, or the array alone; check that the protocol is the right one.`,
    place: dialect.listKey,
  });
}

function requireEnd(body: string, end: number): void {
  const rest = skipSpace(body, end);
  if (rest < body.length) throw notJson(rest, "text follows its end");
}

/** Up to where a body repeats an earlier one, as far as its list goes: a conversation mostly grows at its end. */
function repeated(body: string, { body: earlier, layout }: Decoded): number {
  const end = layout.elements.at(-1)?.end ?? 0;
  // Equality compares memory, `startsWith` character by character.
  return body.slice(0, end) === earlier.slice(0, end) ? end : 0;
}

function scanList(body: string, { previous, elementsMax = Infinity }: DecodeOptions) {
  const sameUntil = previous === undefined ? 0 : repeated(body, previous);
  const found = { elements: [] as readonly Span[], same: [] as boolean[] };
  const clear = (): undefined => void Object.assign(found, { elements: [], same: [] });
  const scan = (start: number): number => {
    clear();
    const { same } = found;
    found.elements = elementsOf(body, start, (index, at) => {
      if (index >= elementsMax) throw tooMany(elementsMax);
      const span = previous?.layout.elements[index];
      const repeats = span !== undefined && span.start === at && span.end <= sameUntil && delimits(body, at);
      const end = repeats ? span.end : previous && endIfSame(body, at, previous.body, span);
      same.push(end !== undefined);
      return end;
    });
    return skipSpace(body, found.elements.at(-1)?.end ?? start + 1) + 1;
  };
  return { found, scan, clear };
}

function tooMany(elementsMax: number): PrecisError {
  return new PrecisError(`The request holds more than ${elementsMax} messages.`, {
    code: "too_many_messages",
    hint: "Send fewer, or raise the limit.",
  });
}

/** An object, array or string says itself where it ends. */
function delimits(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === OPEN_BRACE || code === OPEN_BRACKET || code === QUOTE;
}

function endIfSame(body: string, at: number, earlier: string, span: Span | undefined): number | undefined {
  if (span === undefined) return undefined;
  const end = at + span.end - span.start;
  if (!delimits(earlier, span.start)) return undefined;
  return body.slice(at, end) === earlier.slice(span.start, span.end) ? end : undefined;
}

function memberEnd(body: string, at: number, earlier: string | undefined, member: Member | undefined): number {
  const same = earlier === undefined ? undefined : endIfSame(body, at, earlier, member);
  if (same !== undefined) return same;
  const end = skipValue(body, at);
  parse(body.slice(at, end), `offset ${at}`);
  return end;
}

function parse(text: string, place: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new PrecisError("The body is not JSON: a value is malformed.", {
      code: "body_not_json",
      hint: "Send one JSON object (a request) or one JSON array (its messages).",
      place,
      cause,
    });
  }
}

interface GroupReading {
  readonly model: string | undefined;
  readonly previous: Layout | undefined;
}

function readGroups(dialect: Dialect, scanned: Scanned, { model, previous }: GroupReading): Group[] {
  const { body, elements } = scanned;
  const earlier = previous?.groups ?? [];
  let next = 0;
  const parsed = new Map<number, WireElement>();
  const element = (at: number): WireElement => {
    let known = parsed.get(at);
    if (known === undefined) parsed.set(at, (known = readElement(dialect, scanned, at)));
    return known;
  };
  const groups: Group[] = [];
  for (let first = 0; first < elements.length;) {
    while (next < earlier.length && earlier[next]!.first < first) next++;
    const known = earlier[next];
    if (known?.first === first && isStillValid(known, scanned, dialect)) {
      groups.push(known);
      first += known.count;
      continue;
    }
    const own = [element(first)];
    while (first + own.length < elements.length && dialect.joins(own.at(-1)!.value, element(first + own.length).value))
      own.push(element(first + own.length));
    const raw = body.slice(elements[first]!.start, elements[first + own.length - 1]!.end);
    const sealed = seal(dialect.name, dialect.read(own, model), { raw: previous === undefined ? raw : copyText(raw) });
    groups.push({ ...sealed, first, count: own.length, held: heldBy(sealed.slice) });
    first += own.length;
  }
  return groups;
}

/** Whether an earlier group's bytes are all there, and nothing that follows would join it now. */
function isStillValid(group: Group, { same, elements }: Scanned, dialect: Dialect): boolean {
  for (let at = group.first; at < group.first + group.count; at++) if (same[at] !== true) return false;
  const next = group.first + group.count;
  return (
    next === elements.length ||
    same[next] === true ||
    dialect.joins === neverJoins ||
    group.slice.members[0]?.role !== "assistant"
  );
}

/** For protocols in which each element stands for itself. */
export function neverJoins(): boolean {
  return false;
}

function readElement(dialect: Dialect, { body, elements, list }: Scanned, at: number): WireElement {
  const { start, end } = elements[at]!;
  const text = body.slice(start, end);
  const place = `${dialect.listKey}[${at}]`;
  const value = parse(text, `${place}, offset ${start}`);
  if (isFields(value)) return { value, text };
  if (typeof value === "string" && start === list.start) return { value: { role: "user", content: value }, text };
  throw new PrecisError(`A message is not an object: ${place}.`, {
    code: "message_malformed",
    hint: "Each message is a JSON object with a role or a type.",
    place,
  });
}

/**
 * A copy that does not keep the whole body alive: an engine's slice of a string refers to the string it was cut from,
 * and a remembered message outlives the body that brought it.
 */
function copyText(text: string): string {
  return ` ${text}`.slice(1);
}

function seal(
  protocol: string,
  drafts: readonly Draft[],
  origin: Pick<WireSlice, "raw" | "ofSystem">,
): Pick<Group, "slice" | "messages"> {
  for (const { parts } of drafts) {
    for (const part of parts) freezePart(part);
    Object.freeze(parts);
  }
  const members = drafts.map(({ role, parts, name }) =>
    Object.freeze(name === undefined ? { role, parts } : { role, parts, name }),
  );
  const slice: WireSlice = Object.freeze({ protocol, ...origin, members: Object.freeze(members) });
  return { slice, messages: members.map((member) => Object.freeze({ ...member, wire: slice })) };
}

function freezePart(part: Part): void {
  if (part.kind === "tool-result") {
    part.content.forEach(freezePart);
    Object.freeze(part.content);
  }
  if (part.kind === "image" || part.kind === "file") Object.freeze(part.source);
  Object.freeze(part);
}

function makeMessages(groups: readonly Group[]): readonly Message[] {
  return Object.freeze(groups.flatMap(({ messages }) => messages));
}

function readSystemMessages(
  dialect: Dialect,
  own: ReadonlyMap<string, string>,
  previous: Decoded | undefined,
): readonly Message[] {
  const text = dialect.systemKeys.map((key) => own.get(key)).find((one) => one !== undefined);
  if (text === undefined) return [];
  const known = previous?.transcript.system[0];
  if (known?.wire?.raw === text) return [known];
  const draft = dialect.readSystem(JSON.parse(text), text);
  return draft === undefined ? [] : seal(dialect.name, [draft], { raw: copyText(text), ofSystem: true }).messages;
}

function readSettings(
  dialect: Dialect,
  own: ReadonlyMap<string, string>,
  knownTools: string | undefined,
): Pick<Transcript, "tools" | "model" | "maxOutputTokens"> {
  const tools = dialect.toolKeys.map((key) => own.get(key)).find((text) => text?.startsWith("["));
  const model = own.get("model");
  const limit = dialect.maxTokensKeys.map((key) => Number(textAt(own, key) ?? Number.NaN)).find((tokens) => tokens > 0);
  return {
    ...(tools === undefined ? {} : { tools: tools === knownTools ? knownTools : copyText(tools) }),
    ...(model?.startsWith('"') ? { model: JSON.parse(model) as string } : {}),
    ...(limit === undefined ? {} : { maxOutputTokens: limit }),
  };
}

function textAt(own: ReadonlyMap<string, string>, path: string): string | undefined {
  const [key = "", inner] = path.split(".");
  const text = own.get(key);
  return inner === undefined || text?.startsWith("{") !== true ? text : memberText(text, inner);
}

function heldBy({ members }: WireSlice): string | undefined {
  for (const { parts } of members) for (const part of parts) if (isHeld(part)) return heldBecause(part);
  return undefined;
}
