/** `lcm_describe`: what a node stands for, and what it was made of. */
import { written } from "../../recall/pages.ts";
import type { ToolAnswer } from "../contract.ts";
import { nodeOf, type Dag, type DagNode } from "./dag.ts";
import { noRecord, type ToolArguments, type BoundedSources } from "./reading.ts";

export function describe(dag: Dag, { id }: ToolArguments, { tokensMax }: BoundedSources): Promise<ToolAnswer> {
  const node = id === undefined ? undefined : nodeOf(dag, id);
  if (id !== undefined && node === undefined) return Promise.resolve(noRecord(id));
  const listed = node === undefined ? dag.roots : node.sources.flatMap((source) => nodeOf(dag, source) ?? []);
  const head = node === undefined ? headOfAll(dag) : `${lineOf(node)}${listed.length === 0 ? "" : "\nMade of:"}`;
  const rest = (shown: number): string =>
    shown < listed.length
      ? `(${listed.length - shown} more)`
      : "lcm_expand gives the messages behind an id, or those with given numbers.";
  return Promise.resolve({ text: written({ head, body: listed.map(lineOf), rest }, tokensMax), quotes: [] });
}

function headOfAll({ roots, buried }: Dag): string {
  if (roots.length === 0) return "Nothing has left this conversation.";
  return `${roots.length} records, oldest first; ${buried.length} smaller ones under them:`;
}

function lineOf({ id, depth, from, until, stands }: DagNode): string {
  return `${id}: messages ${from + 1} to ${until}, about ${stands} tokens; depth ${depth}`;
}
