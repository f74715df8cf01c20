/** A network with nothing in it but this machine's loopback: what runs inside reaches the gateway and nothing else. */
import { execFileSync, spawnSync } from "node:child_process";

/** Set for the process inside. */
const INSIDE = "PRECIS_E2E_INSIDE";

export function isInside(): boolean {
  return process.env[INSIDE] === "1";
}

/** Runs this program once more with the same words in a network of its own, and answers with its exit code. */
export function goInside(): number {
  const words = ["-rn", process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  const { status, error } = spawnSync("unshare", words, { stdio: "inherit", env: { ...process.env, [INSIDE]: "1" } });
  if (error !== undefined) throw new Error(`no network namespace: ${error.message}`, { cause: error });
  return status ?? 1;
}

/** Whether a network of its own can be had here. */
export function hasNamespaces(): boolean {
  return spawnSync("unshare", ["-rn", "ip", "link", "set", "lo", "up"]).status === 0;
}

/** To be called first inside. */
export function bringUpLoopback(): void {
  execFileSync("ip", ["link", "set", "lo", "up"]);
}
