/**
 * Which blocks of a body can carry a cache marker, which do, and the body with other markers. Only blocks whose marker
 * comes or goes are rewritten; a content that was one string becomes a list of one block, as Anthropic's docs have it.
 */
import type { CacheSite, MarkerPlan, Ttl } from "../../core/caching/breakpoints.ts";
import type { Message, Part } from "../../core/transcript/message.ts";
import { fieldsOf, isFields, listOf } from "../fields.ts";
import {
  applyEdits,
  patchObject,
  type Edit,
  elementsOf,
  memberText,
  membersOf,
  skipSpace,
  type Span,
} from "../json.ts";
import type { Decoded, Group } from "../protocol.ts";
import { definitions } from "../registry.ts";
import type { MarkerLayout } from "../definition.ts";

interface Place {
  readonly section: CacheSite["section"];
  /** The element of its list that the block is in: a tool, a message. */
  readonly element: number;
  /** The block's index in the content. */
  readonly block: number;
}

interface MarkerSites {
  readonly sites: readonly CacheSite[];
  /** Lifetimes of markers that no site shows: one for the whole request, or a second one inside of one result. */
  readonly unplaced: readonly Ttl[];
  /** What makes these the markers of the body, and no others. */
  readonly edits: (plan: MarkerPlan) => readonly Edit[];
}

interface Entry {
  readonly site: CacheSite;
  readonly place: Place;
}

/** `current`: the request as its client sent it; markers on messages that are not its are stale. */
export function markerSites(decoded: Decoded, layout: MarkerLayout, current: Decoded = decoded): MarkerSites {
  const field = layout === "openai" ? "prompt_cache_breakpoint" : "cache_control";
  const present = presentMarkers(decoded, field);
  const entries = [
    ...toolEntries(decoded, layout, present),
    ...systemEntries(decoded, layout, present),
    ...messageEntries(decoded, { layout, present, current }),
  ];
  return {
    sites: entries.map(({ site }) => site),
    unplaced: withoutShown(present.all, entries),
    edits: (plan) => editsFor(decoded, { entries, plan, field, layout }),
  };
}

function withoutShown(all: readonly Ttl[], entries: readonly Entry[]): readonly Ttl[] {
  const unplaced = [...all];
  for (const { site } of entries) {
    const at = site.marker === undefined ? -1 : unplaced.indexOf(site.marker);
    if (at >= 0) unplaced.splice(at, 1);
  }
  return unplaced;
}

interface Present {
  /** By section and element: the marker of each block that has one. */
  readonly at: ReadonlyMap<string, ReadonlyMap<number, Ttl>>;
  /** Every marker of the body, wherever it is. */
  readonly all: readonly Ttl[];
}

const keyOf = (section: Place["section"], element: number): string => `${section} ${element}`;

/** Only what holds the field's name is parsed: a conversation is long, and markers are few. */
function presentMarkers({ body, layout }: Decoded, field: string): Present {
  const at = new Map<string, ReadonlyMap<number, Ttl>>();
  const all: Ttl[] = [];
  const read = (section: Place["section"], element: number, blocks: readonly unknown[]): void => {
    const markers = new Map<number, Ttl>();
    blocks.forEach((block, index) => {
      const found = readMarkers(block, field);
      for (const each of found) all.push(each);
      if (found[0] !== undefined) markers.set(index, found[0]);
    });
    if (markers.size > 0) at.set(keyOf(section, element), markers);
  };
  const ofMembers = finder(body, field);
  for (const { key, start, end } of layout.members) {
    if (key === field)
      for (const each of readMarkers({ [field]: JSON.parse(body.slice(start, end)) as unknown }, field)) all.push(each);
    if ((key !== "tools" && key !== "system") || !ofMembers.within({ start, end })) continue;
    const blocks = listOf(JSON.parse(body.slice(start, end)));
    if (key === "system") read("system", 0, blocks);
    else blocks.forEach((tool, index) => read("tools", index, [tool]));
  }
  const ofElements = finder(body, field);
  layout.elements.forEach((span, element) => {
    if (!ofElements.within(span)) return;
    read("messages", element, listOf(fieldsOf(JSON.parse(body.slice(span.start, span.end)))["content"]));
  });
  return { at, all };
}

/** A letter or underscore that is written as an escape, which no serialiser does by itself. */
const ESCAPED_LETTER = /\\u00(?:[46][1-9a-f]|[57][0-9a]|5f)/i;

/** Whether a range may hold a key of this name. Ranges are asked for in their order. */
function finder(body: string, field: string): { readonly within: (span: Span) => boolean } {
  const quoted = JSON.stringify(field);
  const escapes = body.includes("\\u00") && ESCAPED_LETTER.test(body);
  let hit = body.indexOf(quoted);
  return {
    within: ({ start, end }) => {
      if (hit >= 0 && hit < start) hit = body.indexOf(quoted, start);
      return (hit >= start && hit < end) || (escapes && ESCAPED_LETTER.test(body.slice(start, end)));
    },
  };
}

