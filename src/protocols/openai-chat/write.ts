/** Writes Chat Completions messages: edits a message that has its bytes, else writes it again. */
import {
  sameParts,
  withParts,
  type Message,
  type Part,
  type ToolCallPart,
  type ToolResultPart,
} from "../../core/transcript/message.ts";
import { type Entry, type Run, type WriteContext } from "../dialect.ts";
import { jsonArguments } from "../fields.ts";
import {
  formerParts,
  freshContent,
  patchContent,
  patchContentBlock,
  rewriteArray,
  type BlockWriter,
  type Rewrite,
} from "../content.ts";
import { arraySource, type ArraySource, objectText, patchObject, patchPath, memberText } from "../json.ts";
import { freshBlock, REASONING_KEYS } from "./read.ts";

export function writeRun({ slice, entries: all }: Run, context: WriteContext): readonly string[] {
  const entries = withNotes(all);
  const [entry] = entries;
  if (slice !== undefined && entry?.member !== undefined) return [editMessage(slice.raw, entry, context)];
  return [...entries.map(({ message }) => freshMessage(message, context)), ...mediaOfResults(entries, context)];
}

/**
 * A note of ours is the end of the system message before it: many chat templates refuse a second one ("System message must
 * be at the beginning", https://github.com/ggml-org/llama.cpp/issues/20733).
 */
function withNotes(entries: readonly Entry[]): readonly Entry[] {
  const [first, ...notes] = entries;
  if (first?.message.role !== "system" || notes.length === 0) return entries;
  const { message, member } = first;
  const text = notes.flatMap(({ message: { parts } }) =>
    parts.flatMap((part) => (part.kind === "text" ? part.text : [])),
  );
  const [only] = message.parts;
  const isText = message.parts.length === 1 && only?.kind === "text";
  const parts: readonly Part[] = isText
    ? [{ ...only, text: [only.text, ...text].join("\n\n") }]
    : [...message.parts, ...text.map((one) => ({ kind: "text", text: one }) as const)];
  return [{ message: withParts(message, parts), member }];
}

const NO_MEDIA = (context: WriteContext, message: Message): BlockWriter => ({
  patch: patchContentBlock,
  fresh: (part) => freshBlock(part, { media: false, opaque: context.ownBlocks(message) }),
});

const isCall = (part: Part): part is ToolCallPart => part.kind === "tool-call";

function editMessage(raw: string, { message, member }: Entry, context: WriteContext): string {
  const text = editParts(raw, { message, member }, context);
  if (message.name === member!.name) return text;
  return patchObject(text, { name: message.name === undefined ? undefined : JSON.stringify(message.name) });
}

function editParts(raw: string, { message, member }: Entry, context: WriteContext): string {
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

type Place = "content" | "refusal" | "calls" | "function" | "reasoning";

/** Where a decoded part is in its message; its number says so, because blocks are numbered through. */
function placeParts(raw: string, before: readonly Part[]) {
  const text = memberText(raw, "tool_calls");
  const calls = text?.startsWith("[") ? arraySource(text) : undefined;
  const functions = memberText(raw, "function_call")?.startsWith("{") === true ? 1 : 0;
  const blocks = (before.findLast(({ at }) => at !== undefined)?.at ?? -1) + 1;
  const firstCall = blocks - functions - (calls?.elements.length ?? 0);
  const refusal = memberText(raw, "refusal");
  const hasRefusal = refusal?.startsWith('"') === true && refusal !== '""';
  const placeOf = ({ kind, at = -1 }: Part): Place => {
    if (kind === "reasoning") return "reasoning";
    if (at >= firstCall) return at >= blocks - functions ? "function" : "calls";
    return hasRefusal && at === firstCall - 1 ? "refusal" : "content";
  };
  return { calls, firstCall, placeOf };
}

function editReply(raw: string, before: readonly Part[], message: Message, context: WriteContext): string {
  const { calls, firstCall, placeOf } = placeParts(raw, before);
  const former = formerParts(before, message.parts);
  const newPlace = (part: Part): Place => {
    const was = former.get(part);
    if (was !== undefined) return placeOf(was);
    if (isCall(part)) return "calls";
    return part.kind === "reasoning" ? "reasoning" : "content";
  };
  const change = (place: Place): PartsChange => ({
    before: before.filter((part) => placeOf(part) === place),
    after: message.parts.filter((part) => newPlace(part) === place),
  });
  let text = patchContent(raw, "content", { ...change("content"), ...NO_MEDIA(context, message) });
  text = editRefusal(text, change("refusal"));
  text = editFunction(text, change("function"));
  text = editCalls(text, calls, {
    ...change("calls"),
    offset: firstCall,
    patch: patchCall,
    fresh: (part) => freshCall(part, context),
  });
  const thoughts = change("reasoning");
  const removed = thoughts.before.length > 0 && thoughts.after.length === 0;
  return removed ? patchObject(text, Object.fromEntries(REASONING_KEYS.map((key) => [key, undefined]))) : text;
}

type PartsChange = Pick<Rewrite, "before" | "after">;

function editRefusal(raw: string, { before, after }: PartsChange): string {
  if (sameParts(before, after)) return raw;
  const [refusal] = after;
  return patchObject(raw, { refusal: refusal?.kind === "text" ? JSON.stringify(refusal.text) : "null" });
}

function editFunction(raw: string, { before, after }: PartsChange): string {
  if (sameParts(before, after)) return raw;
  const call = after.find(isCall);
  if (call === undefined) return patchObject(raw, { function_call: undefined });
  return patchPath(raw, ["function_call", "arguments"], JSON.stringify(call.arguments));
}

function editCalls(raw: string, calls: ArraySource | undefined, rewrite: Rewrite): string {
  const { before, after, fresh } = rewrite;
  if (sameParts(before, after)) return raw;
  if (after.length === 0) return patchObject(raw, { tool_calls: undefined });
  const text =
    calls === undefined ? `[${after.flatMap((part) => fresh(part) ?? []).join(",")}]` : rewriteArray(calls, rewrite);
  return patchObject(raw, { tool_calls: text });
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
    role: JSON.stringify(role === "system" ? context.systemRole() : role),
    name,
    content: calls.length > 0 && content.length === 0 ? "null" : freshContent(content, fresh),
    reasoning_content: requiredThought(parts),
    tool_calls: calls.length === 0 ? undefined : `[${calls.map((part) => freshCall(part, context)!).join(",")}]`,
  });
}

function requiredThought(parts: readonly Part[]): string | undefined {
  const thoughts = parts.flatMap((part) => (part.kind === "reasoning" && part.required === true ? part.text : []));
  return thoughts.length === 0 ? undefined : JSON.stringify(thoughts.join("\n"));
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

/** Results that are written again are together, so that their media can follow the last of them; so is a note with what it is a note to. */
export function attaches(run: Run, message: Message, own: boolean): boolean {
  const isNote = !own && message.role === "system" && message.origin === "note";
  if (isNote) return run.entries.at(-1)?.message.role === "system";
  return !own && run.slice === undefined && message.role === "tool" && run.entries.at(-1)?.message.role === "tool";
}
