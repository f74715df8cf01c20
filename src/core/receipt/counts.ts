/** How many of the things on a receipt came to what. */
import {
  RECEIPT_KINDS,
  type Receipt,
  type ReceiptFate,
  type ReceiptKind,
  type ReceiptLine,
} from "../compaction/compaction.ts";

/** What is not in front of the model: of one kind, or of all of them. */
export function missingIn(receipt: Receipt | undefined, kind?: ReceiptKind): number {
  const kinds = kind === undefined ? RECEIPT_KINDS : [kind];
  return sumOver(kinds, (one) => countIn(receipt, one, "recallable") + countIn(receipt, one, "lost"));
}

/** What cannot even be recalled. */
export function lostIn(receipt: Receipt | undefined): number {
  return sumOver(RECEIPT_KINDS, (kind) => countIn(receipt, kind, "lost"));
}

/** The same where nobody keeps the originals: what could be recalled is lost. */
export function withoutOriginals(receipt: Receipt): Receipt {
  const lines = receipt.lines.map(({ id: _, ...line }): ReceiptLine => {
    return line.fate === "recallable" ? { ...line, fate: "lost" } : line;
  });
  const counts = RECEIPT_KINDS.map((kind) => {
    const { recallable, lost, ...others } = receipt.counts[kind];
    return [kind, { ...others, recallable: 0, lost: lost + recallable }];
  });
  return { ...receipt, lines, counts: Object.fromEntries(counts) as Receipt["counts"] };
}

function sumOver(kinds: readonly ReceiptKind[], numberOf: (kind: ReceiptKind) => number): number {
  return kinds.reduce((sum, kind) => sum + numberOf(kind), 0);
}

export function countIn(receipt: Receipt | undefined, kind: ReceiptKind, fate: ReceiptFate): number {
  return receipt?.counts[kind]?.[fate] ?? 0;
}
