/** The folder that a session works in: paths are written relative to it, and it is named once. */
import { createRoots } from "../ledger/roots.ts";
import type { Ledger } from "../ledger/ledger.ts";

const known = new WeakMap<Ledger, string | undefined>();

/** Where commands run; else the deepest folder that most of the files lie below, without its last slash. */
export function rootOf(ledger: Ledger): string | undefined {
  if (ledger.cwd !== undefined) return ledger.cwd === "/" ? undefined : ledger.cwd;
  if (!known.has(ledger)) {
    const roots = createRoots();
    roots.add(ledger.files.map(({ path }) => ({ paths: [path] })));
    const root = roots.root().replace(/\/$/, "");
    known.set(ledger, root === "" ? undefined : root);
  }
  return known.get(ledger);
}

export function belowRoot(text: string, ledger: Ledger): string {
  const root = rootOf(ledger);
  return root === undefined ? text : text.replaceAll(`${root}/`, "");
}
