/**
 * The turns of an earlier record, line by line: what a person wrote in them is a request still, and stands as long as one. Whoever
 * sends a handoff back has no other copy of it.
 */
import { WORTH, type Line, type LineKind } from "./line.ts";
import { proseBody, sectionsBody } from "./shape.ts";
import { timesOf } from "./words.ts";

/** How the lines of a turn begin (`lines.ts`), by what they are; the first that fits counts. */
const LEADS: readonly (readonly [LineKind, RegExp])[] = [
  ["request", /^(?:\[\d+\] )?User: /],
  ["system", /^(?:\[\d+\] )?System: /],
  ["answer", /^Agent: /],
  ["report", /^(?:Report|Its report): /],
  ["record", /^Earlier summary: /],
  ["look", /^· looked at: /],
  ["shown", /^(?:Console of the user|· .{1,100} showed): /],
  ["deed", /^· /],
];

const LEAD_WITHIN = new RegExp(`\\n(?=${LEADS.map(([, lead]) => lead.source.slice(1)).join("|")})`, "g");

/** Words of which no line after the first begins as a line of a turn does: it is still theirs when it is read back. */
export function withinTheirLine(words: string): string {
  return words.includes("\n") ? words.replace(LEAD_WITHIN, "\n  ") : words;
}

/** The lines of turns as an earlier record told them, the oldest first; the messages of their lines are below 0. */
export function linesOfCarried(turns: readonly string[]): readonly (readonly Line[])[] {
  return turns.map((text, at) => {
    const message = at - turns.length;
    const pieces = piecesOf(text);
    const last = pieces.findLastIndex(({ kind }) => kind === "answer");
    return pieces.map(({ kind: known, lead, text: said }, place) => {
      const kind = known === "answer" && place !== last ? "remark" : known;
      return {
        kind,
        message,
        lead,
        body: kind === "record" ? sectionsBody(said) : proseBody(said),
        worth: WORTH[kind] * (kind === "request" ? timesOf(said) : 1),
      };
    });
  });
}

interface Piece {
  readonly kind: LineKind;
  readonly lead: string;
  text: string;
}

/** What stands before the first known lead is a record of another kind, and goes on as one. */
function piecesOf(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  for (const line of text.split("\n")) {
    const known = LEADS.map(([kind, lead]) => ({ kind, lead: lead.exec(line)?.[0] })).find(
      ({ lead }) => lead !== undefined,
    );
    const before = pieces.at(-1);
    if (known?.lead !== undefined)
      pieces.push({ kind: known.kind, lead: known.lead, text: line.slice(known.lead.length) });
    else if (before === undefined) pieces.push({ kind: "report", lead: "", text: line });
    else before.text += `\n${line}`;
  }
  return pieces;
}
