/**
 * Reads what a model answered, and loses nothing of it: each line stands in the section that it was written under, in its
 * order. A section that was not asked for is an item of the context, under its own heading; a deeper heading is a line.
 */
import type { Topic } from "../sections/topic.ts";
import type { AskedSection, Items } from "./asked.ts";
import { piecesOf, type Piece } from "./fences.ts";
import { createOpener, headingIn, openingsIn } from "./headings.ts";

export interface Answer {
  readonly items: Items;
  /** How many of the sections asked for are in it. */
  readonly headings: number;
  readonly body: string;
  /** Whether a line at its end was left out because the answer was cut off in it. */
  readonly torn: boolean;
}

const ITEM = /^(\s*)(?:[-*•+]|\d{1,4}[.)])(?:\s+|$)/;
const EMPTY =
  /^[\s*_()[\]]{0,40}(?:none|nothing|n\/a|-|无|無|没有|なし|없음|ninguno|aucun|keine?)?[\s*_()[\].。]{0,40}$/i;
const EMPTY_CHARS_MAX = 40;
const RULE = /^\s*(?:-{3,}|\*{3,}|_{3,}|={3,})\s*$/;
const THINKING_OPEN = /^\s*<(think|thinking|reasoning)>/i;
const INTRODUCES = /[:：]\**$/;
const TAB_COLUMNS = 4;
/** So much further in, a line belongs to the item above it. */
const NESTED_COLUMNS = 2;

export function readAnswer(text: string, asked: readonly AskedSection[], isCutOff = false): Answer {
  const body = withoutThinking(text).trimStart();
  const lines = body.split(/\r?\n/);
  // What was written after the last line break may be half a word, or half of a "not".
  const torn = isCutOff && lines.at(-1)!.trim() !== "" ? lines.pop() !== undefined : false;
  const openedBy = createOpener(asked);
  const pieces = piecesOf(lines, (line) => openedBy(line) !== undefined);
  const openings = openingsIn(
    pieces.map((piece) => (piece.length === 1 ? piece[0]! : "")),
    openedBy,
  );
  const purposes = new Set(asked.map(({ purpose }) => `(${purpose})`));
  const sections = new Map<Topic, string[]>();
  const depths = new Set(Array.from(openings.values(), ({ depth }) => depth));
  const greeting = greetingAt(pieces);
  let list = createList(itemsOf(sections, topicOfLead(asked)));
  let depth = 0;
  pieces.forEach((piece, at) => {
    if (at === greeting) return;
    const opening = openings.get(at);
    const { depth: own = 0 } = (piece.length === 1 && headingIn(piece[0]!)) || {};
    if (opening !== undefined) [list, depth] = [createList(itemsOf(sections, opening.topic)), own];
    // A heading of the model's own beside those that were asked for ends the section above it.
    else if (own > 0 && own <= depth && depths.has(own)) list = createList(itemsOf(sections, topicOfLead(asked)));
    // A heading may be copied with the words that explain it.
    const said: Piece = opening === undefined ? piece : [opening.rest];
    if (!purposes.has(said[0]!.replace(ITEM, "").trim())) list.add(said);
  });
  const opened = new Set(Array.from(openings.values(), ({ topic }) => topic));
  return { items: cleaned(sections, opened), headings: opened.size, body: body.trimEnd(), torn };
}

/** Some models think aloud before they answer. */
function withoutThinking(text: string): string {
  const open = THINKING_OPEN.exec(text);
  if (open === null) return text;
  const close = text.toLowerCase().indexOf(`</${open[1]!.toLowerCase()}>`);
  return close < 0 ? text : text.slice(close + open[1]!.length + 3);
}

/** A line that does nothing but introduce the first heading; -1 where there is none. */
function greetingAt(pieces: readonly Piece[]): number {
  const [first = "", next = ""] = pieces.map((piece) => piece.join("\n")).filter((text) => text.trim() !== "");
  const introduces = INTRODUCES.test(first.trimEnd()) && !ITEM.test(first) && headingIn(first) === undefined;
  return introduces && headingIn(next) !== undefined ? pieces.findIndex(([line]) => line === first) : -1;
}

