/**
 * Writes Anthropic messages. Results are first in a user message; a new result joins the user message whose results
 * it is among, because all results of a turn must be in the message that follows it.
 */
import { sameParts, type Message, type Part } from "../../core/transcript/message.ts";
import { formerParts, freshContent, rewriteContent } from "../content.ts";
import type { Entry, Run, WriteContext } from "../dialect.ts";
import { objectText, patchObject } from "../json/edit.ts";
import { memberText } from "../json/scan.ts";
import { resultsFirst, systemNotice, type PartsChange } from "../user-results.ts";
import { SETTINGS, freshBlock, isBlank, patchBlock, type BlockWriting } from "./blocks.ts";

/** Replaces a message that would be empty, which the provider refuses. */
const EMPTY_TEXT = "(no text)";

export function attaches(run: Run, message: Message, own: boolean): boolean {
  const last = run.entries.at(-1)?.message.role;
  if (last !== "tool") return false;
  if (own) return run.slice === undefined && message.role === "tool";
  return message.role === "tool" || (message.role === "user" && run.slice === undefined);
}

export function writeRun({ slice, entries }: Run, context: WriteContext): readonly string[] {
  const { role } = entries[0]!.message;
  const ordered = resultsFirst(entries);
  const writing: BlockWriting = {
    ...context,
    opaque: entries.every(({ message }) => context.ownBlocks(message)),
    media: role !== "assistant",
  };
  if (slice === undefined) return [freshMessage(role, ordered, writing)];
  const before = slice.members.flatMap((member) => member.parts).filter(isContent);
  const after = ordered.filter(isContent);
  const isDirective = after.length < ordered.length && after.length === 0;
  const content = isDirective ? "[]" : contentText(memberText(slice.raw, "content"), { before, after }, writing);
  return [patchObject(slice.raw, { content })];
}

function isContent(part: Part): boolean {
  return part.kind !== "opaque" || part.type !== SETTINGS;
}

function freshMessage(role: Message["role"], parts: readonly Part[], writing: BlockWriting): string {
  if (role === "system") return objectText({ role: '"user"', content: JSON.stringify(systemNotice(parts)) });
  const content = contentText(undefined, { before: [], after: parts }, writing);
  return objectText({ role: role === "assistant" ? '"assistant"' : '"user"', content });
}

/** The new content: untouched blocks as they were, no block that is refused, and never nothing. */
function contentText(raw: string | undefined, { before, after }: PartsChange, writing: BlockWriting): string {
  if (raw !== undefined && sameParts(before, after)) return raw;
  const fresh = (part: Part) => freshBlock(part, writing);
  const former = formerParts(before, after);
  const kept = after.filter((part) =>
    part.kind === "reasoning" ? former.has(part) : former.get(part) === part || !isBlank(part),
  );
  if (kept.length === 0) return JSON.stringify(EMPTY_TEXT);
  const patch = (block: string, old: Part, part: Part) => patchBlock(block, old, part, writing);
  return rewriteContent(raw, { before, after: kept, patch, fresh }) ?? freshContent(kept, fresh);
}

/** The top-level system prompt: all system messages as blocks of one value. */
export function writeSystem(entries: readonly Entry[], context: WriteContext): string | undefined {
  const based = entries.find(({ member }) => member !== undefined);
  const raw = based?.message.wire?.raw;
  const after = entries.flatMap(({ message }) => message.parts).filter((part) => !isBlank(part));
  if (after.length === 0) return undefined;
  return contentText(raw, { before: based?.member?.parts ?? [], after }, { ...context, opaque: true, media: false });
}
