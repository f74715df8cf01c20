/**
 * What a tool call does, to what: by the tool's name where it is known, by the keys of its arguments where it is not.
 * Everything that speaks of a call (digests, events, labels for people) reads this one description.
 */
import { defined } from "../defined.ts";
import type { ToolCallPart } from "../transcript/message.ts";
import { cut, oneLine } from "./cut.ts";
import { keptWith } from "../kept.ts";
import { actionByName, actionByVerb, type CallAction } from "./tool-names.ts";

export interface CallSummary {
  readonly tool: string;
  readonly action: CallAction;
  /** Path, command, query or URL: what the call was about, one line of at most 160 characters. */
  readonly target: string;
  /** Files and folders the call names, as it names them. */
  readonly paths: readonly string[];
  /** The command line, whole, where the call runs one. */
  readonly command?: string;
  /** The number of the first line asked for, where a read starts inside a file. */
  readonly firstLine?: number;
  /** Every string among the arguments, decoded, in order. */
  readonly values: readonly string[];
}

const TARGET_CHARS_MAX = 160;
const PATCH_COMMAND = /^\s*(?:cd \S+ && )?(?:apply_patch\b|\*\*\* Begin Patch)/;
const COMMAND_PATHS_MAX = 16;
const COMMAND_CHARS_SCANNED_MAX = 4_000;
const VALUES_MAX = 10_000;

const PATH_KEY =
  /^(?:target_?|absolute_?|relative_?|notebook_?|source_?|dest(?:ination)?_?|workspace_?)*(?:file_?)?(?:paths?|files?|file_?names?|dir|directory|folder|cwd|workdir)$/i;
/** Where a tool runs, not what it works on. */
const PLACE_KEY = /^(?:cwd|workdir|workspace|root)$/i;
const COMMAND_KEYS = ["command", "cmd", "script", "code", "commands", "input", "chars"];
const QUERY_KEYS = "pattern query regex search_term search q glob symbol file_name name_pattern".split(" ");
const URL_KEYS = ["url", "uri", "link", "href", "urls"];
const EDIT_KEYS = "old_string oldText old_str oldString edits patch diff new_string newText new_str search".split(" ");
const CONTENT_KEYS = ["content", "contents", "file_text", "text", "code_edit"];
const FREE_KEYS =
  "description instruction question questions title prompt message task subject name skill explanation thought expression id".split(
    " ",
  );
const LINE_KEY = /^(?:offset|line_?number|(?:start|from|first)_?line(?:_one_indexed)?)$/i;

/** Describes a call. Never throws: arguments that are not JSON are taken as free text. */
export function describeCall(name: string, args: string): CallSummary {
  const parsed = parse(args);
  const fields = isRecord(parsed) ? parsed : {};
  const values = stringsIn(parsed);
  const asked = inferAction(name, fields);
  const line = asked === "run" ? readCommand(fields, parsed) : undefined;
  // A patch that is handed to a shell is an edit.
  const action = line !== undefined && PATCH_COMMAND.test(line) ? "edit" : asked;
  const command = action === "run" ? line : undefined;
  const paths = collectPaths(fields, values, command);
  const firstLine = readFirstLine(fields);
  return {
    tool: name,
    action,
    target: describeTarget(action, { fields, paths, command, values }),
    paths,
    values,
    ...defined({ command, firstLine }),
  };
}

/** The same of a message's call, worked out once: events and digests ask. */
export const described = keptWith((call: ToolCallPart) => describeCall(call.name, call.arguments));

/** One line for a person: the tool and its target. */
export function labelOf({ tool, target }: CallSummary): string {
  return target === "" ? tool : `${tool} ${target}`;
}

type Fields = Readonly<Record<string, unknown>>;

function parse(args: string): unknown {
  try {
    return JSON.parse(args);
  } catch {
    return args;
  }
}

function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A stack, not recursion: arguments can be nested deeper than the call stack is. */
function stringsIn(root: unknown): readonly string[] {
  const found: string[] = [];
  const stack: unknown[] = [root];
  while (stack.length > 0 && found.length < VALUES_MAX) {
    const value = stack.pop();
    if (typeof value === "string") found.push(value);
    else if (typeof value === "object" && value !== null)
      for (const child of Object.values(value).toReversed()) stack.push(child);
  }
  return found;
}

function inferAction(name: string, fields: Fields): CallAction {
  const known = actionByName(name);
  if (known !== undefined) return subcommandAction(fields, known) ?? known;
  const has = (keys: readonly string[]): boolean => keys.some((key) => fields[key] !== undefined);
  if (has(["command", "cmd"])) return "run";
  const path = Object.keys(fields).some((key) => PATH_KEY.test(key) && !PLACE_KEY.test(key));
  if (path && has(EDIT_KEYS)) return "edit";
  if (path && has(CONTENT_KEYS)) return "write";
  const verb = actionByVerb(name);
  if (has(URL_KEYS)) return "fetch";
  if (has(QUERY_KEYS)) return verb === "list" ? "list" : "search";
  return verb ?? (path ? "read" : "other");
}

/** Editors of the `str_replace` family name what they do in `command`. */
function subcommandAction(fields: Fields, known: CallAction): CallAction | undefined {
  if (known !== "edit") return undefined;
  switch (fields["command"]) {
    case "view":
      return "read";
    case "create":
    case "write":
      return "write";
    default:
      return undefined;
  }
}

