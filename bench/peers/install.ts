/** Installs the peers into their own folder when they are not there, or older than their lock file. */
import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";

const FOLDER = import.meta.dirname;

/** Without their install scripts: none is needed, and a peer's script is nobody's business here. */
export function installPeers(): void {
  const lock = join(FOLDER, "package-lock.json");
  const mark = join(FOLDER, "node_modules", ".package-lock.json");
  if (existsSync(mark) && statSync(mark).mtimeMs >= statSync(lock).mtimeMs) return;
  process.stderr.write("installing the peers into bench/peers (once, some 270 MB)\n");
  const { status } = spawnSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: FOLDER,
    stdio: ["ignore", 2, 2],
  });
  if (status !== 0) throw new Error("npm ci in bench/peers failed; see its own words above");
}
