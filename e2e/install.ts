/**
 * Clients come from npm into a folder of their own, `~/.cache/precis-clients` (or `XDG_CACHE_HOME`), once for each version.
 * Their install scripts do not run: the binaries are packages of their own.
 */
import { execFile } from "node:child_process";
import { access, mkdir, readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { installFromPyPI } from "../test/support/python.ts";
import type { Client } from "./client.ts";

const INSTALL_MS_MAX = 10 * 60_000;
const REASON_CHARS_MAX = 200;

export type Installed =
  | { readonly kind: "installed"; readonly folder: string }
  /** Why it could not be: no registry, or a version that it does not serve. */
  | { readonly kind: "missing"; readonly because: string };

/** Without the network, which a run does not have: npm would wait for it for minutes. */
export async function findInstalled(client: Client): Promise<Installed> {
  const folder = folderOf(client);
  return (await isThere(folder, client))
    ? { kind: "installed", folder }
    : { kind: "missing", because: "not installed" };
}

export async function install(client: Client): Promise<Installed> {
  const folder = folderOf(client);
  if (await isThere(folder, client)) return { kind: "installed", folder };
  if (client.isPython) return installPython(client);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), '{"private":true}\n');
  const what = `${client.package}@${client.version}`;
  const { beside = [] } = client;
  const peers = beside.length === 0 ? [] : ["--legacy-peer-deps", ...beside];
  const words = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error", what, ...peers];
  try {
    await promisify(execFile)("npm", words, { cwd: folder, timeout: INSTALL_MS_MAX });
  } catch (error) {
    return { kind: "missing", because: reasonOf(String((error as { readonly stderr?: unknown }).stderr ?? error)) };
  }
  if (await isThere(folder, client)) return { kind: "installed", folder };
  return { kind: "missing", because: `npm installed no program for ${process.platform} ${process.arch}` };
}

async function installPython({ name, package: wanted, version }: Client): Promise<Installed> {
  const done = await installFromPyPI(name, `${wanted}==${version}`);
  return done.kind === "missing" ? done : { kind: "installed", folder: dirname(done.bin) };
}

function folderOf({ name, version }: Client): string {
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  return join(cache, "precis-clients", `${name}-${version}`);
}

async function isThere(folder: string, client: Client): Promise<boolean> {
  try {
    const [program] = client.program({ installed: folder, home: "", workspace: "", base: "" }).slice(-1);
    await access(program!);
    if (client.isPython) return true;
    const own = join(folder, "node_modules", client.package, "package.json");
    const { version } = JSON.parse(await readFile(own, "utf8")) as { readonly version: unknown };
    return version === client.version;
  } catch {
    return false;
  }
}

function reasonOf(complaint: string): string {
  const line = complaint.split("\n").find((one) => one.startsWith("npm error") && !one.startsWith("npm error code"));
  return (line ?? complaint).replace("npm error ", "").slice(0, REASON_CHARS_MAX);
}

/** Says which cannot be had here. */
export async function installAll(clients: readonly Client[], say: (line: string) => void): Promise<void> {
  for (const client of clients) {
    const done = await install(client);
    if (done.kind === "missing") say(`${client.title} ${client.version} is skipped: ${done.because}`);
  }
}
