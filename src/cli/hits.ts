/** Places that hold what was searched for: each under the words that `precis recall` takes, with the lines around it. */
import { titleOf } from "../core/recall/messages.ts";
import type { Role } from "../core/transcript/message.ts";
import { clip } from "./bars.ts";
import type { Stream } from "./terminal.ts";
import { visible, visibleLine } from "./visible.ts";

export interface HitShown {
  /** A session's id, or a recall id. */
  readonly id: string;
  /** What it is, where it is no message. */
  readonly label?: string;
  readonly number?: number;
  readonly role?: Role;
  /** Of a message that left its conversation too. */
  readonly recall?: string;
  readonly text: string;
  /** Words that it does not hold. */
  readonly missing?: readonly string[];
}

const ID_COLUMNS_MAX = 28;
const LABEL_COLUMNS_MAX = 60;

export function listed(hits: readonly HitShown[], { paint }: Stream): string {
  return hits
    .map(({ id, label = "", number, role, recall, text, missing = [] }) => {
      const place =
        number === undefined || role === undefined
          ? clip(visibleLine(label), LABEL_COLUMNS_MAX)
          : titleOf({ number, role, tools: [] });
      const notes = [
        ...(recall === undefined ? [] : [`in ${recall}`]),
        ...(missing.length === 0 ? [] : [`without ${missing.join(", ")}`]),
      ];
      const lines = visible(text)
        .split("\n")
        .map((line) => `  ${line}`.trimEnd());
      const head = [paint("accent", clip(id, ID_COLUMNS_MAX)), place].join(" ");
      return `${[head, ...notes.map((note) => paint("dim", note))].join(", ")}\n${lines.join("\n")}\n`;
    })
    .join("\n");
}
