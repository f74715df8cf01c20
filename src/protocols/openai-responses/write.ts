/** Writes Responses items: edits the items that have their bytes, else writes them again. */
import { resultOf, sameParts, type Message, type Part } from "../../core/transcript/message.ts";
import { type Entry, type Run, type WriteContext } from "../dialect.ts";
import { jsonArguments, type Fields } from "../fields.ts";
import { formerParts, freshContent, patchContent, patchContentBlock } from "../content.ts";
import { arraySource, newPiece, composeArray, objectText, patchObject, type Piece } from "../json.ts";
import { freshBlock, blockCount, hostedArgumentsKey, kindOf, standsAlone } from "./read.ts";

export function writeRun({ slice, entries }: Run, context: WriteContext): readonly string[] {
  const [entry] = entries;
  if (slice === undefined || entry?.member === undefined)
    return entries.flatMap(({ message }) => freshItems(message, context));
  // A request whose input is one string has no item yet.
  const raw = slice.raw.startsWith('"') ? freshMessage(entry.member.role, slice.raw) : slice.raw;
  return [entry.message.role === "assistant" ? editReply(raw, entry, context) : editItem(raw, entry, context)];
}

function editItem(raw: string, { message, member }: Entry, context: WriteContext): string {
  const fresh = (part: Part) => freshBlock(part, { role: message.role, opaque: context.ownBlocks(message) });
  const [was, is] = [resultOf(member!), resultOf(message)];
  if (was !== undefined && is !== undefined)
    return patchContent(raw, "output", { before: was.content, after: is.content, patch: patchContentBlock, fresh });
  if (sameParts(member!.parts, message.parts)) return raw;
  return patchContent(raw, "content", { before: member!.parts, after: message.parts, patch: patchContentBlock, fresh });
}

/** An item of a reply with the numbers of its first block and of the block after its last. */
interface PlacedItem {
  readonly index: number;
  readonly text: string;
  readonly kind: "message" | "reasoning" | "single";
  readonly from: number;
  readonly to: number;
}

/** Parts of the new reply that are in one item: an old one, or (undefined) a new message. */
interface Chunk {
  readonly item: PlacedItem | undefined;
  readonly parts: Part[];
}

function editReply(raw: string, { message, member }: Entry, context: WriteContext): string {
  const source = arraySource(`[${raw}]`);
  const before = member!.parts;
  const items = placeItems(source.elements.map(({ start, end }) => source.text.slice(start, end)));
  const former = formerParts(before, message.parts);
  const kept = new Set(former.values());
  const lostReasoning = before.some((part) => part.kind === "reasoning" && !kept.has(part));
  const pieces = groupChunks(message.parts, former, items).flatMap(({ item, parts }): Piece[] => {
    if (item === undefined) return freshItems({ ...message, parts }, context).map(newPiece);
    const edited =
      item.kind === "message"
        ? editContent(item, { before, parts, message }, context)
        : editSingle(item, former.get(parts[0]!)!, parts[0]!);
    // An item that names itself by id is refused when the reasoning it was made with is gone.
    const text = lostReasoning && item.kind !== "reasoning" ? patchObject(edited, { id: undefined }) : edited;
    return [{ first: item.index, count: 1, text: text === item.text ? undefined : text }];
  });
  if (pieces.length === 0) return freshMessage("assistant", '""');
  return composeArray(source, pieces).slice(1, -1);
}

function placeItems(texts: readonly string[]): PlacedItem[] {
  let to = 0;
  return texts.map((text, index) => {
    const value = JSON.parse(text) as Fields;
    const from = to;
    to += blockCount(value);
    const kind = kindOf(value);
    return { index, text, kind: kind === "message" || kind === "reasoning" ? kind : "single", from, to };
  });
}

function groupChunks(
  parts: readonly Part[],
  former: ReadonlyMap<Part, Part>,
  items: readonly PlacedItem[],
): readonly Chunk[] {
  const chunks: Chunk[] = [];
  const taken = new Set<PlacedItem>();
  const itemAt = items.flatMap((item) => Array<PlacedItem>(item.to - item.from).fill(item));
  for (const part of parts) {
    const last = chunks.at(-1);
    const item = itemAt[former.get(part)?.at ?? -1];
    const open = last !== undefined && (last.item === undefined || last.item.kind === "message");
    if (open && (item === undefined ? isContent(part) : item === last.item)) last.parts.push(part);
    else if (item !== undefined && !taken.has(item)) {
      taken.add(item);
      chunks.push({ item, parts: [part] });
    } else chunks.push({ item: undefined, parts: [part] });
  }
  return chunks;
}

