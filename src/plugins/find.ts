/**
 * Plugins on the disk: a folder each, `plugins/context_engine/<name>/` as in Hermes Agent, whose package.json is the manifest.
 * Looking reads manifests alone; no code of a plugin runs before a session needs it.
 */
import { readdirSync, readFileSync, statSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { basename, isAbsolute, join, relative, resolve, sep } from "node:path";
import { PrecisError } from "../core/errors.ts";
import { reasonOf } from "../platform/system-errors.ts";
import { hash } from "node:crypto";

/** The version of the engine contract that this precis speaks; a manifest names the one that its plugin was written for. */
const CONTRACT_VERSION = 1;
/** Where plugins of a folder are in it. */
export const PLUGIN_FOLDER = join("plugins", "context_engine");

const MANIFEST = "package.json";
const MANIFEST_BYTES_MAX = 100_000;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export interface Plugin {
  /** The name of the folder. */
  readonly name: string;
  readonly folder: string;
  readonly version: string;
  readonly description: string;
  /** The module that makes the engine. */
  readonly entry: string;
}

/** A folder whose manifest is not what it should be. */
export interface BrokenPlugin {
  readonly name: string;
  readonly folder: string;
  readonly problem: string;
}

/** The first of that name; throws `bad_plugin` if it is broken. */
export function findPlugin(name: string, folders: readonly string[]): Plugin | undefined {
  if (!NAME.test(name)) return undefined;
  const folder = folders.map((one) => join(resolve(one), name)).find(isFolder);
  if (folder === undefined) return undefined;
  return sound(readPlugin(folder, name));
}

/** The plugin in a folder, wherever that is; throws `bad_plugin`. */
export function pluginAt(folder: string): Plugin {
  const path = resolve(folder);
  return sound(readPlugin(path, basename(path)));
}

function sound(plugin: Plugin | BrokenPlugin): Plugin {
  if (!("problem" in plugin)) return plugin;
  throw new PrecisError(`the plugin "${plugin.name}" cannot be used: ${plugin.problem}`, {
    code: "bad_plugin",
    place: plugin.folder,
    hint: "docs/engines/plugins.md shows what a plugin's folder contains.",
  });
}

/** All of them, in the order in which they are looked for; one whose name came before is shadowed by it. */
export function listPlugins(folders: readonly string[]): readonly (Plugin | BrokenPlugin)[] {
  return folders.flatMap((one) => {
    const root = resolve(one);
    const names = isFolder(root) ? readdirSync(root).toSorted() : [];
    return names
      .filter((name) => NAME.test(name) && isFolder(join(root, name)))
      .map((name) => readPlugin(join(root, name), name));
  });
}

function readPlugin(folder: string, name: string): Plugin | BrokenPlugin {
  const broken = (problem: string): BrokenPlugin => ({ name, folder, problem });
  const manifest = readManifest(join(folder, MANIFEST));
  if (typeof manifest === "string") return broken(manifest);
  const { version, description = "", main = "index.js", precis } = manifest;
  const contract = isRecord(precis) ? precis["contract"] : undefined;
  if (contract !== CONTRACT_VERSION) return broken(wrongContract(contract));
  if (typeof version !== "string") return broken(`its ${MANIFEST} names no version`);
  if (typeof main !== "string" || typeof description !== "string")
    return broken(`main and description in its ${MANIFEST} must be strings`);
  const entry = resolve(folder, main);
  if (!isWithin(folder, entry)) return broken(`its main file ${main} is outside its folder`);
  if (!isFile(entry)) return broken(`its main file ${main} does not exist`);
  return { name, folder, version, description, entry };
}

function wrongContract(found: unknown): string {
  const wanted = `\`"precis": { "contract": ${CONTRACT_VERSION} }\``;
  return found === undefined
    ? `its ${MANIFEST} lacks ${wanted}`
    : `its ${MANIFEST} requires contract ${JSON.stringify(found)}, but this version of precis has ${CONTRACT_VERSION}`;
}

function readManifest(path: string): Readonly<Record<string, unknown>> | string {
  try {
    if (statSync(path).size > MANIFEST_BYTES_MAX) return `its ${MANIFEST} is over ${MANIFEST_BYTES_MAX} bytes long`;
    const manifest: unknown = JSON.parse(readFileSync(path, "utf8"));
    return isRecord(manifest) ? manifest : `its ${MANIFEST} is no object`;
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
    return missing ? `it has no ${MANIFEST}` : `its ${MANIFEST} cannot be read: ${reasonOf(error)}`;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== "" && !way.startsWith("..") && !isAbsolute(way);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

const FILES_MAX = 5_000;
const BYTES_MAX = 64 * 1024 * 1024;

/** @throws PrecisError `bad_plugin` for a folder that is too large to be looked through, or that cannot be held to a hash. */
export function computeFingerprint(folder: string): string {
  const root = realpathSync(folder);
  const lines: string[] = [];
  const open = [""];
  let bytes = 0;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const path = join(root, at);
    const stats = lstatSync(path);
    if (stats.isDirectory()) for (const each of readdirSync(path).map((name) => `${at}/${name}`)) open.push(each);
    else if (stats.isSymbolicLink()) {
      if (!leadsInto(root, path)) throw refused(folder, `its link ${at.slice(1)} leads out of its folder`);
      lines.push(JSON.stringify([at, "link", readlinkSync(path)]));
    } else if (!stats.isFile()) throw refused(folder, `${at.slice(1)} is neither a file nor a folder`);
    else {
      bytes += stats.size;
      if (bytes > BYTES_MAX) throw refused(folder, TOO_LARGE);
      lines.push(JSON.stringify([at, "file", hash("sha256", readFileSync(path))]));
    }
    if (lines.length + open.length > FILES_MAX) throw refused(folder, TOO_LARGE);
  }
  return hash("sha256", lines.toSorted().join("\n"));
}

/** A link that leads nowhere may lead anywhere tomorrow. */
function leadsInto(root: string, link: string): boolean {
  try {
    return realpathSync(link).startsWith(`${root}${sep}`);
  } catch {
    return false;
  }
}

const TOO_LARGE = `it has more than ${FILES_MAX} files or ${BYTES_MAX} bytes`;

function refused(folder: string, because: string): PrecisError {
  return new PrecisError(`the plugin's folder cannot be trusted: ${because}`, {
    code: "bad_plugin",
    place: folder,
    hint: "Fix the folder, or put it next to your own configuration, where it needs no consent.",
  });
}
