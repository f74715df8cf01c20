/** Where things are: the project's configuration, looking upward; the user's own; and the history that the gateway keeps. */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { Environment } from "./environment.ts";

const PROJECT_FILES = ["precis.yaml", join(".precis", "config.yaml")];

/**
 * The project's files in the nearest folder that has one, from `folder` upward; more than one is for the caller to
 * refuse. The search ends at the top of the repository, at the home folder or at the root.
 */
export function projectFiles(folder: string): readonly string[] {
  let at = resolve(folder);
  for (;;) {
    const found = PROJECT_FILES.map((name) => join(at, name)).filter(existsSync);
    const parent = dirname(at);
    if (found.length > 0 || existsSync(join(at, ".git")) || at === homedir() || parent === at) return found;
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

/** The history's file: in `%LOCALAPPDATA%` on Windows, else in `$XDG_DATA_HOME` or `~/.local/share`; it need not exist. */
export function historyFile(environment: Environment, platform: NodeJS.Platform): string {
  const { LOCALAPPDATA, XDG_DATA_HOME } = environment;
  const home = environment["HOME"] ?? homedir();
  const data = XDG_DATA_HOME ? XDG_DATA_HOME : join(home, ".local", "share");
  return join(platform === "win32" && LOCALAPPDATA ? LOCALAPPDATA : data, "precis", "history.db");
}
