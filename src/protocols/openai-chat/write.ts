/** Writes Chat Completions messages: edits a message that has its bytes, else writes it anew. */
import type { Message, Part, ToolCallPart, ToolResultPart } from "../../core/transcript/message.ts";
import { jsonArguments } from "../arguments.ts";
import {
  freshContent,
  patchContent,
  patchContentBlock,
  rewriteArray,
  sameParts,
  type BlockWriter,
} from "../content.ts";
import type { Entry, Run, WriteContext } from "../dialect.ts";
import { arraySource, objectText, patchObject, patchPath } from "../json/edit.ts";
import { memberText } from "../json/scan.ts";
import { freshBlock } from "./blocks.ts";
import { REASONING_KEYS } from "./read.ts";

export function writeRun({ slice, entries }: Run, context: WriteContext): readonly string[] {
  const [entry] = entries;
  if (slice !== undefined && entry?.member !== undefined) return [editMessage(slice.raw, entry, context)];
  return [...entries.map(({ message }) => freshMessage(message, context)), ...mediaOfResults(entries, context)];
}

const NO_MEDIA = (context: WriteContext, message: Message): BlockWriter => ({
  patch: patchContentBlock,
  fresh: (part) => freshBlock(part, { media: false, opaque: context.ownBlocks(message) }),
});

const isCall = (part: Part): part is ToolCallPart => part.kind === "tool-call";

function editMessage(raw: string, { message, member }: Entry, context: WriteContext): string {
  const before = member!.parts;
  if (message.role === "assistant") return editReply(raw, before, message, context);
  if (message.role === "tool") {
    const [was, is] = [resultPart(before), resultPart(message.parts)];
    return patchContent(raw, "content", { before: was.content, after: is.content, ...NO_MEDIA(context, message) });
  }
  const fresh = (part: Part) =>
    freshBlock(part, { media: message.role === "user", opaque: context.ownBlocks(message) });
  return patchContent(raw, "content", { before, after: message.parts, patch: patchContentBlock, fresh });
}

function resultPart(parts: readonly Part[]): ToolResultPart {
  return parts.find((part) => part.kind === "tool-result")!;
}

/** A part stands in content, in the refusal field, or among the calls, by its number. */
function placesOf(raw: string, parts: readonly Part[]) {
  const calls = memberText(raw, "tool_calls");
  const array = calls?.startsWith("[") ? arraySource(calls) : undefined;
  const legacy = memberText(raw, "function_call")?.startsWith("{") === true ? 1 : 0;
  const last = Math.max(-1, ...parts.map((part) => part.at ?? -1));
  const firstCall = last + 1 - legacy - (array?.elements.length ?? 0);
  const refusal = memberText(raw, "refusal");
  const hasRefusal = refusal?.startsWith('"') === true && refusal !== '""';
  return { array, firstCall, refusalAt: hasRefusal ? firstCall - 1 : undefined };
}

function editReply(raw: string, before: readonly Part[], message: Message, context: WriteContext): string {
  const { array, firstCall, refusalAt } = placesOf(raw, before);
  const inCalls = (part: Part): boolean =>
    isCall(part) || (part.kind === "opaque" && (part.at ?? -1) >= firstCall && before.includes(part));
  const isRefusalField = (part: Part): boolean =>
    part.kind === "text" && part.refusal === true && part.at === refusalAt;
  const inContent = (part: Part): boolean => part.kind !== "reasoning" && !inCalls(part) && !isRefusalField(part);
  const after = message.parts;
  const writer = NO_MEDIA(context, message);
  let text = patchContent(raw, "content", {
    before: before.filter(inContent),
    after: after.filter(inContent),
    ...writer,
  });
  text = editRefusal(text, before.find(isRefusalField), after.find(isRefusalField));
  text = editCalls(text, { array, firstCall, before: before.filter(inCalls), after: after.filter(inCalls) }, context);
  const removed = before.some((part) => part.kind === "reasoning") && !after.some((part) => part.kind === "reasoning");
  return removed ? patchObject(text, Object.fromEntries(REASONING_KEYS.map((key) => [key, undefined]))) : text;
}

function editRefusal(raw: string, before: Part | undefined, after: Part | undefined): string {
  if (before === after || before?.kind !== "text") return raw;
  return patchObject(raw, { refusal: after?.kind === "text" ? JSON.stringify(after.text) : "null" });
}

interface CallEdit {
  readonly array: ReturnType<typeof arraySource> | undefined;
  readonly firstCall: number;
  readonly before: readonly Part[];
  readonly after: readonly Part[];
}

