/** A part of the page: what is under one heading, from one stored result. */
import type { Absent } from "../load.ts";
import type { Kept } from "../results.ts";

/** Blocks of Markdown, a blank line between any two. */
export type Blocks = readonly string[];

/** How a result came to be, in a line under its heading. */
export function provenance({ command, on, machine, load, quick }: Omit<Kept<unknown>, "figures">): string {
  const { cpu, cores, system, node } = machine;
  const samples = quick ? " **A quick run on a busy machine, with few samples: for its shape, not its figures.**" : "";
  const busy = load === undefined ? "" : `, load average ${load.toFixed(1)}`;
  return `\`${command}\`, ${on}; ${cpu}, ${cores} cores, ${system}, Node ${node}${busy}.${samples}`;
}

export function absentLines(absent: readonly Absent[]): Blocks {
  return absent.length === 0
    ? []
    : [absent.map(({ name, because }) => `- ${name}: not measured: ${because}`).join("\n")];
}
