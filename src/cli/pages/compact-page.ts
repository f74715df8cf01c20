/** `precis compact --markup`: one compaction of a file, for somebody who has neither the file nor precis. */
import { version } from "../version.ts";
import type { ShownCompaction } from "./compaction-shown.ts";
import { compactionSections } from "./compaction.ts";
import { markup, pageText, type Html } from "./html.ts";
import { STYLE } from "./style.ts";

export interface CompactPage {
  /** The input as it was named, without its folders. */
  readonly name: string;
  readonly format: string;
  readonly view: ShownCompaction;
}

export function compactPage({ name, format, view }: CompactPage): string {
  const { engine, reason } = view.report;
  const body = markup`<main>
    <header>
      <span class="eyebrow">precis · compaction</span>
      <h1>${name}</h1>
      <p class="dim">${format} · engine ${engine} · ${reason}</p>
    </header>
    ${compactionSections(view, "")} ${footer()}
  </main>`;
  return pageText({ title: `${name}: a compaction by precis`, style: STYLE, body });
}

export function footer(): Html {
  return markup`<footer>
    Written by precis ${version()}. Secrets that precis recognises are masked. Long messages are cut; the originals have
    the rest.
  </footer>`;
}
