/** The folder a client works in, rebuilt for each: source files and a log of our own making, some of them large. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { partLine, WORKSPACE } from "./task.ts";

export async function makeWorkspace(folder: string): Promise<void> {
  for (const name of ["src", "logs", "notes"]) await mkdir(join(folder, name), { recursive: true });
  const { parts, nameOf, linesPerPart, logLines } = WORKSPACE;
  for (const part of parts) {
    const lines = Array.from({ length: linesPerPart }, (_, line) => partLine(part, line));
    await writeFile(join(folder, nameOf(part)), `${lines.join("\n")}\n`);
  }
  await writeFile(join(folder, "logs", "weighing.log"), `${Array.from({ length: logLines }, logLine).join("\n")}\n`);
}

/** Between two stages somebody else changes a file that was read: clients that watch their files tell the model. */
export async function touchedByOthers(folder: string, stage: number): Promise<void> {
  await writeFile(join(folder, WORKSPACE.nameOf(2)), `export const replaced_after_stage = ${stage};\n`);
}

const FAILS_EVERY = 13;

function logLine(_: unknown, at: number): string {
  const clock = `${String(Math.floor(at / 60) % 24).padStart(2, "0")}:${String(at % 60).padStart(2, "0")}`;
  const state = at % FAILS_EVERY === 0 ? "FAILED: scale 4 gave no reading" : `ok, ${(at * 7919) % 9973} g`;
  return `${clock} weighing ${at} of part ${(at % WORKSPACE.parts.length) + 1}: ${state}`;
}