/** A result's blocks can carry markers too. */
function readMarkers(block: unknown, field: string): readonly Ttl[] {
  if (!isFields(block)) return [];
  const own = block[field];
  const inside = listOf(block["content"]).flatMap((one) => readMarkers(one, field));
  return own === undefined || own === null ? inside : [...inside, fieldsOf(own)["ttl"] === "1h" ? "1h" : "5m"];
}

/**
 * How long the client has its conversation cached, by its newest marker in a message, or one for the whole request. Undefined if
 * it marks nothing but its system prompt and tools.
 */
export function conversationMarker({ body, layout }: Decoded): Ttl | undefined {
  const field = "cache_control";
  if (!body.includes(JSON.stringify(field))) return undefined;
  for (const { start, end } of layout.elements.toReversed()) {
    const text = body.slice(start, end);
    if (!text.includes(JSON.stringify(field))) continue;
    const { role, content } = fieldsOf(JSON.parse(text));
    const marker =
      role === "system"
        ? undefined
        : listOf(content)
            .flatMap((block) => readMarkers(block, field))
            .at(-1);
    if (marker !== undefined) return marker;
  }
  const whole = layout.members.findLast(({ key }) => key === field);
  return whole && readMarkers({ [field]: JSON.parse(body.slice(whole.start, whole.end)) as unknown }, field)[0];
}

function toolEntries({ transcript: { tools } }: Decoded, layout: MarkerLayout, { at }: Present): readonly Entry[] {
  if (layout !== "native" || tools === undefined) return [];
  return elementsOf(tools, skipSpace(tools, 0)).map((_, element) => {
    const marker = at.get(keyOf("tools", element))?.get(0);
    const site = { section: "tools", message: -1, carries: true, ...(marker && { marker }) } as const;
    return { site, place: { section: "tools", element, block: 0 } };
  });
}

/** The system prompt where it has a member of its own; elsewhere it is in the list. */
function systemEntries({ transcript, layout: { members } }: Decoded, layout: MarkerLayout, { at }: Present) {
  if (layout !== "native" || !members.some(({ key }) => key === "system")) return [];
  const markers = at.get(keyOf("system", 0));
  const parts = transcript.system
    .filter(({ wire }) => wire === undefined || wire.ofSystem === true)
    .flatMap((one) => one.parts);
  return parts.map((part, index): Entry => {
    const block = part.at ?? index;
    const marker = markers?.get(block);
    const own = { section: "system", message: -1, role: "system", carries: canCarry(part) } as const;
    return { site: { ...own, ...(marker && { marker }) }, place: { section: "system", element: 0, block } };
  });
}

interface Reading {
  readonly layout: MarkerLayout;
  readonly present: Present;
  readonly current: Decoded;
}

function messageEntries(decoded: Decoded, { layout, present, current }: Reading): readonly Entry[] {
  const { messages } = decoded.transcript;
  const indexOf = new Map(messages.map((message, index) => [message, index]));
  const entries: Entry[] = [];
  for (const group of decoded.layout.groups) {
    const markers = present.at.get(keyOf("messages", group.first));
    const stale = markers !== undefined && !isCurrent(group, current);
    const blocks = group.messages.flatMap((message) => message.parts.map((part) => ({ message, part })));
    const parts = inWireOrder(blocks).map(({ message, part }) => ({
      message,
      block: part.at ?? 0,
      carries: group.count === 1 && carries(message, part, layout),
    }));
    // Parts beside the content, such as calls of Chat, have no block of their own: one part alone shows a block's marker.
    const showing = new Map(parts.map((one) => [one.block, one] as const));
    for (const one of parts) if (one.carries) showing.set(one.block, one);
    for (const one of parts) {
      const { message, block } = one;
      const marker = showing.get(block) === one ? markers?.get(block) : undefined;
      entries.push({
        site: {
          section: message.role === "system" && !indexOf.has(message) ? "system" : "messages",
          message: indexOf.get(message) ?? -1,
          role: message.role,
          carries: one.carries,
          ...(marker && { marker }),
          ...(marker && stale && { stale }),
        },
        place: { section: "messages", element: group.first, block },
      });
    }
  }
  return entries;
}

/** Results are decoded before the rest of their message, wherever they are in it. */
function inWireOrder<Block extends { readonly part: Part }>(blocks: readonly Block[]): readonly Block[] {
  const sorted = blocks.every(({ part }, at) => at === 0 || (blocks[at - 1]!.part.at ?? 0) <= (part.at ?? 0));
  return sorted ? blocks : blocks.toSorted((one, other) => (one.part.at ?? 0) - (other.part.at ?? 0));
}

/** Its bytes are in the request as the client sent it just now. */
function isCurrent({ slice }: Group, { layout: { groups } }: Decoded): boolean {
  return groups.some((own) => own.slice === slice || own.slice.raw === slice.raw);
}

