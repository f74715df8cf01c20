/** `precis recall`: from a recall id back to the original bytes, or from words to the ids that hold them. */
import { recall, type RecallHit } from "../../session/originals.ts";
import { createMemoryStore } from "../../store/memory.ts";
import { clip, columnWidths, padEnd } from "../bars.ts";
import type { Arguments, Command } from "../command.ts";
import { EXIT } from "../exit.ts";
import { HISTORY_ARGS, LOCAL_TENANT, withHistory } from "../history.ts";
import { around } from "../hits.ts";
import { readKeep } from "../keep.ts";
import type { Terminal } from "../terminal.ts";

const SEARCH_HITS_MAX = 20;
const LABEL_COLUMNS_MAX = 40;
const LINE_COLUMNS_MIN = 20;

export const recallCommand: Command = {
  name: "recall",
  summary: "Give back what a compaction removed, by its recall id or by words in it.",
  about: [
    "An id gives the original on standard output, byte for byte and nothing else. Anything else is searched for among what was removed: each hit is listed with its id, what it was, and the first line that holds the words. Exits with 1 when there is nothing.",
    "Looks in the gateway's store, or with --keep in the file that `precis compact` wrote.",
  ],
  examples: [
    { line: "precis recall r1a2b3c4d5", says: "the original, from the gateway's store" },
    { line: "precis recall 'double rounding' --keep originals.json", says: "where that was said, in a file" },
  ],
  args: {
    wanted: {
      type: "positional",
      valueHint: "ID|QUERY",
      description: "A recall id as the compacted transcript shows it, or words.",
    },
    keep: {
      type: "string",
      valueHint: "FILE",
      description: "Look in this file that `precis compact --keep FILE` wrote.",
    },
    ...HISTORY_ARGS,
    json: { type: "boolean", description: "Print a list of {id, label, text}." },
  },
  run: async (args, terminal) => {
    const wanted = args.text("wanted")!;
    const keep = args.text("keep");
    const {
      hits,
      place,
      masked = false,
    } = await (keep === undefined ? fromStore(args, terminal) : fromFile(keep, wanted, terminal));
    if (args.is("json")) await terminal.out.write(`${JSON.stringify(hits, null, 2)}\n`);
    else if (hits.length === 0)
      await terminal.err.say(
        `${isRecallId(wanted) ? `Unknown recall id ${wanted}` : `No match for "${clip(wanted, 60)}"`}; searched ${place}.\n`,
      );
    else if (masked) await terminal.err.say("its secrets were masked before it was kept (redaction.stored)\n");
    if (hits.length > 0 && !args.is("json"))
      await terminal.out.write(hits[0]!.id === wanted ? hits[0]!.text : listed(hits, wanted, terminal));
    return hits.length === 0 ? EXIT.failed : EXIT.done;
  },
};

function isRecallId(wanted: string): boolean {
  return /^r[0-9a-f]{9,}$/.test(wanted);
}

interface Recalled {
  readonly hits: readonly RecallHit[];
  /** Where was looked. */
  readonly place: string;
  /** It is not the very bytes. */
  readonly masked?: boolean;
}

async function fromFile(keep: string, wanted: string, terminal: Terminal): Promise<Recalled> {
  const store = createMemoryStore();
  await store.putOriginals(LOCAL_TENANT, await readKeep(keep, terminal));
  return { hits: await recall(store, LOCAL_TENANT, wanted), place: keep };
}

function fromStore(args: Arguments, terminal: Terminal): Promise<Recalled> {
  return withHistory(args, terminal, { readOnly: true }, async ({ history, tenant, store }) => {
    const original = await history.recall(tenant, args.text("wanted")!);
    if (original !== undefined) return { hits: [original], place: store, masked: original.masked === true };
    const found = await history.search({ tenant, words: args.text("wanted")!, limit: 2 * SEARCH_HITS_MAX });
    const hits = found.flatMap((one) => (one.kind === "original" ? [{ ...one, text: one.line }] : []));
    return { hits: hits.map(({ id, label, text }) => ({ id, label, text })), place: `${store}, tenant "${tenant}"` };
  });
}

function listed(hits: readonly RecallHit[], query: string, { out: { paint, columns } }: Terminal): string {
  const labels = hits.map(({ label }) => clip(label, LABEL_COLUMNS_MAX));
  const [widest = 0] = columnWidths(labels.map((label) => [label]));
  const lines = hits.map(({ id, text }, at) => {
    const room = Math.max(LINE_COLUMNS_MIN, columns - widest - id.length - 4);
    return `${paint("accent", id)}  ${padEnd(labels[at]!, widest)}  ${paint("dim", around(text, query, room))}`;
  });
  return `${lines.join("\n")}\n`;
}
