/** The real transcripts that everyone compacts: cut where the published recall is cut, each cut once. */
import { readCorpus } from "../../../eval/src/recall/corpus.ts";
import { cutsOf, EVALUATION_CUTS, type Cut, type CutOptions } from "../../../eval/src/recall/cuts.ts";
import { createReader, type Reader } from "../../../eval/src/recall/reader.ts";

export interface Sitting {
  readonly file: string;
  readonly cut: Cut;
  readonly reader: Reader;
}

/** `most`: no more sittings than this, spread over the corpus, for a look that takes less time. */
export function sittingsOf(most: number, options: CutOptions = EVALUATION_CUTS): readonly Sitting[] {
  const corpus = readCorpus();
  const seen = new Set<string>();
  const sittings = corpus.flatMap(({ file, messages }) => {
    const reader = createReader();
    return [...cutsOf(messages, reader, options)].flatMap((cut) => {
      // Checkpoints of one session repeat it: a cut that is the same twice is counted once.
      const key = `${reader.text(cut.prefix.at(-1)!)}${reader.size(cut.prefix)}`;
      if (seen.has(key)) return [];
      seen.add(key);
      return [{ file, cut, reader }];
    });
  });
  const every = Math.max(1, sittings.length / most);
  return sittings.filter((_, at) => Math.floor(at / every) !== Math.floor((at - 1) / every));
}

/** The longest, one a file. */
export function longest<Item extends { readonly file: string; readonly tokens: number }>(
  items: readonly Item[],
  most: number,
): readonly Item[] {
  return items
    .toSorted((a, b) => b.tokens - a.tokens)
    .filter(({ file }, at, all) => all.findIndex((one) => one.file === file) === at)
    .slice(0, most);
}