/** Anthropic's table, and what of it the others can hold: text of people and of the system (Hermes Agent docs). */
function carries(message: Message, part: Part, layout: MarkerLayout): boolean {
  if (!canCarry(part)) return false;
  switch (layout) {
    case "native":
      return true;
    case "openrouter":
      return part.kind === "text" && part.refusal !== true && message.role !== "tool";
    case "openai":
      return part.kind === "text" && (message.role === "user" || message.role === "system");
  }
}

function canCarry(part: Part): boolean {
  if (part.kind === "text") return part.text.trim() !== "";
  return part.kind !== "reasoning" && part.kind !== "opaque";
}

interface Writing {
  readonly entries: readonly Entry[];
  readonly plan: MarkerPlan;
  readonly field: string;
  readonly layout: MarkerLayout;
}

/** A block's marker as JSON text; undefined takes it away. */
interface Change {
  readonly block: number;
  readonly value: string | undefined;
}

function editsFor(decoded: Decoded, { entries, plan, field, layout }: Writing): readonly Edit[] {
  const changes = new Map<string, { readonly place: Place; readonly list: Change[] }>();
  entries.forEach(({ site, place }, at) => {
    const wanted = plan.get(at);
    if (wanted === site.marker) return;
    const key = keyOf(place.section, place.element);
    const known = changes.get(key) ?? { place, list: [] };
    known.list.push({ block: place.block, value: wanted === undefined ? undefined : markerText(wanted, layout) });
    changes.set(key, known);
  });
  return [...changes.values()].flatMap(({ place, list }): Edit[] => {
    const span = findSpan(decoded, place);
    if (span === undefined) return [];
    const text = decoded.body.slice(span.start, span.end);
    const { start, end } = span;
    return [{ start, end, text: edited(text, place.section, { list, field, protocol: decoded.protocol }) }];
  });
}

/** Five minutes are what a marker without a lifetime means (Hermes Agent docs). */
function markerText(ttl: Ttl, layout: MarkerLayout): string {
  if (layout === "openai") return '{"mode":"explicit"}';
  return ttl === "1h" ? '{"type":"ephemeral","ttl":"1h"}' : '{"type":"ephemeral"}';
}

function findSpan({ body, layout }: Decoded, { section, element }: Place): Span | undefined {
  if (section === "messages") return layout.elements[element];
  const member = layout.members.findLast(({ key }) => key === section);
  if (member === undefined || section === "system") return member;
  return elementsOf(body, member.start)[element];
}

interface Editing {
  readonly list: readonly Change[];
  readonly field: string;
  readonly protocol: Decoded["protocol"];
}

function edited(text: string, section: Place["section"], editing: Editing): string {
  const { list, field } = editing;
  if (section === "tools") return patchObject(text, { [field]: list[0]!.value });
  if (section === "system") return editedContent(text, '"text"', editing);
  const content = memberText(text, "content");
  if (content === undefined) return text;
  const type = JSON.stringify(definitions[editing.protocol].textBlock);
  return patchObject(text, { content: editedContent(content, type, editing) });
}

function editedContent(content: string, type: string, { list, field }: Editing): string {
  if (!content.startsWith("["))
    return list[0]!.value === undefined ? content : `[{"type":${type},"text":${content},"${field}":${list[0]!.value}}]`;
  const elements = elementsOf(content, skipSpace(content, 0));
  const edits = list.flatMap(({ block, value }): Edit[] => {
    const span = elements[block];
    if (span === undefined) return [];
    const text = content.slice(span.start, span.end);
    return [
      { ...span, text: value === undefined ? withoutMarker(text, field) : patchObject(text, { [field]: value }) },
    ];
  });
  return applyEdits(content, edits);
}

function withoutMarker(block: string, field: string): string {
  const content = membersOf(block, skipSpace(block, 0)).findLast(({ key }) => key === "content");
  const inside = content === undefined ? "" : block.slice(content.start, content.end);
  if (!inside.startsWith("[") || !inside.includes(JSON.stringify(field)))
    return patchObject(block, { [field]: undefined });
  const edits = elementsOf(inside, 0).map((span): Edit => {
    const one = inside.slice(span.start, span.end);
    return { ...span, text: one.startsWith("{") ? patchObject(one, { [field]: undefined }) : one };
  });
  return patchObject(block, { content: applyEdits(inside, edits), [field]: undefined });
}

const FIELD = "prompt_cache_key";
const KEY_CHARS = 32;

export function cacheKeyEdits({ form, layout: { members, list } }: Decoded, root: string): readonly Edit[] {
  if (form === "messages" || members.some(({ key }) => key === FIELD)) return [];
  const { keyStart } = members.findLast((member) => member.start === list.start)!;
  const text = `"${FIELD}":${JSON.stringify(`precis-${root.slice(0, KEY_CHARS)}`)},`;
  return [{ start: keyStart, end: keyStart, text }];
}
