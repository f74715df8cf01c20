/** What the doctor is given to look at, and what a check finds, with what to do about it. */
import type { Loaded } from "../../config/load.ts";
import type { Terminal } from "../screen/terminal.ts";

export const AREAS = ["node", "configuration", "store", "upstreams", "keys", "windows", "port", "clients"] as const;

export type Area = (typeof AREAS)[number];

/** `fault`: it does not work, or not correctly. `warning`: probably not what was intended. `note`: nothing to fix. */
export type Level = "fine" | "note" | "warning" | "fault";

export interface Finding {
  readonly area: Area;
  readonly level: Level;
  /** Stable, snake_case. */
  readonly code: string;
  readonly says: string;
  /** What to do; there for every fault and warning. */
  readonly fix?: string;
}

export function fine(area: Area, code: string, says: string): Finding {
  return { area, level: "fine", code, says };
}

export function note(area: Area, code: string, says: string): Finding {
  return { area, level: "note", code, says };
}

interface FindingText {
  readonly says: string;
  readonly fix: string;
}

export function warning(area: Area, code: string, text: FindingText): Finding {
  return { area, level: "warning", code, ...text };
}

export function fault(area: Area, code: string, text: FindingText): Finding {
  return { area, level: "fault", code, ...text };
}

export interface Examination {
  readonly loaded: Loaded;
  readonly terminal: Terminal;
  readonly store: string | undefined;
  readonly offline: boolean;
}
