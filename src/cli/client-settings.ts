/**
 * The settings with which each client sends its requests to a gateway for good: what is put into its settings file, and
 * how exactly that is taken out again, whatever else was changed there since.
 */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { applyEdits, findNodeAtLocation, getNodeValue, modify, parseTree, type ParseError } from "jsonc-parser";
import { PrecisError } from "../core/errors.ts";
import type { Terminal } from "./terminal.ts";

export interface ClientFile {
  readonly path: (terminal: Terminal) => string;
  /** The text with our settings; the same text where they are there already. @throws PrecisError `client_settings` */
  readonly withOurs: (text: string, url: string) => string;
  /** The text without them: what was there before them is there again. @throws PrecisError `client_settings` */
  readonly withoutOurs: (text: string, setup: FormerSetup) => string;
  /** What to know beyond the file. */
  readonly note?: string;
  /** A folder of the package that the client looks for in a place of its own. */
  readonly link?: (terminal: Terminal) => { readonly from: string; readonly to: string };
}

export interface FormerSetup {
  /** Before the settings were put there; empty for a file that was made for them. */
  readonly before: string;
  readonly after: string;
  /** The files and folders that were made for them, those in a folder before it. */
  readonly made?: readonly string[];
  /** Where the client's file has no fixed place. */
  readonly path?: string;
}

export const homeOf = ({ environment }: Terminal): string => environment["HOME"] ?? homedir();

export const CLAUDE_STATUS_LINE: JsonSetting = {
  path: ["statusLine"],
  value: { type: "command", command: "precis statusline" },
  keep: true,
};

export const CLIENT_FILES: Readonly<Record<string, ClientFile>> = {
  claude: {
    path: claudeFile,
    ...jsonSettings((url) => [
      { path: ["env", "ANTHROPIC_BASE_URL"], value: url },
      // At any address but the vendor's own, Claude Code switches its tool search off unless it is told not to.
      { path: ["env", "ENABLE_TOOL_SEARCH"], value: "true", keep: true },
      CLAUDE_STATUS_LINE,
    ]),
  },
  codex: {
    path: (terminal) => join(terminal.environment["CODEX_HOME"] || join(homeOf(terminal), ".codex"), "config.toml"),
    ...lineSettings(codexLines),
    note: "Codex reads your key from OPENAI_API_KEY.",
  },
  gemini: {
    path: (terminal) => join(homeOf(terminal), ".gemini", ".env"),
    ...lineSettings((url) => ({ first: { name: "GOOGLE_GEMINI_BASE_URL", line: `GOOGLE_GEMINI_BASE_URL=${url}` } })),
    note: "A .env file in a project comes before this one.",
  },
  opencode: {
    path: openCodeFile,
    ...jsonSettings((url) => [
      { path: ["provider", "anthropic", "options", "baseURL"], value: `${url}/v1` },
      { path: ["provider", "openai", "options", "baseURL"], value: `${url}/v1` },
      { path: ["provider", "google", "options", "baseURL"], value: `${url}/v1beta` },
    ]),
  },
};

export function claudeFile(terminal: Terminal): string {
  return join(terminal.environment["CLAUDE_CONFIG_DIR"] || join(homeOf(terminal), ".claude"), "settings.json");
}

export function openCodeFile(terminal: Terminal): string {
  const folder = join(terminal.environment["XDG_CONFIG_HOME"] || join(homeOf(terminal), ".config"), "opencode");
  const withComments = join(folder, "opencode.jsonc");
  return existsSync(withComments) ? withComments : join(folder, "opencode.json");
}

export interface JsonSetting {
  readonly path: readonly string[];
  readonly value: unknown;
  /** True: a value of the person's own stays. */
  readonly keep?: boolean;
  /** True: the value is one of a list's. */
  readonly inList?: boolean;
}

export type Changes = Pick<ClientFile, "withOurs" | "withoutOurs">;

/** Edits that leave comments and formatting as they are. */
export function jsonSettings(settings: (url: string) => readonly JsonSetting[]): Changes {
  return {
    withOurs: (text, url) => {
      checkObject(text);
      return settings(url).reduce((now, { path, value, keep = false, inList = false }) => {
        const known = valueAt(now, path);
        if (inList) return isIn(known, value) ? now : withItem(now, path, value);
        return (keep && known !== undefined) || isSame(known, value) ? now : withValue(now, path, value);
      }, text);
    },
    withoutOurs: (text, { before, after }) => {
      checkObject(text);
      return settings("").reduce((now, { path, value, inList = false }) => {
        const ours = valueAt(after, path);
        const former = valueAt(before, path);
        if (inList)
          return isIn(former, value) ? now : withoutEmpty(withoutItem(now, path, value), [...path, ""], before);
        // What the person has changed since is theirs.
        if (isSame(ours, former) || !isSame(valueAt(now, path), ours)) return now;
        return withoutEmpty(withValue(now, path, former), path, before);
      }, text);
    },
  };
}

