/** A call with its result, as precis writes it into a transcript. */
import type { ToolCallPart } from "../../core/transcript/message.ts";

export interface ToolBlock {
  readonly call: ToolCallPart;
  /** What came back; undefined where nothing did. */
  readonly text: string | undefined;
  readonly isError: boolean;
}

const OPENING = /data-tool-name="([^"]*)" data-call-id="([^"]*)"/;

/** Undefined for a block that says nothing about its call but what people read. */
export function callIn(lines: readonly string[]): ToolBlock | undefined {
  const [, name, id] = OPENING.exec(lines[0] ?? "") ?? [];
  const input = fenced(lines, "**Input:**", 1);
  if (name === undefined || id === undefined || input === undefined) return undefined;
  const [error, result] = [fenced(lines, "**Error:**", input.end), fenced(lines, "**Result:**", input.end)];
  return {
    call: { kind: "tool-call", id, name, arguments: input.text },
    text: (error ?? result)?.text,
    isError: error !== undefined,
  };
}

interface Fenced {
  readonly text: string;
  /** The line behind it. */
  readonly end: number;
}

/** The fenced text below a heading, which comes right behind `from` and empty lines. */
function fenced(lines: readonly string[], heading: string, from: number): Fenced | undefined {
  let at = from;
  while (at < lines.length && lines[at] !== heading && (lines[at] === "" || lines[at]!.startsWith("<summary>"))) at++;
  if (lines[at] !== heading) return undefined;
  const start = at + 2;
  const fence = /^`{3,}/.exec(lines[start] ?? "")?.[0];
  if (fence === undefined) return undefined;
  const end = lines.indexOf(fence, start + 1);
  return end < 0 ? undefined : { text: lines.slice(start + 1, end).join("\n"), end: end + 1 };
}
