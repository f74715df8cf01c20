/** What `precis compact` shows of a compaction beside its report: a diff on standard output, and a page in a file. */
import type { Configuration } from "../config/schema.ts";
import { createRedactor } from "../core/redaction/redactor.ts";
import { createMeasure } from "../core/transcript/measure.ts";
import { loadSecretRules } from "../secrets/rules.ts";
import { compactionDiff } from "./compaction-diff.ts";
import type { ForcedCompaction } from "./compaction.ts";
import { writeOutput } from "./files.ts";
import { imagesOf } from "./images.ts";
import type { Input } from "./input.ts";
import { shownCompaction, type ShownCompaction } from "./pages/compaction-shown.ts";
import { compactPage } from "./pages/compact-page.ts";
import type { Terminal } from "./terminal.ts";

export interface CompactionViews {
  readonly diff: boolean;
  readonly input: Input;
  /** Absent where nothing was compacted. */
  readonly view: ShownCompaction | undefined;
}

/** Undefined where no view was asked for. */
export async function compactionViews(
  { input, result }: { readonly input: Input; readonly result: ForcedCompaction },
  { html, diff }: { readonly html: string | undefined; readonly diff: boolean },
  configuration: Configuration,
): Promise<CompactionViews | undefined> {
  if (!diff && html === undefined) return undefined;
  if (result.kind === "unchanged") return { diff, input, view: undefined };
  const redact = createRedactor(await loadSecretRules(configuration.redaction));
  const measure = createMeasure(imagesOf(input.transcript, configuration));
  return { diff, input, view: shownCompaction(result.compaction, input.transcript.messages, { redact, measure }) };
}

export async function deliverViews(
  { diff, input, view }: CompactionViews,
  { html, mode }: { readonly html: string | undefined; readonly mode: number },
  terminal: Terminal,
): Promise<void> {
  if (view === undefined) {
    await terminal.err.say(`Nothing was compacted, so there is ${diff ? "no diff" : "no page"}.\n`);
    return;
  }
  if (diff) await terminal.out.write(terminal.out.shown(compactionDiff(view, terminal.out)));
  if (html === undefined) return;
  const name = input.name.slice(input.name.lastIndexOf("/") + 1);
  const page = compactPage({ name, format: input.format, view });
  if (html === "-") await terminal.out.write(page);
  else {
    await writeOutput(terminal, html, page, { mode });
    await terminal.err.say(`The page is in ${html}.\n`);
  }
}
