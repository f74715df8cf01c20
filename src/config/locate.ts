/** Where things are: the project's configuration, looking upward; the user's own; and the history that the gateway keeps. */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { Environment } from "./environment.ts";
import { isIP } from "node:net";

/** The name that the Hermes Agent docs use. */
const PLUGINS = join("plugins", "context_engine");
const PROJECT_FILES = ["precis.yaml", join(".precis", "config.yaml")];

/**
 * The project's files in the nearest folder that has one, from `folder` upward; more than one is for the caller to
 * refuse.
 */
export function projectFiles(folder: string): readonly string[] {
  for (const at of upwardFrom(folder)) {
    const found = PROJECT_FILES.map((name) => join(at, name)).filter(existsSync);
    if (found.length > 0) return found;
  }
  return [];
}

/** A search for what belongs to a project ends at the top of the repository, at the home folder or at the root. */
function upwardFrom(folder: string): readonly string[] {
  const folders: string[] = [];
  let at = resolve(folder);
  for (;;) {
    folders.push(at);
    const parent = dirname(at);
    if (existsSync(join(at, ".git")) || at === homedir() || parent === at) return folders;
    at = parent;
  }
}

/** The user's file: in `%APPDATA%` on Windows, else in `$XDG_CONFIG_HOME` or `~/.config`; it need not exist. */
export function userFile(environment: Environment, platform: NodeJS.Platform): string {
  const { APPDATA, XDG_CONFIG_HOME } = environment;
  const home = environment["HOME"] ?? homedir();
  const folder = platform === "win32" && APPDATA ? APPDATA : XDG_CONFIG_HOME ? XDG_CONFIG_HOME : join(home, ".config");
  return join(folder, "precis", "config.yaml");
}

/** Where plugins are looked for: in the nearest folder from `folder` upward that has some, then beside the user's file. */
export function pluginFolders(
  folder: string,
  environment: Environment,
  platform: NodeJS.Platform,
): readonly [project: string, user: string] {
  const own = upwardFrom(folder).find((at) => existsSync(join(at, PLUGINS)));
  const user = dirname(userFile(environment, platform));
  return [join(own ?? resolve(folder), PLUGINS), join(user, PLUGINS)];
}

/** A file that precis keeps for itself: in `%LOCALAPPDATA%` on Windows, else in `$XDG_STATE_HOME` or `~/.local/state`. */
export function stateFile(name: string, environment: Environment, platform: NodeJS.Platform): string {
  const { LOCALAPPDATA, XDG_STATE_HOME } = environment;
  const home = environment["HOME"] ?? homedir();
  const state = XDG_STATE_HOME ? XDG_STATE_HOME : join(home, ".local", "state");
  return join(platform === "win32" && LOCALAPPDATA ? LOCALAPPDATA : state, "precis", name);
}

/** The history's file: in `%LOCALAPPDATA%` on Windows, else in `$XDG_DATA_HOME` or `~/.local/share`; it need not exist. */
export function historyFile(environment: Environment, platform: NodeJS.Platform): string {
  const { LOCALAPPDATA, XDG_DATA_HOME } = environment;
  const home = environment["HOME"] ?? homedir();
  const data = XDG_DATA_HOME ? XDG_DATA_HOME : join(home, ".local", "share");
  return join(platform === "win32" && LOCALAPPDATA ? LOCALAPPDATA : data, "precis", "history.db");
}

export function isLoopback(host: string): boolean {
  const bare = host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host;
  if (isIP(bare) === 4) return bare.startsWith("127.");
  return bare === "::1" || bare.toLowerCase() === "localhost" || bare.toLowerCase().endsWith(".localhost");
}
