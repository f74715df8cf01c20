/** How much processor time a process has used, by what Linux says of it in /proc. */
import { readdirSync, readFileSync } from "node:fs";

/** `getconf CLK_TCK`, which is 100 on every Linux of today. */
const MS_PER_TICK = 10;
/** Fields of /proc/PID/stat after the name, which may contain spaces and ends with the last bracket. */
const PARENT = 1;
const USED = [11, 12];
const USED_BY_ENDED_CHILDREN = [13, 14];

/** Of all its threads, in milliseconds. */
export function processorMs(pid: number): number {
  return ticks(statOf(pid), USED) * MS_PER_TICK;
}

/** Of a process and all of its children, those that have ended included. */
export function familyProcessorMs(parent: number): number {
  const children = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => statOf(Number(name)))
    .filter((fields) => Number(fields[PARENT]) === parent);
  const own = statOf(parent);
  const all = [ticks(own, USED), ticks(own, USED_BY_ENDED_CHILDREN), ...children.map((child) => ticks(child, USED))];
  return all.reduce((sum, one) => sum + one, 0) * MS_PER_TICK;
}

function statOf(pid: number): readonly string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}

function ticks(fields: readonly string[], which: readonly number[]): number {
  return which.reduce((sum, at) => sum + Number(fields[at] ?? 0), 0);
}
