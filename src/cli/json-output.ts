/** The flag `--json` of a command, and what it prints. */
import type { Terminal } from "./terminal.ts";

export const JSON_ARG = { json: { type: "boolean", description: "Print JSON." } } as const;

export function writeJson({ out }: Pick<Terminal, "out">, data: unknown): Promise<void> {
  return out.write(`${JSON.stringify(data, null, 2)}\n`);
}