function withValue(text: string, path: readonly (string | number)[], value: unknown): string {
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? "  ";
  const formattingOptions = {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.startsWith("\t") ? 1 : indent.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
  return applyEdits(text, modify(text, [...path], value, { formattingOptions }));
}

function withItem(text: string, path: readonly string[], value: unknown): string {
  const known = valueAt(text, path);
  if (known === undefined) return withValue(text, path, [value]);
  if (Array.isArray(known)) return withValue(text, [...path, known.length], value);
  throw unusable(
    `${path.join(".")} in the settings file is not a list`,
    "Correct it first: what is there would be lost.",
  );
}

function withoutItem(text: string, path: readonly string[], value: unknown): string {
  const known = valueAt(text, path);
  const at = Array.isArray(known) ? known.findIndex((item) => isSame(item, value)) : -1;
  return at < 0 ? text : withValue(text, [...path, at], undefined);
}

function isIn(list: unknown, value: unknown): boolean {
  return Array.isArray(list) && list.some((item) => isSame(item, value));
}

/** Objects and lists that were made for our settings go with them. */
function withoutEmpty(text: string, path: readonly string[], before: string): string {
  const above = path.slice(0, -1);
  const value = above.length === 0 ? undefined : valueAt(text, above);
  const isEmpty = typeof value === "object" && value !== null && Object.keys(value).length === 0;
  if (!isEmpty || valueAt(before, above) !== undefined) return text;
  return withoutEmpty(withValue(text, above, undefined), above, before);
}

function valueAt(text: string, path: readonly string[]): unknown {
  const tree = parseTree(text, [], { allowTrailingComma: true });
  const node = tree === undefined ? undefined : findNodeAtLocation(tree, [...path]);
  return node === undefined ? undefined : (getNodeValue(node) as unknown);
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function checkObject(text: string): void {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  if (errors.length > 0 || tree === undefined)
    throw unusable("the settings file is not valid JSON", "Correct it first; most likely there is a comma missing.");
  if (tree.type !== "object") throw unusable(`the settings file holds no object but ${tree.type}`, "Correct it first.");
}

function unusable(message: string, hint: string): PrecisError {
  return new PrecisError(message, { code: "client_settings", hint });
}

interface LineSettings {
  /** A line of the top level, under its name. */
  readonly first: { readonly name: string; readonly line: string };
  /** Lines that go to the end of the file, as one block. */
  readonly last?: readonly string[];
}

function codexLines(url: string): LineSettings {
  return {
    first: { name: "model_provider", line: 'model_provider = "precis"' },
    last: [
      "[model_providers.precis]",
      'name = "precis"',
      `base_url = ${JSON.stringify(`${url}/v1`)}`,
      'env_key = "OPENAI_API_KEY"',
      'wire_api = "responses"',
    ],
  };
}

/** Whole lines, for formats in which each setting has one. */
function lineSettings(settings: (url: string) => LineSettings): Changes {
  return {
    withOurs: (text, url) => {
      const { first, last = [] } = settings(url);
      const lines = text.split("\n");
      const at = lineOf(lines, first.name);
      const named = at < 0 ? [first.line, ...(text === "" ? [""] : lines)] : lines.with(at, first.line);
      if (last.length === 0) return named.join("\n");
      const header = named.indexOf(last[0]!);
      const without = header < 0 ? named : withoutBlock(named, header);
      return `${without.join("\n").replace(/(?<!\n)\n*$/, "\n\n")}${last.join("\n")}\n`;
    },
    withoutOurs: (text, { before }) => {
      const { first, last = [] } = settings("");
      const former = before.split("\n");
      const formerLine = former[lineOf(former, first.name)];
      let lines = text.split("\n");
      const at = lineOf(lines, first.name);
      const isOurs = at >= 0 && (last.length === 0 || lines[at] === first.line);
      if (isOurs) lines = formerLine === undefined ? lines.toSpliced(at, 1) : lines.with(at, formerLine);
      const header = last.length === 0 ? -1 : lines.indexOf(last[0]!);
      if (header >= 0 && !former.includes(last[0]!)) lines = withoutBlock(lines, header);
      return lines.join("\n");
    },
  };
}

/** Before the first table, where TOML has its top level. */
function lineOf(lines: readonly string[], name: string): number {
  const end = lines.findIndex((line) => /^\s*\[/.test(line));
  return lines.slice(0, end < 0 ? lines.length : end).findIndex((line) => new RegExp(`^\\s*${name}\\s*=`).test(line));
}

/** Without a table, up to the next one, and without the empty lines before it. */
function withoutBlock(lines: readonly string[], header: number): string[] {
  const next = lines.findIndex((line, at) => at > header && /^\s*\[/.test(line));
  const before = lines.slice(0, header);
  while (before.at(-1)?.trim() === "") before.pop();
  const after = next < 0 ? [""] : ["", ...lines.slice(next)];
  return [...before, ...after];
}
