/**
 * SpecStory transcripts. A call is read as one where precis wrote it; elsewhere its arguments are shown for people and cannot
 * be had again, and the block is kept as text of the reply.
 */
import type { Part } from "../../core/transcript/message.ts";
import { timeOf } from "../fields.ts";
import type { LogText } from "../lines.ts";
import type { FormatReading, History, MessageDraft } from "../log.ts";
import { GENERATED, HEADER, REMARK, SEPARATOR, THINKING, THINKING_END, TOOL, TOOL_END, unmarked } from "./lines.ts";
import { callIn, type ToolBlock } from "./tool-block.ts";

export function isSpecStoryText(beginning: string): boolean {
  return beginning.trimStart().startsWith(GENERATED);
}

interface Speech {
  readonly role: "user" | "assistant";
  readonly line: number;
  readonly parts: Part[];
  readonly results: ToolBlock[];
}

export function readSpecStory(text: LogText, _history: History): FormatReading {
  const lines = typeof text === "string" ? text.split("\n") : [...text];
  const isMarked = lines.includes(REMARK);
  const clean = (line: string): string => (isMarked ? unmarked(line) : line);
  const said: Speech[] = [];
  const times = new Map<number, number>();
  let model: string | undefined;
  let words: string[] = [];
  const endText = (): void => {
    const spoken = trimmed(words, said.length > 0);
    if (spoken !== "") said.at(-1)?.parts.push({ kind: "text", text: spoken });
    words = [];
  };
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    const header = HEADER.exec(line);
    if (header !== null) {
      endText();
      const { when, by } = writtenBy(header[2] ?? "");
      model = by ?? model;
      if (when !== undefined) times.set(at + 1, when);
      said.push({ role: header[1] === "User" ? "user" : "assistant", line: at + 1, parts: [], results: [] });
    } else if (line === THINKING && said.length > 0) {
      endText();
      const end = endOf(lines, at, (one) => one === THINKING_END);
      said.at(-1)!.parts.push({
        kind: "reasoning",
        text: lines
          .slice(at + 1, end)
          .map(clean)
          .join("\n"),
      });
      at = end;
    } else if (TOOL.test(line) && said.length > 0) {
      endText();
      const end = endOf(lines, at, (one) => one === TOOL_END, true);
      addTool(said.at(-1)!, lines.slice(at, end + 1));
      at = end;
    } else words.push(clean(line));
  }
  endText();
  return {
    id: /<!-- .* Session (\S+) \(/.exec(lines.slice(0, HEAD_LINES_MAX).join("\n"))?.[1],
    drafts: said.flatMap(draftsOf),
    notes: [],
    recognised: said.length + (isSpecStoryText(lines[0] ?? "") ? 1 : 0),
    model,
    times,
  };
}

/** The comments with the session's id come before the first message. */
const HEAD_LINES_MAX = 20;

/** A line of hyphens ends the words of one before the other speaks. */
function trimmed(words: readonly string[], isSaid: boolean): string {
  const text = words
    .join("\n")
    .replace(/^(?:[ \t]*\n)+/, "")
    .trimEnd();
  if (!isSaid) return "";
  return text === SEPARATOR ? "" : text.replace(/\n---$/, "").trimEnd();
}

function writtenBy(stamp: string): { readonly when: number | undefined; readonly by: string | undefined } {
  const found = /^(?:(.*) )?(\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?(?:Z|[+-]\d{4})?)$/.exec(stamp);
  if (found === null) return { when: undefined, by: stamp === "" ? undefined : stamp };
  return { when: timeOf(found[2]!.replace(" ", "T").replace(/([+-]\d\d)(\d\d)$/, "$1:$2")), by: found[1] };
}

const FENCE = /^(`{3,})\w*$/;

/** The line that ends a block; the last one where none does. Inside fences nothing does. */
function endOf(lines: readonly string[], from: number, isEnd: (line: string) => boolean, fences = false): number {
  let fence: string | undefined;
  for (let at = from + 1; at < lines.length; at++) {
    const line = lines[at]!;
    if (fence !== undefined) fence = line === fence ? undefined : fence;
    else if (isEnd(line)) return at;
    else if (fences) fence = FENCE.exec(line)?.[1];
  }
  return lines.length - 1;
}

function addTool(speech: Speech, lines: readonly string[]): void {
  const block = callIn(lines);
  if (block === undefined) return void speech.parts.push({ kind: "text", text: lines.join("\n") });
  speech.parts.push(block.call);
  speech.results.push(block);
}

function draftsOf({ role, line, parts, results }: Speech): readonly MessageDraft[] {
  return [
    { kind: "said", line, message: { role, parts } },
    ...results.flatMap(({ call, text, isError }): readonly MessageDraft[] =>
      text === undefined
        ? []
        : [{ kind: "result", line, callId: call.id, content: text === "" ? [] : [{ kind: "text", text }], isError }],
    ),
  ];
}
