/** Reads what the page of a session shows, and writes it. */
import type { SessionShown } from "../gateway/history/contract.ts";
import type { OpenedHistory } from "./history.ts";
import { writeOutput } from "./files.ts";
import { sessionHtml, type NumberedCompaction } from "./pages/session-page.ts";
import type { Terminal } from "./terminal.ts";

/** Shown message by message; of more, the figures. */
const COMPACTIONS_SHOWN_MAX = 5;
/** A page holds what was said: for its owner alone, until they send it. */
const PAGE_MODE = 0o600;

export async function writeSessionPage(
  file: string,
  session: SessionShown,
  { history, tenant }: Pick<OpenedHistory, "history" | "tenant">,
  terminal: Terminal,
): Promise<void> {
  const which = { tenant, id: session.id };
  const context = await history.context(which);
  const compactions: NumberedCompaction[] = [];
  const oldest = Math.max(1, session.history.length - COMPACTIONS_SHOWN_MAX + 1);
  for (let number = session.history.length; number >= oldest; number--)
    compactions.push({ number, view: await history.compaction(which, number) });
  const page = sessionHtml({ session, context, compactions });
  if (file === "-") return terminal.out.write(page);
  await writeOutput(terminal, file, page, { mode: PAGE_MODE });
  await terminal.err.say(`The page is in ${file}.\n`);
}
