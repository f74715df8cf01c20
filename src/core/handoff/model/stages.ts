/** Packs what is to be read into stages of bounded size, in order. */
import type { Measure } from "../../transcript/measure.ts";
import { clipped } from "../items.ts";

export interface Block {
  readonly text: string;
  readonly tokens: number;
  /** What is left out first where not all fits: the lowest, and of these the oldest. */
  readonly keep: number;
}

/** Of the room, where blocks are left out: the lines that say so need some. */
const FILLED_SHARE = 0.9;

/**
 * The blocks in at most `stagesMax` stages; nothing where they do not fit. With a measure they always do: long blocks are
 * cut, and then the least of them left out.
 */
export function packed(
  blocks: readonly Block[],
  roomTokens: number,
  stagesMax: number,
  measure?: Measure,
): readonly string[] | undefined {
  const stages = filled(
    measure === undefined ? blocks : chosen(cut(blocks, roomTokens, measure), roomTokens, stagesMax),
    roomTokens,
  );
  return stages.length <= stagesMax && (measure !== undefined || blocks.every(({ tokens }) => tokens <= roomTokens))
    ? stages.map((stage) => stage.map(({ text }) => text).join("\n"))
    : undefined;
}

function filled(blocks: readonly Block[], roomTokens: number): readonly (readonly Block[])[] {
  const stages: Block[][] = [];
  let left = 0;
  for (const block of blocks) {
    if (block.tokens > left || stages.length === 0) {
      stages.push([]);
      left = roomTokens;
    }
    stages.at(-1)!.push(block);
    left -= block.tokens;
  }
  return stages;
}

/** No block larger than a quarter of a stage, so that packing wastes little. */
const BLOCK_SHARE_MAX = 0.25;

function cut(blocks: readonly Block[], roomTokens: number, measure: Measure): readonly Block[] {
  const most = roomTokens * BLOCK_SHARE_MAX;
  return blocks.map((block) => {
    if (block.tokens <= most) return block;
    const text = clipped(block.text, Math.floor((block.text.length * most) / block.tokens));
    return { ...block, text, tokens: measure.text(`${text}\n`) };
  });
}

/** What fits into all stages together, by worth; runs of what does not are counted in a line. */
function chosen(blocks: readonly Block[], roomTokens: number, stagesMax: number): readonly Block[] {
  let left = roomTokens * stagesMax * (1 - BLOCK_SHARE_MAX) * FILLED_SHARE;
  const kept = new Set<Block>();
  for (const block of blocks.toReversed().toSorted((a, b) => b.keep - a.keep)) {
    if (block.tokens + GAP_TOKENS > left) continue;
    left -= block.tokens + GAP_TOKENS;
    kept.add(block);
  }
  const shown: Block[] = [];
  let gap = 0;
  const close = (): void => {
    if (gap > 0) shown.push({ text: `(${gap} messages left out)`, tokens: GAP_TOKENS, keep: 0 });
    gap = 0;
  };
  for (const block of blocks) {
    if (!kept.has(block)) gap++;
    else {
      close();
      shown.push(block);
    }
  }
  close();
  return shown;
}

const GAP_TOKENS = 8;
