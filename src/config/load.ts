/** The configuration of a run: finds the files, reads every source, and loads the validator only when there is one. */
import { hash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, relative, resolve as resolvePath } from "node:path";
import { reasonOf } from "../platform/system-errors.ts";
import { DEFAULTS } from "./defaults.ts";
import type { Environment } from "./environment.ts";
import { projectFiles, userFile } from "./locate.ts";
import { configurationError, type Problem } from "./problems.ts";
import type { Resolved } from "./resolve.ts";
import type { Configuration } from "./schema.ts";
import type { Source } from "./source.ts";

export interface LoadEnvironment {
  /** The folder to look from. */
  readonly folder: string;
  readonly environment: Environment;
  readonly platform: NodeJS.Platform;
}

/** A setting given on the command line. */
export interface Flag {
  readonly path: string;
  readonly text: string;
  /** As shown to a person: `--context-length`. */
  readonly label: string;
}

export interface Request extends LoadEnvironment {
  readonly flags?: readonly Flag[];
  /** Read instead of the project's file, and taken as the person's own word; `PRECIS_CONFIG` does the same. */
  readonly file?: string | undefined;
}

export interface ConfigurationFile {
  readonly path: string;
  readonly kind: "project" | "named" | "user";
}

export interface Loaded extends Resolved {
  readonly files: readonly ConfigurationFile[];
}

/** Larger than any configuration a person writes. */
const FILE_BYTES_MAX = 1_000_000;

/** The settings alone. Throws a `PrecisError` with the code `bad_configuration`. */
export async function loadConfiguration(request: Request): Promise<Configuration> {
  const { files, problems } = filesOf(request);
  const variables = Object.entries(request.environment).some(([name, text]) => text && /^PRECIS_[A-Z]+_/.test(name));
  const bare = files.length === 0 && problems.length === 0 && !variables && (request.flags ?? []).length === 0;
  if (bare) return DEFAULTS;
  const loaded = await resolveAll(request);
  if (loaded.problems.length > 0) throw configurationError(loaded.problems);
  return loaded.configuration;
}

/** The settings with their provenance and everything that is wrong; throws nothing for a bad value. */
export async function resolveAll(request: Request): Promise<Loaded> {
  const [{ resolve }, { readEnvironment, valueFor }] = await Promise.all([
    import("./resolve.ts"),
    import("./environment.ts"),
  ]);
  const found = filesOf(request);
  const problems: Problem[] = [...found.problems];
  const sources: Source[] = [];
  for (const file of found.files) sources.push({ kind: file.kind, stated: await readFile(file, request, problems) });
  const environment = readEnvironment(request.environment);
  for (const each of environment.problems) problems.push(each);
  sources.push({ kind: "environment", stated: environment.stated });
  const flags = (request.flags ?? []).map(({ path, text, label }) => ({
    path,
    value: valueFor(path, text),
    place: label,
  }));
  sources.push({ kind: "flag", stated: flags });
  const resolved = resolve(sources);
  for (const each of [...resolved.problems, ...(await problemsOfPatterns(resolved))]) problems.push(each);
  return { ...resolved, files: found.files, problems };
}

/** What RE2 makes of the patterns can only be said by RE2, which is loaded only where there are some. */
async function problemsOfPatterns({ configuration, provenance }: Resolved): Promise<readonly Problem[]> {
  const path = "redaction.patterns";
  const { patterns } = configuration.redaction;
  if (patterns.length === 0) return [];
  const { patternProblems } = await import("../secrets/patterns.ts");
  const { place } = provenance.get(path)!;
  return patternProblems(patterns).map(({ index, message, fix }) => {
    const which = index === undefined ? "" : ` number ${index + 1}, \`${shown(patterns[index]!)}\``;
    return { code: "bad_value", place, message: `\`${path}\`${which}: ${message}`, fix };
  });
}

const PATTERN_SHOWN_CHARS_MAX = 60;

function shown(pattern: string): string {
  return pattern.length > PATTERN_SHOWN_CHARS_MAX ? `${pattern.slice(0, PATTERN_SHOWN_CHARS_MAX)}…` : pattern;
}

