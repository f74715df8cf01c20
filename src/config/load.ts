/** The configuration of a run: finds the files, reads every source, and loads the validator only when there is one. */
import { hash } from "node:crypto";
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, resolve as resolvePath } from "node:path";
import { PrecisError } from "../core/errors.ts";
import { reasonOf } from "../platform/system-errors.ts";
import { DEFAULTS } from "./defaults.ts";
import type { Environment } from "./environment.ts";
import { projectFiles, userFile } from "./locate.ts";
import { configurationError, type Problem, type Source, type Statements } from "./problems.ts";
import type { Resolved } from "./resolve.ts";
import type { Configuration } from "./schema.ts";

export interface LoadEnvironment {
  readonly folder: string;
  readonly environment: Environment;
  readonly platform: NodeJS.Platform;
}

export interface Flag {
  readonly path: string;
  readonly text: string;
  readonly label: string;
}

export interface Request extends LoadEnvironment {
  readonly flags?: readonly Flag[];
  /** Read instead of the project's file, and taken as the person's own word; `PRECIS_CONFIG` does the same. */
  readonly file?: string | undefined;
  /** Called with what of a project's file does not count because the person has not agreed to it; without this, that is an error. */
  readonly leaveOut?: ((why: PrecisError) => Promise<void>) | undefined;
}

export interface ConfigurationFile {
  readonly path: string;
  readonly kind: "project" | "named" | "user";
}

export interface Loaded extends Resolved {
  readonly files: readonly ConfigurationFile[];
}

/** Larger than any configuration that a person writes; every command in a project reads its file. */
const FILE_BYTES_MAX = 1_000_000;
const PROJECT_FILE_BYTES_MAX = 64_000;

/** The settings alone. Throws a `PrecisError` with the code `bad_configuration`. */
export async function loadConfiguration(request: Request): Promise<Configuration> {
  const { files, problems } = findFiles(request);
  const variables = Object.entries(request.environment).some(([name, text]) => text && /^PRECIS_[A-Z]+_/.test(name));
  const bare = files.length === 0 && problems.length === 0 && !variables && (request.flags ?? []).length === 0;
  if (bare) return DEFAULTS;
  const loaded = await resolveAll(request);
  if (loaded.problems.length > 0) throw configurationError(loaded.problems);
  return loaded.configuration;
}

/** The settings with their provenance and everything that is wrong; throws nothing for a bad value. */
export async function resolveAll(request: Request): Promise<Loaded> {
  const { readEnvironment, valueFor } = await import("./environment.ts");
  const { files, problems: found } = findFiles(request);
  const read = await Promise.all(files.map((file) => readFile(file, request)));
  const flags = (request.flags ?? []).map(({ path, text, label }) => ({
    path,
    value: valueFor(path, text),
    place: label,
  }));
  const sources: readonly SourceRead[] = [
    { kind: "project", stated: [], problems: found, isAgreedTo: read.at(-1)?.isAgreedTo !== false },
    ...read,
    { kind: "environment", ...readEnvironment(request.environment) },
    { kind: "flag", stated: flags, problems: [] },
  ];
  const whole = await resolveSources(sources);
  const rest = sources.filter(({ isAgreedTo = true }) => isAgreedTo);
  if (request.leaveOut === undefined || whole.problems.length === 0 || rest.length === sources.length)
    return { ...whole, files };
  const without = await resolveSources(rest);
  const others = new Set(without.problems.map(({ place, message }) => `${place} ${message}`));
  const wrong = whole.problems.filter(({ place, message }) => !others.has(`${place} ${message}`));
  if (wrong.length > 0) await request.leaveOut(leftOut(wrong));
  return { ...(wrong.every(isForConsent) ? whole : without), problems: without.problems, files };
}

interface SourceRead extends Source, Statements {
  /** False for what a project's file says by itself. */
  readonly isAgreedTo?: boolean;
}

async function resolveSources(sources: readonly SourceRead[]): Promise<Resolved> {
  const { resolve } = await import("./resolve.ts");
  const resolved = resolve(sources);
  const problems = [
    ...sources.flatMap((one) => one.problems),
    ...resolved.problems,
    ...(await problemsOfPatterns(resolved)),
  ];
  return { ...resolved, problems };
}

function isForConsent({ code }: Problem): boolean {
  return code === "needs_trust";
}

