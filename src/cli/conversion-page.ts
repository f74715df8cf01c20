/** What a conversion carried, changed and lost, for a person. */
import { wrapped } from "../config/wrap.ts";
import { FORMATS, type Converted } from "../logs/index.ts";
import type { Destination } from "../logs/places.ts";
import { counted } from "./amounts.ts";
import type { Stream } from "./terminal.ts";

export function conversionPage(converted: Converted, place: Destination | undefined, stream: Stream): string {
  const { from, to, messages, live, compactions, remarks, notes, cwd } = converted;
  const { paint, columns } = stream;
  const list = (title: string, items: readonly string[], look: "bad" | "warn" | "dim"): readonly string[] =>
    items.length === 0
      ? []
      : [
          paint(look, title),
          ...items.flatMap((item) =>
            wrapped(item, columns - 4).map((line, at) => `${at === 0 ? "  - " : "    "}${line}`),
          ),
        ];
  const of = (kind: "lost" | "changed"): readonly string[] =>
    remarks.filter((one) => one.kind === kind).map(({ text }) => text);
  const behind = live < messages ? `, ${live} of them live behind ${counted(compactions, "compaction")}` : "";
  return [
    `${paint("strong", `${FORMATS[from].title} → ${FORMATS[to].title}`)}  ${counted(messages, "message")}${behind}`,
    ...list("Lost", of("lost"), "bad"),
    ...list("Changed", of("changed"), "warn"),
    ...list(
      "Left out or repaired when it was read",
      notes.map(({ line, text }) => (line > 0 ? `line ${line}: ${text}` : text)),
      "dim",
    ),
    ...(place === undefined ? [] : [`Written to ${place.path}`]),
    ...(place === undefined || place.resume.length === 0
      ? []
      : [`Go on with: ${cwd === undefined ? "" : `cd ${quoted(cwd)} && `}${place.resume.join(" ")}`]),
    "",
  ].join("\n");
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