/** What stands before the first heading belongs to the section that holds the context. */
function topicOfLead(asked: readonly AskedSection[]): Topic {
  return asked.find(({ topics }) => topics.includes("context"))?.topic ?? "context";
}

function itemsOf(sections: Map<Topic, string[]>, topic: Topic): string[] {
  const items = sections.get(topic) ?? [];
  sections.set(topic, items);
  return items;
}

function cleaned(sections: ReadonlyMap<Topic, readonly string[]>, opened: ReadonlySet<Topic>): Items {
  const texts = Array.from(
    sections,
    ([topic, items]) =>
      [topic, [...new Set(items)].filter((text) => text.length > EMPTY_CHARS_MAX || !EMPTY.test(text))] as const,
  );
  return new Map(texts.filter(([topic, items]) => items.length > 0 || opened.has(topic)));
}

interface List {
  readonly add: (piece: Piece) => void;
}

/** What the item that was added last takes in: all that a heading heads, the list that a sentence introduces, or its own lines. */
type Takes = "section" | "list" | "own";

function createList(items: string[]): List {
  let takes: Takes = "own";
  /** Columns of the list's marks, and of the text after them; none in a paragraph. */
  let base = 0;
  let inner = 0;
  let isOpen = false;
  let isApart = false;
  const push = (text: string, what: Takes, columns: readonly [base: number, inner: number] = [0, 0]): void => {
    items.push(text);
    [takes, isOpen, [base, inner]] = [what, true, columns];
  };
  const append = (lines: readonly string[]): void => {
    items[items.length - 1] += `\n${lines.map((line) => outdented(line, inner)).join("\n")}`;
  };
  return {
    add: (piece) => {
      const line = piece[0]!;
      if (line.trim() === "" || (piece.length === 1 && RULE.test(line))) {
        isApart = true;
        return;
      }
      const isNested = isOpen && columnsOf(line) >= base + NESTED_COLUMNS;
      const title = piece.length > 1 || isNested ? undefined : titleIn(line);
      const mark = ITEM.exec(line);
      const last = items.at(-1) ?? "";
      if (title !== undefined) {
        if (isOpen && takes === "section" && !last.includes("\n") && titleIn(last) === last) append([title]);
        else push(title, "section");
      } else if (isOpen && (takes === "section" || isNested || (takes === "list" && mark !== null))) append(piece);
      else if (mark !== null) {
        const first = line.slice(mark[0].length).trimEnd();
        push([first, ...piece.slice(1).map((one) => outdented(one, mark[0].length))].join("\n"), "own", [
          columnsOf(line),
          mark[0].length,
        ]);
      } else if (isOpen && (!isApart || INTRODUCES.test(last))) append(piece);
      else
        push(
          piece
            .map((one) => one.trimEnd())
            .join("\n")
            .trimStart(),
          INTRODUCES.test(line.trimEnd()) ? "list" : "own",
        );
      isApart = false;
    },
  };
}

/** A heading of the model's own, as a line of text. */
function titleIn(line: string): string | undefined {
  const heading = headingIn(line);
  const text = line.trim();
  if (heading === undefined || /^\d/.test(text)) return undefined;
  return (heading.depth === 0 ? /^(?:\*\*.+\*\*|__.+__)[:：]?$/ : /^#{1,6}\s+\S/).test(text) ? text : undefined;
}

function columnsOf(line: string): number {
  const space = /^\s*/.exec(line)![0];
  return space.replaceAll("\t", " ".repeat(TAB_COLUMNS)).length;
}

function outdented(line: string, columns: number): string {
  const space = /^ */.exec(line)![0].length;
  return line.slice(Math.min(space, columns)).trimEnd();
}
