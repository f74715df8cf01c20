/** Plugins as a person reads them: all of them, and what became of a check. */
import { shortPath } from "../config/load.ts";
import { wrapped } from "../config/wrap.ts";
import type { CheckName } from "../core/engines/suite/fault.ts";
import { FAULTS, type FaultKind } from "../plugins/fault.ts";
import { counted } from "./amounts.ts";
import { clip, columnWidths, padEnd } from "./bars.ts";
import type { FoundPlugin, FoundPlugins } from "./plugins-found.ts";
import type { Stream, Terminal } from "./terminal.ts";
import { visibleLine } from "./visible.ts";

export interface CheckedPlugin {
  readonly name: string;
  readonly version: string;
  readonly folder: string;
  /** How many it was tried on, at most. */
  readonly transcripts: number;
  readonly kept: boolean;
  readonly broken: BrokenPromise | null;
}

export interface BrokenPromise {
  readonly fault: FaultKind;
  /** Which promise of the contract, where one was broken. */
  readonly promise: CheckName | null;
  readonly text: string;
  /** The transcript. */
  readonly on: string;
  /** Where in the plugin, as far as the error says. */
  readonly place: string | null;
}

const NAME_COLUMNS = 10;

export function pluginList({ engine, means, plugins, folders, builtIn }: FoundPlugins, terminal: Terminal): string {
  const { paint, columns } = terminal.out;
  const rows = plugins.map((one) => [
    one.inForce ? "→" : " ",
    one.name,
    visibleLine(one.version ?? "?"),
    visibleLine(shortPath(one.folder, terminal)),
  ]);
  const widths = columnWidths(rows);
  const lines = plugins.flatMap((one, at) => {
    const [mark = "", name = "", version = "", folder = ""] = rows[at]!.map((cell, of) => padEnd(cell, widths[of]!));
    const remark = noteOn(one);
    const drawn = `${paint("good", mark)} ${paint("accent", name)}  ${version}  ${paint("dim", folder)}`.trimEnd();
    return [drawn, ...(remark === "" ? [] : [`  ${paint("warn", clip(remark, columns - 2))}`])];
  });
  const none = `no plugin in ${folders.map((folder) => shortPath(folder, terminal)).join(" or ")}`;
  const says = { plugin: "a plugin", "built-in": "built in", nothing: "nothing there is" }[means];
  const named = `context.engine is ${engine}: ${means === "nothing" ? paint("bad", says) : says}`;
  const others = wrapped(`built in: ${builtIn.join(", ")}`, columns);
  return `${[...(lines.length === 0 ? wrapped(none, columns) : lines), "", named, ...others.map((line) => paint("dim", line))].join("\n")}\n`;
}

function noteOn({ name, problem, shadowed, trusted }: FoundPlugin): string {
  if (problem !== null) return problem;
  if (!trusted) return `not used before you trust its code: \`precis plugins trust ${name}\``;
  return shadowed ? "not used: another engine has the same name" : "";
}

export function checkPage({ name, version, transcripts, broken }: CheckedPlugin, stream: Stream): string {
  const { paint } = stream;
  const title = `${paint("strong", name)} ${version}`;
  if (broken === null)
    return `${title}  ${paint("good", "keeps the contract")} on ${counted(transcripts, "transcript")}\n`;
  const { fault, promise, text, on, place } = broken;
  return `${title}  ${paint("bad", "breaks the contract")}\n${rowLines(
    [
      ["promise", promise ?? FAULTS[fault]],
      ["what", text],
      ["on", on],
      ...(place === null ? [] : [["at", place] as const]),
    ],
    stream,
  )}`;
}

function rowLines(rows: readonly (readonly [string, string])[], { paint, columns }: Stream): string {
  const lines = rows.flatMap(([name, says]) =>
    wrapped(says, columns - NAME_COLUMNS - 2).map(
      (line, at) => `  ${paint("dim", padEnd(at === 0 ? name : "", NAME_COLUMNS))}${line}`,
    ),
  );
  return `${lines.join("\n")}\n`;
}