function editCalls(raw: string, { array, firstCall, before, after }: CallEdit, context: WriteContext): string {
  if (sameParts(before, after)) return raw;
  const legacyAt = firstCall + (array?.elements.length ?? 0);
  const legacy = after.filter(isCall).find((part) => part.at === legacyAt);
  let text = raw;
  const old = before.find((part) => part.at === legacyAt);
  if (old !== undefined && legacy === undefined) text = patchObject(text, { function_call: undefined });
  else if (old !== undefined && old !== legacy)
    text = patchPath(text, ["function_call", "arguments"], JSON.stringify(legacy!.arguments));
  const calls = after.filter((part) => part !== legacy);
  if (calls.length === 0) return patchObject(text, { tool_calls: undefined });
  const fresh = (part: Part) => freshCall(part, context);
  if (array === undefined)
    return patchObject(text, { tool_calls: `[${calls.flatMap((part) => fresh(part) ?? []).join(",")}]` });
  const rewritten = rewriteArray(array, { before, after: calls, offset: firstCall, patch: patchCall, fresh });
  return patchObject(text, { tool_calls: rewritten });
}

function patchCall(call: string, before: Part, after: Part): string | undefined {
  if (before.kind !== "tool-call" || after.kind !== "tool-call" || before.custom !== after.custom) return undefined;
  const [target, field] = after.custom === true ? (["custom", "input"] as const) : (["function", "arguments"] as const);
  let text = call;
  if (after.id !== before.id) text = patchObject(text, { id: JSON.stringify(after.id) });
  if (after.name !== before.name) text = patchPath(text, [target, "name"], JSON.stringify(after.name));
  if (after.arguments !== before.arguments) text = patchPath(text, [target, field], JSON.stringify(after.arguments));
  return text;
}

function freshCall(part: Part, context: WriteContext): string | undefined {
  if (part.kind === "opaque") return part.raw;
  if (part.kind !== "tool-call") return undefined;
  const id = JSON.stringify(context.idOf(part));
  const name = JSON.stringify(part.name);
  if (part.custom === true)
    return objectText({ id, type: '"custom"', custom: objectText({ name, input: JSON.stringify(part.arguments) }) });
  return objectText({
    id,
    type: '"function"',
    function: objectText({ name, arguments: JSON.stringify(jsonArguments(part.arguments)) }),
  });
}

function freshMessage(message: Message, context: WriteContext): string {
  const { role, parts } = message;
  const name = message.name === undefined ? undefined : JSON.stringify(message.name);
  if (role === "tool") {
    const result = resultPart(parts);
    const content = result.content.filter((part) => part.kind !== "image" && part.kind !== "file");
    const fresh = NO_MEDIA(context, message).fresh;
    return objectText({
      role: '"tool"',
      tool_call_id: JSON.stringify(context.idOf(result)),
      name,
      content: freshContent(content, fresh),
    });
  }
  const calls = parts.filter(isCall);
  const content = parts.filter((part) => !isCall(part) && part.kind !== "reasoning");
  const fresh = (part: Part) => freshBlock(part, { media: role === "user", opaque: context.ownBlocks(message) });
  return objectText({
    role: JSON.stringify(role),
    name,
    content: calls.length > 0 && content.length === 0 ? "null" : freshContent(content, fresh),
    tool_calls: calls.length === 0 ? undefined : `[${calls.map((part) => freshCall(part, context)!).join(",")}]`,
  });
}

/** Chat's tool messages hold text only: what else a result showed follows the results in a user message. */
function mediaOfResults(entries: readonly Entry[], context: WriteContext): string[] {
  const blocks: string[] = [];
  for (const { message } of entries) {
    for (const part of message.role === "tool" ? resultPart(message.parts).content : []) {
      if (part.kind === "image" || part.kind === "file")
        blocks.push(freshBlock(part, { media: true, opaque: context.ownBlocks(message) })!);
    }
  }
  return blocks.length === 0 ? [] : [objectText({ role: '"user"', content: `[${[MEDIA_LEAD, ...blocks].join(",")}]` })];
}

const MEDIA_LEAD = objectText({
  type: '"text"',
  text: JSON.stringify("Images and files from the tool results above:"),
});

/** Results that are written anew stand together, so that their media can follow the last of them. */
export function attaches(run: Run, message: Message, own: boolean): boolean {
  return !own && run.slice === undefined && message.role === "tool" && run.entries.at(-1)?.message.role === "tool";
}
