/** Which messages show a file that the conversation edits or writes, at whatever time: folded message by message. */
import type { CallSummary } from "../digest/call.ts";

export interface Edits {
  /** For each message: whether it answers a call that names such a file. */
  readonly shown: readonly boolean[];
  /** The next message: the calls that it makes, and the one that it answers. */
  readonly add: (calls: readonly CallSummary[], answered: CallSummary | undefined) => void;
}

export function createEdits(): Edits {
  const edited = new Set<string>();
  const messagesOf = new Map<string, number[]>();
  const shown: boolean[] = [];
  const edit = (name: string): void => {
    if (edited.has(name)) return;
    edited.add(name);
    for (const message of messagesOf.get(name) ?? []) shown[message] = true;
  };
  return {
    shown,
    add: (calls, answered) => {
      for (const { action, paths } of calls)
        if (action === "edit" || action === "write") for (const path of paths) edit(nameOf(path));
      const names = (answered?.paths ?? []).map(nameOf);
      const message = shown.push(names.some((name) => edited.has(name))) - 1;
      for (const name of names) {
        const messages = messagesOf.get(name);
        if (messages === undefined) messagesOf.set(name, [message]);
        else messages.push(message);
      }
    },
  };
}

/** The last two components: one file is named in full here and relatively there. */
function nameOf(path: string): string {
  const parent = path.lastIndexOf("/", path.lastIndexOf("/") - 1);
  return path.slice(parent + 1);
}