/** From the weakest to the strongest. */
function filesOf(request: Request): { files: readonly ConfigurationFile[]; problems: readonly Problem[] } {
  const user = userFile(request.environment, request.platform);
  const files: ConfigurationFile[] = existsSync(user) ? [{ path: user, kind: "user" }] : [];
  const named = request.file ?? (request.environment["PRECIS_CONFIG"] || undefined);
  if (named !== undefined) {
    const path = isAbsolute(named) ? named : join(request.folder, named);
    return { files: [...files, { path, kind: "named" }], problems: [] };
  }
  const project = projectFiles(request.folder);
  const problems = project.length > 1 ? [twoFiles(project, request)] : [];
  const [first] = project;
  return {
    files: first === undefined || first === user ? files : [...files, { path: first, kind: "project" }],
    problems,
  };
}

async function readFile(file: ConfigurationFile, request: Request, problems: Problem[]): Promise<Source["stated"]> {
  const label = shortPath(file.path, request);
  let text: string;
  try {
    text = textOf(file.path, { regular: file.kind === "project" });
  } catch (error) {
    problems.push({
      code: "unreadable",
      place: label,
      message: `cannot read ${label}: ${reasonOf(error)}`,
      fix: "Check the path and its permissions.",
    });
    return [];
  }
  const { readYaml } = await import("./yaml-source.ts");
  const { stated, problems: wrong } = readYaml(text, label);
  for (const each of wrong) problems.push(each);
  if (file.kind !== "project") return stated;
  const [{ isTrusted }, { allowedOf }] = await Promise.all([import("./trust.ts"), import("./project-settings.ts")]);
  // The very text that is used, not what the file holds by then.
  if (isTrusted(file.path, hashOf(text), request)) return stated;
  const allowed = allowedOf(stated, label);
  for (const each of allowed.problems) problems.push(each);
  return allowed.stated;
}

/** The project's file as it is, what it sets, and what of that it may not set by itself. */
export interface ProjectFile {
  readonly path: string;
  readonly hash: string;
  /** Paths of the settings, with their places. */
  readonly refused: Source["stated"];
}

/** The file of this name, or the project's that is found from where one is; undefined where there is none. */
export async function projectFile(request: Request): Promise<ProjectFile | undefined> {
  const path = request.file === undefined ? projectFiles(request.folder)[0] : resolvePath(request.folder, request.file);
  if (path === undefined) return undefined;
  const [{ readYaml }, { allowedOf }] = await Promise.all([
    import("./yaml-source.ts"),
    import("./project-settings.ts"),
  ]);
  const text = textOf(path, { regular: true });
  const label = shortPath(path, request);
  const { stated, problems } = readYaml(text, label);
  if (problems.length > 0) throw configurationError(problems);
  const allowed = new Set(allowedOf(stated, label).stated);
  return { path, hash: hashOf(text), refused: stated.filter((one) => !allowed.has(one)) };
}

/** Whatever was found and not named might be a pipe that nobody ever writes to. */
function textOf(path: string, { regular }: { readonly regular: boolean }): string {
  const stats = statSync(path);
  if (regular && !stats.isFile()) throw new Error("it is not a file");
  if (stats.size > FILE_BYTES_MAX) throw new Error(`it is ${stats.size} bytes long, more than ${FILE_BYTES_MAX}`);
  return readFileSync(path, "utf8");
}

function hashOf(text: string): string {
  return hash("sha256", text);
}

/** A path as a person would write it from where they are. */
export function shortPath(path: string, { folder, environment }: LoadEnvironment): string {
  const near = relative(folder, path);
  if (near !== "" && !near.startsWith("..") && !isAbsolute(near)) return near;
  const home = environment["HOME"] ?? homedir();
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

function twoFiles(files: readonly string[], request: Request): Problem {
  const [first, second] = files.map((file) => shortPath(file, request));
  return {
    code: "two_files",
    place: second!,
    message: `both ${first} and ${second} configure this project`,
    fix: "Move the settings into one and delete the other.",
  };
}
