/** Hands originals to the thread that has the file: at once, or a part at a time where they are large. */
import { randomUUID } from "node:crypto";
import { batchEnds, isManyBatches, pauseBetweenBatches } from "../batches.ts";
import { piecesOf } from "../body.ts";
import type { Original } from "../store.ts";
import type { WorkerClient } from "./worker-client.ts";

/** The prefix by which leftovers are found; the thread's own list of queries is not to be loaded for it. */
const STAGED_PREFIX = "staged ";

interface PutDependencies {
  readonly client: WorkerClient;
  readonly now: () => number;
}

/** All of them or, on an error, none. */
export async function putOriginals(
  database: PutDependencies,
  tenant: string,
  given: readonly Original[],
): Promise<void> {
  const originals = given.map(({ id, kind, label, text, masked }): Original => {
    return { id, kind, label, text, ...(masked === undefined ? {} : { masked }) };
  });
  const chars = originals.reduce((total, { text }) => total + text.length, 0);
  const items = originals.reduce((total, { kind, text }) => total + (kind === "span" ? linesOf(text) : 1), 0);
  if (isManyBatches({ chars, items }) && (await stageAll(database, tenant, originals))) return;
  await database.client.call("putOriginals", tenant, { originals, now: database.now() }, chars);
}

function linesOf(text: string): number {
  let lines = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}

/** False where retention deleted a part meanwhile. */
async function stageAll(
  { client, now }: PutDependencies,
  tenant: string,
  originals: readonly Original[],
): Promise<boolean> {
  const staged = originals.map((original) => ({ original, name: `${STAGED_PREFIX}${randomUUID()}` }));
  const names = staged.map(({ name }) => name);
  // What cannot be removed now goes with what is staged next.
  let isWhole = false;
  try {
    for (const { original, name } of staged) {
      const pieces = piecesOf(original);
      let from = 0;
      for (const end of batchEnds(pieces, ({ text }) => text.length)) {
        const some = pieces.slice(from, end);
        const chars = some.reduce((total, { text }) => total + text.length, 0);
        if (!(await client.call("stageOriginal", tenant, { name, from, pieces: some, now: now() }, chars)))
          return false;
        await pauseBetweenBatches();
        from = end;
      }
    }
    const named = staged.map(({ original: { text: _, ...original }, name }) => ({ ...original, name }));
    isWhole = await client.call("publishStaged", tenant, { originals: named, now: now() });
    return isWhole;
  } finally {
    if (!isWhole) await client.call("dropStaged", tenant, names).catch(() => undefined);
  }
}
