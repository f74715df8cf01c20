/**
 * What a line stands in: a list item under its heading or lead-in, without which it may say the opposite, a row under the first of its table,
 * and a line of code in its block. Read from marks and margins alone.
 */

const ITEM = /^(\s*)([-*•+–·]|\(?\d{1,3}[.)、]|\(?[a-z]\))\s/u;

/** A line that names what stands below it. */
export const HEADING = /^\s*(?:#{1,6}\s|\*\*[^*]{1,80}\*\*:?\s*$)/;

/** Where lines are left out. */
export const GAP = "[…]";

/** An item further below it stands alone. */
const LINES_ABOVE_MAX = 60;

/** Where the line is that an item of a list or a row of a table stands under, or else the heading above a line; -1 where there is none. */
export function leadAt(lines: readonly string[], at: number): number {
  if (isRow(lines[at]!)) {
    const header = headerAt(lines, at);
    return header < 0 ? headingAt(lines, at) : header;
  }
  const item = itemIn(lines[at]!);
  if (item === undefined) return headingAt(lines, at);
  for (let above = at - 1; above >= Math.max(0, at - LINES_ABOVE_MAX); above--) {
    const line = lines[above]!;
    if (line.trim() === "" || line.trim() === GAP) continue;
    const other = itemIn(line);
    const margin = other?.margin ?? marginOf(line);
    if (margin > item.margin) continue;
    if (other === undefined || margin < item.margin || other.isNumbered !== item.isNumbered) return above;
  }
  return -1;
}

/** The items that an item stands within and what these stand under, the nearest first, and of rows the first; and the heading above all of it. */
export function leadsOf(lines: readonly string[], at: number): readonly number[] {
  const lead = leadAt(lines, at);
  if (lead < 0) return [];
  const isItem = itemIn(lines[lead]!) !== undefined;
  if (isItem ? marginOf(lines[lead]!) < marginOf(lines[at]!) : !HEADING.test(lines[lead]!))
    return [lead, ...leadsOf(lines, lead)];
  return [lead];
}

function isRow(line: string): boolean {
  return line.trimStart().startsWith("|");
}

function headingAt(lines: readonly string[], at: number): number {
  let above = at;
  while (above >= 0 && at - above < LINES_ABOVE_MAX && !HEADING.test(lines[above]!)) above--;
  return above === at || at - above === LINES_ABOVE_MAX ? -1 : above;
}

function headerAt(lines: readonly string[], at: number): number {
  let above = at;
  while (above > 0 && at - above < LINES_ABOVE_MAX && isRow(lines[above - 1]!)) above--;
  return above === at || at - above === LINES_ABOVE_MAX ? -1 : above;
}

const FENCE = /^\s{0,12}(?:```|~~~)/;

/** Where each line begins and ends, a block of code counting as one: it means something only as a whole. */
export function unitsOf(lines: readonly string[]): readonly { readonly start: number; readonly end: number }[] {
  const units: { readonly start: number; end: number }[] = [];
  let isOpen = false;
  for (const [at, line] of lines.entries()) {
    if (isOpen) units.at(-1)!.end = at + 1;
    else units.push({ start: at, end: at + 1 });
    if (FENCE.test(line)) isOpen = !isOpen;
  }
  return units;
}

function itemIn(line: string): { readonly margin: number; readonly isNumbered: boolean } | undefined {
  const [, space, mark] = ITEM.exec(line) ?? [];
  return mark === undefined ? undefined : { margin: space!.length, isNumbered: /[\da-z]/.test(mark) };
}

export function marginOf(line: string): number {
  return line.length - line.trimStart().length;
}
