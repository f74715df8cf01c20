/** A handoff as a document: headings and lists, and the quoted lines of earlier versions, with links to the messages that its items cite. */
import { markup, type Html } from "./html.ts";

/** Where a cited message or a recall id is on the page; undefined where it is not there. */
export interface Targets {
  readonly message: (number: number) => string | undefined;
  readonly recall: (id: string) => string | undefined;
}

const HEADING = /^#{2,3} (.+)$/;
const ITEM = /^(?:[-*+]|(\d{1,6})\.) (.*)$/;
const MARK = /^\[(?:end of )?precis handoff \d+\]$/;
const SOURCE = /^@ (.*)$/;
/** `[2, 5-7]` at the end of an item, code between backticks, and recall ids. */
const INLINE =
  /(\[\d{1,6}(?:-\d{1,6})?(?:, ?\d{1,6}(?:-\d{1,6})?)*\]|`[^`\n]{1,400}`|\br[0-9a-f]{9}(?:[0-9a-f]{7})?\b)/g;

type Block =
  | { readonly kind: "heading"; readonly lines: string[] }
  | { readonly kind: "text"; readonly lines: string[] }
  /** `number` where the list is a numbered one. */
  | { readonly kind: "item"; readonly number: string | undefined; readonly lines: string[] }
  | { readonly kind: "quote"; readonly source: string; readonly lines: string[] };

export function handoffDocument(text: string, targets: Targets): Html {
  const parts: Html[] = [];
  let items: Html[] = [];
  const endList = (): void => {
    if (items.length > 0)
      parts.push(
        markup`<ul>
          ${items}
        </ul>`,
      );
    items = [];
  };
  for (const block of blocksOf(text)) {
    if (block.kind === "item") {
      const value = block.number === undefined ? "" : markup` class="step" value="${block.number}"`;
      items.push(markup`<li${value}>${linesOf(block.lines, targets)}</li>`);
      continue;
    }
    endList();
    if (block.kind === "heading") parts.push(markup`<h4>${block.lines.join(" ")}</h4>`);
    else if (block.kind === "text") parts.push(markup`<p>${linesOf(block.lines, targets)}</p>`);
    else
      parts.push(
        markup`<figure>
          <figcaption>${block.source}</figcaption>
          <pre>${block.lines.join("\n")}</pre>
        </figure>`,
      );
  }
  endList();
  return markup`<div class="handoff">${parts}</div>`;
}

function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = [];
  for (const line of text.split("\n")) {
    const last = blocks.at(-1);
    const [heading, source] = [HEADING, SOURCE].map((pattern) => pattern.exec(line)?.[1]);
    const item = ITEM.exec(line);
    if (line.trim() === "" || MARK.test(line)) continue;
    if (source !== undefined) blocks.push({ kind: "quote", source, lines: [] });
    else if (heading !== undefined) blocks.push({ kind: "heading", lines: [heading] });
    else if (last?.kind === "quote") last.lines.push(line);
    else if (item !== null) blocks.push({ kind: "item", number: item[1], lines: [item[2]!] });
    else if (last !== undefined && last.kind !== "heading") last.lines.push(line.replace(/^ {2}/, ""));
    else blocks.push({ kind: "text", lines: [line] });
  }
  return blocks;
}

function linesOf(lines: readonly string[], targets: Targets): readonly Html[] {
  return lines.map((line, at) => markup`${at === 0 ? "" : markup`<br />`}${inline(line, targets)}`);
}

/** The odd pieces of a split are what the pattern found. */
function inline(line: string, targets: Targets): readonly Html[] {
  return line.split(INLINE).map((piece, at) => {
    if (at % 2 === 0) return markup`${piece}`;
    if (piece.startsWith("`")) return markup`<code>${piece.slice(1, -1)}</code>`;
    if (piece.startsWith("[")) return markup`<span class="cites">${citations(piece, targets)}</span>`;
    return linked(piece, targets.recall(piece));
  });
}

function citations(piece: string, targets: Targets): readonly Html[] {
  return piece
    .split(/(\d{1,6})/)
    .map((part, at) => (at % 2 === 0 ? markup`${part}` : linked(part, targets.message(Number(part)))));
}

function linked(text: string, target: string | undefined): Html {
  return target === undefined ? markup`${text}` : markup`<a href="#${target}">${text}</a>`;
}
