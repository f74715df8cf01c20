/** Reads what the page of a session shows, and writes it. */
import { createMeasure } from "../core/transcript/measure.ts";
import type { SessionShown } from "../gateway/history/contract.ts";
import { findSession } from "../gateway/history/find.ts";
import type { OpenedHistory } from "./history.ts";
import { writeOutput } from "./files.ts";
import { shownCompaction } from "./pages/compaction-shown.ts";
import { sessionHtml, type NumberedCompaction } from "./pages/session-page.ts";
import type { Terminal } from "./terminal.ts";

/** Shown message by message; of more, the figures. */
const COMPACTIONS_SHOWN_MAX = 5;
/** A page holds what was said: for its owner alone, until they send it. */
const PAGE_MODE = 0o600;

export async function writeSessionPage(
  file: string,
  session: SessionShown,
  { history, kept, tenant, redact }: Pick<OpenedHistory, "history" | "kept" | "tenant" | "redact">,
  terminal: Terminal,
): Promise<void> {
  const which = { tenant, id: session.id };
  const [context, messages, { entry }] = await Promise.all([
    history.context(which),
    history.messages(which),
    findSession(kept, which),
  ]);
  const entries = await kept.listCompactions(tenant, await kept.readLinks(tenant, entry.head));
  const measure = createMeasure();
  const oldest = entries.length - COMPACTIONS_SHOWN_MAX;
  const compactions = entries
    .flatMap(({ compaction }, at): readonly NumberedCompaction[] =>
      at < oldest ? [] : [{ number: at + 1, view: shownCompaction(compaction, messages, { redact, measure }) }],
    )
    .toReversed();
  const page = sessionHtml({ session, context, compactions });
  if (file === "-") return terminal.out.write(page);
  await writeOutput(terminal, file, page, { mode: PAGE_MODE });
  await terminal.err.say(`The page is in ${file}.\n`);
}