/** A file that is wrong counts for nothing; of one that is right, what needs consent does not count. */
function leftOut(problems: readonly Problem[]): PrecisError {
  const { message, place, hint } = configurationError(problems);
  const what = problems.every(isForConsent) ? "what needs your consent" : "the project's file";
  return new PrecisError(`left out ${what}: ${message}`, { code: "project_file_left_out", place: place!, hint });
}

/** Only RE2 can say whether it takes the patterns; it is loaded only if there are some. */
async function problemsOfPatterns({ configuration, provenance }: Resolved): Promise<readonly Problem[]> {
  const path = "redaction.patterns";
  const { patterns } = configuration.redaction;
  if (patterns.length === 0) return [];
  const { patternProblems } = await import("../secrets/index.ts");
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
function findFiles(request: Request): { files: readonly ConfigurationFile[]; problems: readonly Problem[] } {
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

async function readFile(file: ConfigurationFile, request: Request): Promise<SourceRead> {
  const { kind } = file;
  const label = shortPath(file.path, request);
  let text: string;
  try {
    text = readBoundedText(file.path, { regular: kind === "project" });
  } catch (error) {
    const message = `cannot read ${label}: ${reasonOf(error)}`;
    const problem = { code: "unreadable", place: label, message, fix: "Check the path and its permissions." } as const;
    return { kind, stated: [], problems: [problem], isAgreedTo: kind !== "project" };
  }
  const { readYaml } = await import("./yaml-source.ts");
  const { stated, problems } = readYaml(text, label);
  if (kind !== "project") return { kind, stated, problems };
  const [{ isTrusted }, { selectAllowed }] = await Promise.all([import("./trust.ts"), import("./project-settings.ts")]);
  // The very text that is used, not what the file holds by then.
  if (isTrusted(file.path, computeHash(text), request)) return { kind, stated, problems };
  if (leadsElsewhere(file.path)) return { kind, stated: [], problems: [linkElsewhere(label)], isAgreedTo: false };
  const allowed = selectAllowed(stated, label);
  return { kind, stated: allowed.stated, problems: [...problems, ...allowed.problems], isAgreedTo: false };
}

export interface ProjectFile {
  readonly path: string;
  readonly hash: string;
  readonly refused: Source["stated"];
}

/** The file of this name, or the project's, found from the current folder upward; undefined if there is none. */
export async function projectFile(request: Request): Promise<ProjectFile | undefined> {
  const path = request.file === undefined ? projectFiles(request.folder)[0] : resolvePath(request.folder, request.file);
  if (path === undefined) return undefined;
  const [{ readYaml }, { selectAllowed }] = await Promise.all([
    import("./yaml-source.ts"),
    import("./project-settings.ts"),
  ]);
  const text = readBoundedText(path, { regular: true });
  const label = shortPath(path, request);
  const { stated, problems } = readYaml(text, label);
  if (problems.length > 0) throw configurationError(leadsElsewhere(path) ? [linkElsewhere(label)] : problems);
  const allowed = new Set(selectAllowed(stated, label).stated);
  return { path, hash: computeHash(text), refused: stated.filter((one) => !allowed.has(one)) };
}

/** A project's link may lead to a file outside the project: nothing of it is shown before the person agrees. */
function leadsElsewhere(path: string): boolean {
  const folder = dirname(path);
  const project = realpathSync(basename(folder) === ".precis" ? dirname(folder) : folder);
  return relative(project, realpathSync(path)).startsWith("..");
}

function linkElsewhere(label: string): Problem {
  return {
    code: "needs_trust",
    place: label,
    message: "the project's file is a link that leads out of the project, and needs your consent",
    fix: `Put a file of settings in its place, or read it and run \`precis trust ${label} --yes\`.`,
  };
}

/** A file that was found and not named might be a pipe that no process writes to. */
function readBoundedText(path: string, { regular }: { readonly regular: boolean }): string {
  const stats = statSync(path);
  if (regular && !stats.isFile()) throw new Error("it is not a file");
  const bytesMax = regular ? PROJECT_FILE_BYTES_MAX : FILE_BYTES_MAX;
  if (stats.size > bytesMax) throw new Error(`it is ${stats.size} bytes long, more than ${bytesMax}`);
  return readFileSync(path, "utf8");
}

function computeHash(text: string): string {
  return hash("sha256", text);
}

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
