/**
 * Writes Gemini contents. All responses to the calls of one content are in the content behind it; a system message
 * inside the conversation goes as a marked user text, because the protocol has none.
 */
import { sameParts, type Message, type Part } from "../../core/transcript/message.ts";
import { formerParts, rewriteArray } from "../content.ts";
import type { Entry, Run, WriteContext } from "../dialect.ts";
import { arraySource, objectText, patchObject } from "../json/edit.ts";
import { memberText } from "../json/scan.ts";
import { resultsFirst, systemNotice, type PartsChange } from "../user-results.ts";
import { freshPart, patchPart, textPart, type PartWriting } from "./parts.ts";

/** Replaces a content that would be empty, which the API refuses. */
const EMPTY_TEXT = "(no text)";

export function attaches(run: Run, message: Message, own: boolean): boolean {
  const last = run.entries.at(-1)?.message.role;
  if (last !== "tool" || message.role !== "tool") return false;
  return !own || run.slice === undefined;
}

export function writeRun({ slice, entries }: Run, context: WriteContext): readonly string[] {
  const { role } = entries[0]!.message;
  const ordered = resultsFirst(entries);
  const writing: PartWriting = { ...context, opaque: entries.every(({ message }) => context.ownBlocks(message)) };
  if (slice === undefined) return [freshContent(role, ordered, writing)];
  const before = slice.members.flatMap((member) => member.parts);
  return [
    patchObject(slice.raw, { parts: partsText(memberText(slice.raw, "parts"), { before, after: ordered }, writing) }),
  ];
}

function freshContent(role: Message["role"], parts: readonly Part[], writing: PartWriting): string {
  if (role === "system") return objectText({ role: '"user"', parts: `[${textPart(systemNotice(parts))}]` });
  const text = partsText(undefined, { before: [], after: parts }, writing);
  return objectText({ role: role === "assistant" ? '"model"' : '"user"', parts: text });
}

function partsText(raw: string | undefined, { before, after }: PartsChange, writing: PartWriting): string {
  if (raw !== undefined && sameParts(before, after)) return raw;
  const former = formerParts(before, after);
  const kept = after.filter((part) => part.kind !== "reasoning" || former.has(part));
  // Of calls made at once only the first bears a signature.
  const signed = kept.find((part) => part.kind === "tool-call");
  const fresh = (part: Part): string | undefined => freshPart(part, writing, part === signed);
  if (kept.length === 0) return `[${textPart(EMPTY_TEXT)}]`;
  if (raw === undefined) return `[${kept.flatMap((part) => fresh(part) ?? []).join(",")}]`;
  return rewriteArray(arraySource(raw), { before, after: kept, patch: patchPart, fresh });
}

/** The system instruction: all system messages as parts of one content. */
export function writeSystem(entries: readonly Entry[], context: WriteContext): string | undefined {
  const based = entries.find(({ member }) => member !== undefined);
  const raw = based?.message.wire?.raw;
  const after = entries.flatMap(({ message }) => message.parts);
  if (after.length === 0) return undefined;
  const writing: PartWriting = { ...context, opaque: true };
  const change = { before: based?.member?.parts ?? [], after };
  const isContent = raw !== undefined && raw.startsWith("{") && memberText(raw, "parts") !== undefined;
  if (!isContent) return objectText({ parts: partsText(undefined, { before: [], after }, writing) });
  return patchObject(raw, { parts: partsText(memberText(raw, "parts"), change, writing) });
}
