/**
 * Shortens the long strings in old calls' arguments; what was asked of which tool, and of which file, stays readable. A
 * marker replaces its string whole and is bracketed in a way no content is: a shortened string that still looks like content
 * would be imitated and written into files. Everything else keeps its bytes, so big integers and key order survive.
 */
import { describeCall, labelOf } from "../digest/call.ts";
import { recallId } from "../transcript/links.ts";
import { type Pass, rewriteParts } from "./pass.ts";
import { oneLine, thousands } from "../digest/cut.ts";

/** Free text up to this length stays whole. */
const FREE_TEXT_CHARS_MAX = 400;

export const shrinkArguments: Pass = (messages, context) =>
  rewriteParts(messages, context, {
    rewrite: (part, _, evict) => {
      if (part.kind !== "tool-call") return part;
      const recall = recallId(part.arguments, context.hash);
      const shrunk =
        part.custom === true
          ? shrinkFreeText(part.name, part.arguments, recall)
          : shrinkJsonStrings(part.arguments, { recall });
      if (shrunk === undefined) return part;
      evict("arguments", part.arguments, labelOf(describeCall(part.name, part.arguments)));
      return { ...part, arguments: shrunk };
    },
    origin: "digest",
  });

/** A patch, mostly: the files it names are what later turns refer to. */
function shrinkFreeText(name: string, text: string, recall: string): string | undefined {
  if (text.length <= FREE_TEXT_CHARS_MAX || isMarker(text)) return undefined;
  const { paths } = describeCall(name, text);
  const marker = paths.length === 0 ? markerFor(text, recall) : markerFor(text, recall, `; files: ${paths.join(", ")}`);
  return marker.length < text.length ? marker : undefined;
}

/** Strings up to this length stay (Zhang 2026, section 6). */
const KEEP_CHARS = 200;
/** How much of a string's first line its marker shows. */
const FIRST_LINE_CHARS_MAX = 60;

interface ShrinkOptions {
  readonly keepChars?: number;
  /** The id under which the whole arguments can be fetched. */
  readonly recall: string;
}

/** `undefined` when nothing would get shorter, or when the text is not JSON. The result is JSON and shorter. */
export function shrinkJsonStrings(args: string, { keepChars = KEEP_CHARS, recall }: ShrinkOptions): string | undefined {
  if (args.length <= keepChars || !isJson(args)) return undefined;
  let shrunk = "";
  let copied = 0;
  for (const { start, end } of stringValues(args)) {
    if (end - start <= keepChars) continue;
    const value = JSON.parse(args.slice(start, end)) as string;
    if (value.length <= keepChars || isMarker(value)) continue;
    const marker = JSON.stringify(markerFor(value, recall));
    if (marker.length >= end - start) continue;
    shrunk += args.slice(copied, start) + marker;
    copied = end;
  }
  return copied === 0 ? undefined : shrunk + args.slice(copied);
}

/** The marker that stands for a text: its size, its recall id, and a glimpse of it (its first line, or what `glimpse` says). */
function markerFor(value: string, recall: string, glimpse = firstLine(value)): string {
  return `⟪precis: ${thousands(value.length)} characters left out here; recall ${recall}${glimpse}⟫`;
}

function firstLine(value: string): string {
  const line = oneLine(value.trimStart().split("\n", 1)[0] ?? "", FIRST_LINE_CHARS_MAX);
  return line === "" ? "" : `; first line: ${line}`;
}

export function isMarker(value: string): boolean {
  return value.startsWith("⟪precis: ") && value.endsWith("⟫");
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Where the string values of valid JSON are, quotes included; keys are not values. */
function* stringValues(json: string): Generator<{ readonly start: number; readonly end: number }> {
  for (let start = json.indexOf('"'); start >= 0;) {
    const end = endOfString(json, start);
    if (!isFollowedByColon(json, end)) yield { start, end };
    start = json.indexOf('"', end);
  }
}

function endOfString(json: string, start: number): number {
  for (let at = start + 1; ;) {
    const quote = json.indexOf('"', at);
    let slashes = 0;
    while (json[quote - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

function isFollowedByColon(json: string, from: number): boolean {
  let at = from;
  while (json[at] === " " || json[at] === "\n" || json[at] === "\t" || json[at] === "\r") at++;
  return json[at] === ":";
}