function readCommand(fields: Fields, parsed: unknown): string | undefined {
  for (const key of COMMAND_KEYS) {
    const value = fields[key];
    if (typeof value === "string") return value;
    // ["bash", "-lc", "npm test"]: the script is what ran.
    if (Array.isArray(value) && value.every((word) => typeof word === "string"))
      return /^-\w*c$/.test(value[1] ?? "") ? (value[2] ?? "") : value.join(" ");
  }
  return typeof parsed === "string" ? parsed : undefined;
}

function collectPaths(fields: Fields, values: readonly string[], command: string | undefined): readonly string[] {
  const paths = new Set<string>();
  for (const [key, value] of Object.entries(fields)) {
    if (!PATH_KEY.test(key) || PLACE_KEY.test(key)) continue;
    if (typeof value === "string" && value !== "") paths.add(value);
    else if (Array.isArray(value)) for (const item of value) addPath(paths, item);
  }
  for (const value of values) if (isPatch(value)) for (const path of patchedPaths(value)) paths.add(path);
  if (command !== undefined) for (const path of pathsInCommand(withoutChangeOfFolder(command))) paths.add(path);
  return [...paths];
}

function addPath(paths: Set<string>, item: unknown): void {
  const path = isRecord(item) ? (item["path"] ?? item["file_path"]) : item;
  if (typeof path === "string" && path !== "") paths.add(path);
}

function isPatch(value: string): boolean {
  return value.includes("*** Begin Patch") || value.startsWith("--- ") || value.startsWith("diff --git ");
}

function patchedPaths(patch: string): string[] {
  return [
    ...patch.matchAll(
      /^(?:\*\*\* (?:Add File|Update File|Delete File|Move to): |\+\+\+ (?:b\/)?)(?!\/dev\/null)([^\t\r\n]+)/gm,
    ),
  ].map((match) => match[1]!);
}

/** Words of a command that look like files; what follows a here-document's start is text, not command. */
function pathsInCommand(command: string): string[] {
  const heredoc = command.indexOf("<<");
  const words = command
    .slice(0, heredoc < 0 ? COMMAND_CHARS_SCANNED_MAX : Math.min(heredoc, COMMAND_CHARS_SCANNED_MAX))
    .split(/[\s;|&<>()'"`=,]+/);
  return words.filter((word) => looksLikePath(word)).slice(0, COMMAND_PATHS_MAX);
}

function looksLikePath(word: string): boolean {
  if (word.length < 3 || word.length > 300 || !/^[\w./~@+-][\w./~@+:%-]*$/.test(word)) return false;
  if (word.startsWith("-") || word.includes("://") || word === "/dev/null") return false;
  return word.includes("/") ? /\w/.test(word) : /^(?:[\w-]*\.)*\d*[A-Za-z_-][\w-]*\.[A-Za-z]\w{0,7}$/.test(word);
}

function readFirstLine(fields: Fields): number | undefined {
  const range = fields["view_range"];
  const line = Array.isArray(range) ? range[0] : Object.entries(fields).find(([key]) => LINE_KEY.test(key))?.[1];
  return typeof line === "number" && Number.isSafeInteger(line) && line > 0 ? line : undefined;
}

interface Described {
  readonly fields: Fields;
  readonly paths: readonly string[];
  readonly command: string | undefined;
  readonly values: readonly string[];
}

function describeTarget(action: CallAction, { fields, paths, command, values }: Described): string {
  if (command !== undefined && command.trim() !== "") return oneLine(withoutChangeOfFolder(command), TARGET_CHARS_MAX);
  const query = firstString(fields, QUERY_KEYS);
  const path = paths[0];
  if ((action === "search" || action === "list") && query !== undefined)
    return oneLine(path === undefined || path === query ? query : `${query} in ${path}`, TARGET_CHARS_MAX);
  if (path !== undefined)
    return oneLine(
      paths.length > 1 ? `${cut(path, TARGET_CHARS_MAX - 12)} +${paths.length - 1}` : path,
      TARGET_CHARS_MAX,
    );
  const named = firstString(fields, URL_KEYS) ?? query ?? firstString(fields, FREE_KEYS);
  if (named !== undefined) return oneLine(named, TARGET_CHARS_MAX);
  return oneLine(scalars(fields) || (values[0] ?? ""), TARGET_CHARS_MAX);
}

function firstString(fields: Fields, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = fields[key];
    const text = Array.isArray(value) ? value[0] : value;
    if (typeof text === "string" && text.trim() !== "") return text;
  }
  return undefined;
}

/** `origin=ATL destination=PHL`: what an unknown tool was given, in short. */
function scalars(fields: Fields): string {
  const entries = Object.entries(fields).filter(([, value]) => typeof value !== "object");
  return entries.length === 1
    ? String(entries[0]![1])
    : entries.map(([key, value]) => `${key}=${oneLine(String(value), 40)}`).join(" ");
}

/** `cd somewhere &&` says where, and the next word says what: the target is the what. */
export function withoutChangeOfFolder(command: string): string {
  const match = /^\s*cd\s+[^\s;&|]+\s*(?:&&|;|\n)\s*(?=\S)/.exec(command);
  return match === null ? command : command.slice(match[0].length);
}
