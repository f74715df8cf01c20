/**
 * The files of the dashboard, as `npm run build` leaves them beside this module. They are few and small, so they are read
 * once. Run from its sources, the gateway has none.
 */
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";

export interface DashboardFile {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly type: string;
}

/** By name; the page itself is `index.html`, and every other name contains a hash of its content. */
export type DashboardFiles = ReadonlyMap<string, DashboardFile>;

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

const BUILT = fileURLToPath(new URL("browser", import.meta.url));

/** Undefined where they were not built. */
export function readDashboardFiles(folder: string = BUILT): DashboardFiles | undefined {
  const files = new Map<string, DashboardFile>();
  for (const name of namesIn(folder)) {
    const type = TYPES[extname(name)];
    if (type !== undefined) files.set(name, { body: Uint8Array.from(readFileSync(join(folder, name))), type });
  }
  return files.has("index.html") ? files : undefined;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
