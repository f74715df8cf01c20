/** `precis recall`: from a recall id back to the original bytes, or from words to the ids that hold them. */
import { resolve } from "node:path";
import { recall, type RecallHit } from "../../session/originals.ts";
import { createMemoryStore } from "../../store/memory.ts";
import { clip, columnWidths, padEnd } from "../bars.ts";
import type { Command } from "../command.ts";
import { EXIT, usageError } from "../exit.ts";
import { readKeep } from "../keep.ts";
import type { Terminal } from "../terminal.ts";

const TENANT = "local";
const LABEL_COLUMNS_MAX = 40;
const LINE_COLUMNS_MIN = 20;

export const recallCommand: Command = {
  name: "recall",
  summary: "Give back what a compaction removed, by its recall id or by words in it.",
  about: [
    "An id gives the original on standard output, byte for byte and nothing else. Anything else is searched for: each hit is listed with its id, what it was, and the first line that holds the words. Exits with 1 when there is nothing.",
  ],
  examples: [
    { line: "precis recall r1a2b3c4d5 --keep originals.json", says: "the original" },
    { line: "precis recall 'connection refused' --keep originals.json", says: "where that was said" },
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
      description: "The file that `precis compact --keep FILE` wrote. Needed.",
    },
    json: { type: "boolean", description: "Print a list of {id, label, text}." },
  },
  run: async (args, terminal) => {
    const wanted = args.text("wanted")!;
    const keep = args.text("keep");
    if (keep === undefined)
      throw usageError("`precis recall` needs --keep FILE", "Name the file that `precis compact --keep FILE` wrote.");
    const store = createMemoryStore();
    await store.putOriginals(TENANT, readKeep(resolve(terminal.folder, keep)));
    const hits = await recall(store, TENANT, wanted);
    if (args.is("json")) await terminal.out.write(`${JSON.stringify(hits, null, 2)}\n`);
    else if (hits.length === 0)
      await terminal.err.write(
        `${terminal.err.paint("warn", "nothing")} in ${keep} answers to "${clip(wanted, 60)}"\n`,
      );
    else await terminal.out.write(hits[0]!.id === wanted ? hits[0]!.text : listed(hits, wanted, terminal));
    return hits.length === 0 ? EXIT.failed : EXIT.done;
  },
};

function listed(hits: readonly RecallHit[], query: string, { out: { paint, columns } }: Terminal): string {
  const labels = hits.map(({ label }) => clip(label, LABEL_COLUMNS_MAX));
  const [widest = 0] = columnWidths(labels.map((label) => [label]));
  const lines = hits.map(({ id, text }, at) => {
    const room = Math.max(LINE_COLUMNS_MIN, columns - widest - id.length - 4);
    return `${paint("accent", id)}  ${padEnd(labels[at]!, widest)}  ${paint("dim", around(text, query, room))}`;
  });
  return `${lines.join("\n")}\n`;
}

/** The part of a line where the first word of the query stands. */
function around(line: string, query: string, columns: number): string {
  const [word = ""] = query.toLowerCase().split(/\s+/);
  const at = line.toLowerCase().indexOf(word);
  const start = Math.max(0, at - Math.floor((columns - word.length) / 2));
  return start === 0 ? clip(line, columns) : `…${clip(line.slice(start), columns - 1)}`;
}
