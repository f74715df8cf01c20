/** How originals reach a database: together, or, where others would wait too long for that, batch by batch and then named together. */
import { randomUUID } from "node:crypto";
import { batchEnds } from "../batches.ts";
import { piecesOf } from "../body.ts";
import type { Lifetime } from "../lifetime.ts";
import type { HistoryStore, Original } from "../store.ts";
import type { Ask } from "./operations.ts";
import type { StagedPiece } from "./originals.ts";

/** So many batches are written in one transaction. */
const BATCHES_TOGETHER_MAX = 4;

interface Keeping {
  readonly now: () => number;
  readonly during: Lifetime["during"];
}

interface StagedOriginal {
  readonly name: string;
  readonly original: Original;
}

/** All of them or, on an error, none. */
export function createPutOriginals(ask: Ask, { now, during }: Keeping): HistoryStore["putOriginals"] {
  const stageAll = async (tenant: string, staged: readonly StagedOriginal[], batches: readonly Batch[]) => {
    for (const pieces of batches)
      if (!(await ask("stagePieces", tenant, { pieces, now: now() }, charsOf(pieces)))) return false;
    const originals = staged.map(({ name, original: { text: _, ...named } }) => ({ ...named, name }));
    return ask("publishStaged", tenant, { originals, now: now() });
  };
  const put = async (tenant: string, originals: readonly Original[]): Promise<void> => {
    const staged = originals.map((original) => ({ name: `staged ${randomUUID()}`, original }));
    const batches = batchesOf(staged);
    if (batches.length > BATCHES_TOGETHER_MAX) {
      let isWhole = false;
      try {
        isWhole = await stageAll(tenant, staged, batches);
      } finally {
        // What cannot be removed now goes with retention.
        if (!isWhole) {
          const names = staged.map(({ name }) => name);
          await ask("dropStaged", tenant, names).catch(() => undefined);
        }
      }
      if (isWhole) return;
    }
    await ask("putOriginals", tenant, { originals, now: now() }, charsOf(originals));
  };
  // What is put together only when it is read is read once.
  return (tenant, originals) => during(() => put(tenant, originals.map(plain)));
}

type Batch = readonly StagedPiece[];

function batchesOf(staged: readonly StagedOriginal[]): readonly Batch[] {
  const pieces = staged.flatMap(({ name, original }) =>
    piecesOf(original).map(({ form, text }, position): StagedPiece => ({ name, position, form, text })),
  );
  const ends = batchEnds(pieces, ({ text }) => text.length);
  return ends.map((end, at) => pieces.slice(ends[at - 1] ?? 0, end));
}

function charsOf(texts: readonly { readonly text: string }[]): number {
  return texts.reduce((total, { text }) => total + text.length, 0);
}

/** Only what a message to a thread can carry. */
function plain({ id, kind, label, text, masked }: Original): Original {
  return { id, kind, label, text, ...(masked === undefined ? {} : { masked }) };
}
