/** Rows as a person reads them, and the machine they come from. */
import { arch, cpus, platform } from "node:os";

export const MACHINE = {
  cpu: cpus()[0]?.model.trim() ?? "unknown",
  cores: cpus().length,
  system: `${platform()} ${arch()}`,
  node: process.version,
};

export const machineLine = (): string =>
  `${MACHINE.cpu}, ${MACHINE.cores} cores, ${MACHINE.system}, Node ${MACHINE.node}`;

/** Columns padded to their widest cell; the first to the left, the others to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]!.length)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
      .join("  ")
      .trimEnd();
  return [line(head), widths.map((width) => "-".repeat(width)).join("  "), ...rows.map(line)].join("\n");
}
