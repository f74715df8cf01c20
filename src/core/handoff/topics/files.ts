/** The files that mattered, by the tool that touched them. Those that only the newest messages work on show themselves there. */
import type { FileEntry } from "../../ledger/ledger.ts";
import { LIST_SEPARATOR, recency, type ItemDraft } from "../items.ts";
import type { HandoffMaterial } from "../material.ts";
import { belowRoot } from "../root.ts";
import { uncommitted } from "../work-texts.ts";
import { fileKey } from "./keys.ts";
import type { TopicDefinition } from "./topic.ts";

/** What was changed comes before anything that was only read, however often and lately. */
const STATE_RANK = { created: 5, edited: 5, deleted: 4, read: 1.5, listed: 0.5 } as const;

function fileDrafts(material: HandoffMaterial): readonly ItemDraft[] {
  const { ledger, messages, until, from } = material;
  const fresh = new Set(uncommitted(ledger));
  return ledger.files.flatMap((file) => {
    // What the newest messages only look at, or change again, may have been changed before them.
    const showsItself = file.last >= until && !(file.firstChanged !== undefined && file.firstChanged < until);
    if (showsItself || file.message < from || (file.state === "listed" && !HAS_EXTENSION.test(file.path))) return [];
    const rank =
      STATE_RANK[file.state] + recency(file.last, messages.length) + Math.min(1, (file.reads + file.edits) / 10);
    return [{ rank, order: file.last, group: groupOf(file, fresh.has(file)), write: () => fileText(material, file) }];
  });
}

const HAS_EXTENSION = /\.\w+$/;

function fileText({ ledger, redact, beside }: HandoffMaterial, file: FileEntry): string | undefined {
  const path = belowRoot(file.path, ledger);
  const standing = STATE_RANK[file.state] < STATE_RANK.deleted && beside.includes(path);
  return standing || path === "." || path.includes(LIST_SEPARATOR) ? undefined : redact(path);
}

/** `Edit`, `Edit, uncommitted`, `Bash, deleted`: what was done to a file, in one list for all files that it was done to. */
function groupOf({ tool, state }: FileEntry, fresh: boolean): string {
  if (state === "deleted") return `${tool}, deleted`;
  return fresh ? `${tool}, uncommitted` : tool;
}

/** A file comes back as `group: path`. */
function fileAgain(text: string): Pick<ItemDraft, "write" | "group"> {
  const colon = text.indexOf(": ");
  const path = text.slice(colon < 0 ? 0 : colon + 2);
  return { group: text.slice(0, Math.max(0, colon)), write: () => path };
}

export const files: TopicDefinition = {
  drafts: fileDrafts,
  share: 0.07,
  need: 10,
  layout: "grouped",
  keyOf: fileKey,
  carried: { rank: 0.5, again: fileAgain },
  model: { place: 12 },
};