function isContent(part: Part): boolean {
  return part.kind !== "tool-call" && part.kind !== "reasoning" && part.kind !== "opaque";
}

interface ReplyEdit {
  readonly before: readonly Part[];
  readonly parts: readonly Part[];
  readonly message: Message;
}

function editContent(item: PlacedItem, { before, parts, message }: ReplyEdit, context: WriteContext): string {
  const own = before.filter((part) => part.at !== undefined && item.from <= part.at && part.at < item.to);
  const fresh = (part: Part) => freshBlock(part, { role: "assistant", opaque: context.ownBlocks(message) });
  return patchContent(item.text, "content", {
    before: own,
    after: parts,
    offset: item.from,
    patch: patchContentBlock,
    fresh,
  });
}

/** An item that is one part: a call whose arguments may have changed, or something that is kept as it is. */
function editSingle(item: PlacedItem, old: Part, part: Part): string {
  if (old === part) return item.text;
  if (part.kind === "opaque") return part.raw;
  if (old.kind !== "tool-call" || part.kind !== "tool-call") return item.text;
  const value = JSON.parse(item.text) as Fields;
  if (kindOf(value) === "hosted-call")
    return part.arguments.trimStart().startsWith("{") && jsonArguments(part.arguments) === part.arguments
      ? patchObject(item.text, { [hostedArgumentsKey(String(value["type"]))]: part.arguments })
      : item.text;
  const renamed = part.name === old.name ? {} : { name: JSON.stringify(part.name) };
  return patchObject(item.text, {
    ...renamed,
    [part.custom === true ? "input" : "arguments"]: JSON.stringify(part.arguments),
  });
}

function freshMessage(role: string, content: string): string {
  return objectText({ type: '"message"', role: JSON.stringify(role), content });
}

function freshItems(message: Message, context: WriteContext): string[] {
  const { role, parts } = message;
  const opaque = context.ownBlocks(message);
  const fresh = (part: Part) => freshBlock(part, { role, opaque });
  const result = resultOf(message);
  if (role === "tool" && result !== undefined) {
    const output = freshContent(result.content, fresh);
    const type = context.answersCustom(result) ? '"custom_tool_call_output"' : '"function_call_output"';
    return [objectText({ type, call_id: JSON.stringify(context.idOf(result)), output })];
  }
  const [only] = parts;
  // The history of an agent's file has such an item as a message of the user.
  if (opaque && parts.length === 1 && standsAlone(only!)) return [only.raw];
  if (role !== "assistant")
    return [freshMessage(role === "system" ? context.systemRole() : role, freshContent(parts, fresh))];
  const items = freshReply(parts, opaque, context);
  return items.length === 0 ? [freshMessage("assistant", '""')] : items;
}

function freshReply(parts: readonly Part[], opaque: boolean, context: WriteContext): string[] {
  const items: string[] = [];
  let said: Part[] = [];
  const flush = (): void => {
    const blocks = said.flatMap((part) => freshBlock(part, { role: "assistant", opaque }) ?? []);
    if (blocks.length > 0) items.push(freshMessage("assistant", `[${blocks.join(",")}]`));
    said = [];
  };
  for (const part of parts) {
    if (part.kind === "tool-call") {
      flush();
      items.push(freshCall(part, context));
    } else if (part.kind === "opaque" && opaque) {
      flush();
      items.push(part.raw);
    } else if (part.kind !== "reasoning") said.push(part);
  }
  flush();
  return items;
}

function freshCall(part: Extract<Part, { kind: "tool-call" }>, context: WriteContext): string {
  const call = { call_id: JSON.stringify(context.idOf(part)), name: JSON.stringify(part.name) };
  if (part.custom === true)
    return objectText({ type: '"custom_tool_call"', ...call, input: JSON.stringify(part.arguments) });
  return objectText({ type: '"function_call"', ...call, arguments: JSON.stringify(jsonArguments(part.arguments)) });
}
