/** What a command about a store prints: named values for a person, or JSON. */
import { columnWidths, padEnd } from "./bars.ts";
import type { Arguments } from "./command.ts";
import type { Terminal } from "./terminal.ts";

export type Row = readonly [name: string, value: string];

export async function printResult(
  args: Arguments,
  { out }: Terminal,
  data: object,
  rows: readonly Row[],
): Promise<void> {
  if (args.is("json")) return out.write(`${JSON.stringify(data, null, 2)}\n`);
  const [left = 0] = columnWidths(rows);
  return out.say(`${rows.map(([name, value]) => `${padEnd(name, left)}  ${value}`).join("\n")}\n`);
}
