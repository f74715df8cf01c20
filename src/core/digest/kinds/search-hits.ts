/** Search hits: how many in how many files, and the hits themselves, every file in its turn; context lines give way. */
import type { Page } from "../page.ts";
import {
  sharedFolder,
  inTurns,
  plural,
  range,
  type DigestContent,
  type DigestContentRequest,
  type LineBlock,
} from "../short.ts";

/** `file:12:text` is a hit, `file-12-text` its context; `12:text` comes from a search in one file. */
const HIT = /^(?:((?:[A-Za-z]:)?[^\s:]{1,300}):)?(\d{1,7}):/;
const CONTEXT = /^(?:[^\s:]{1,300}-)?\d{1,7}-/;
const FILES_NOTED_MAX = 6;
/** A search with few hits is kept whole where that fits twice the target. */
const HITS_MUST_MAX = 10;

export function shortSearchHits(page: Page, { focus, call }: DigestContentRequest): DigestContent {
  const { files, other } = parseHits(page, call.paths[0] ?? "");
  if (files.size === 0) return { facts: [], lines: [...range(0, 10), ...focus] };
  const hits = [...files.values()].reduce((sum, list) => sum + list.length, 0);
  const shown = inTurns([...files.values()]);
  return {
    facts: [`${plural(hits, "hit")} in ${plural(files.size, "file")}`],
    notes: files.size < 2 || hits < 6 ? [] : [`(${describeCounts(files)})`],
    lines: [...focus.filter((line) => shown.includes(line)).slice(0, 4), ...shown, ...other.slice(0, 4)],
    must: HITS_MUST_MAX,
    under: (number) => underFile(page, files, number),
    gaps: false,
  };
}

interface Hits {
  /** Line numbers of the hits in each file. */
  readonly files: ReadonlyMap<string, readonly number[]>;
  /** Lines that are neither hit nor context. */
  readonly other: readonly number[];
}

function parseHits(page: Page, onlyFile: string): Hits {
  const files = new Map<string, number[]>();
  const other: number[] = [];
  page.lines.forEach((line, number) => {
    const start = line.slice(0, 320);
    const hit = HIT.exec(start);
    if (hit === null) {
      if (!CONTEXT.test(start) && line !== "--" && line.trim() !== "") other.push(number);
      return;
    }
    const file = hit[1] ?? onlyFile;
    const hits = files.get(file);
    if (hits === undefined) files.set(file, [number]);
    else hits.push(number);
  });
  return { files, other };
}

/** A file with several hits is named once. */
function underFile(page: Page, files: Hits["files"], number: number): LineBlock | undefined {
  const file = HIT.exec(page.lines[number]!.slice(0, 320))?.[1];
  if (file === undefined || (files.get(file)?.length ?? 0) < 2) return undefined;
  return { heading: `${file}:`, text: page.lines[number]!.slice(file.length + 1) };
}

function describeCounts(files: ReadonlyMap<string, readonly number[]>): string {
  const most = [...files].toSorted((a, b) => b[1].length - a[1].length);
  const shared = sharedFolder([...files.keys()]);
  const counts = most.slice(0, FILES_NOTED_MAX).map(([file, hits]) => `${file.slice(shared.length)} ${hits.length}`);
  if (most.length > FILES_NOTED_MAX) counts.push(`${most.length - FILES_NOTED_MAX} more`);
  return `${shared === "" ? "" : `in ${shared}: `}${counts.join(", ")}`;
}
