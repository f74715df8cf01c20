/**
 * Edits of settings files in JSON, YAML and formats of one setting a line: comments and formatting stay as they are, and what
 * was put in can be taken out again, whatever else was changed there since.
 */
import { applyEdits, findNodeAtLocation, getNodeValue, modify, parseTree, type ParseError } from "jsonc-parser";
import { isSeq, parseDocument, type Document } from "yaml";
import { PrecisError } from "../../core/errors.ts";

export interface Changes {
  /** The text with our settings; the same text where they are there already. @throws PrecisError `client_settings` */
  readonly withOurs: (text: string, url: string) => string;
  /** The text without them: what was there before them is there again. @throws PrecisError `client_settings` */
  readonly withoutOurs: (text: string, setup: FormerSetup) => string;
}

export interface FormerSetup {
  /** Before the settings were put there; empty for a file that was made for them. */
  readonly before: string;
  readonly after: string;
  /** The files and folders that were made for them, those in a folder before it. */
  readonly made?: readonly string[];
  /** By their paths, the texts of the records that the client keeps itself; those that did not exist are missing. */
  readonly records?: Readonly<Record<string, string>>;
  /** Where the client's file has no fixed place. */
  readonly path?: string;
}

export interface JsonSetting {
  readonly path: readonly string[];
  readonly value: unknown;
  /** True: a value of the person's own stays. */
  readonly keep?: boolean;
  readonly inList?: boolean;
}

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

/**
 * A record of a client without its entry of precis: as it was before, if nothing else has changed since. Undefined where nothing
 * is left of a file that did not exist.
 *
 * @throws PrecisError `client_settings`
 */
export function withoutEntry(text: string, entry: readonly string[], before: string | undefined): string | undefined {
  checkObject(text);
  if (before !== undefined && valueAt(before, entry) !== undefined) return text;
  if (valueAt(text, entry) === undefined) return text;
  const left = withoutEmpty(withValue(text, entry, undefined), entry, before ?? "{}");
  if (before !== undefined) return isSame(valueAt(left, []), valueAt(before, [])) ? before : left;
  const values = Object.values(valueAt(left, []) as object);
  return values.every((value) => typeof value !== "object") ? undefined : left;
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

export interface LineSettings {
  readonly first: { readonly name: string; readonly line: string };
  readonly last?: readonly string[];
}

export function lineSettings(settings: (url: string) => LineSettings): Changes {
  return {
    withOurs: (text, url) => {
      const { first, last = [] } = settings(url);
      const lines = text.split("\n");
      const at = findLine(lines, first.name);
      const named = at < 0 ? [first.line, ...(text === "" ? [""] : lines)] : lines.with(at, first.line);
      if (last.length === 0) return named.join("\n");
      const header = named.indexOf(last[0]!);
      const without = header < 0 ? named : withoutBlock(named, header);
      return `${without.join("\n").replace(/(?<!\n)\n*$/, "\n\n")}${last.join("\n")}\n`;
    },
    withoutOurs: (text, { before }) => {
      const { first, last = [] } = settings("");
      const former = before.split("\n");
      const formerLine = former[findLine(former, first.name)];
      let lines = text.split("\n");
      const at = findLine(lines, first.name);
      const isOurs = at >= 0 && (last.length === 0 || lines[at] === first.line);
      if (isOurs) lines = formerLine === undefined ? lines.toSpliced(at, 1) : lines.with(at, formerLine);
      const header = last.length === 0 ? -1 : lines.indexOf(last[0]!);
      if (header >= 0 && !former.includes(last[0]!)) lines = withoutBlock(lines, header);
      return lines.join("\n");
    },
  };
}

/** Before the first table, where TOML has its top level. */
function findLine(lines: readonly string[], name: string): number {
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

interface YamlSetting extends JsonSetting {
  /** The key by which an item of a list is known; without it, an item is known by its value. */
  readonly name?: string;
}

export function yamlSettings(settings: (url: string) => readonly YamlSetting[]): Changes {
  const isList = settings("").every(({ path }) => path.length === 0);
  return {
    withOurs: (text, url) => {
      const document = parseSettings(text, isList);
      const before = JSON.stringify(document.toJS());
      for (const setting of settings(url)) put(document, setting);
      return JSON.stringify(document.toJS()) === before ? text : written(document, text);
    },
    withoutOurs: (text, { before, after }) => {
      const document = parseSettings(text, isList);
      const [former, ours] = [parseSettings(before, isList), parseSettings(after, isList)];
      for (const setting of settings("")) takeOut(document, setting, { former, ours });
      return written(document, text);
    },
  };
}

function put(document: Document, setting: YamlSetting): void {
  const { path, value, inList = false } = setting;
  if (!inList) return document.setIn(path, value);
  const at = findPlace(document, setting);
  const list = document.getIn(path);
  if (!isSeq(list)) return document.setIn(path, [value]);
  if (at < 0) list.add(document.createNode(value));
  else list.set(at, document.createNode(value));
}

/** What the person has changed since is theirs. */
function takeOut(
  document: Document,
  setting: YamlSetting,
  { former, ours }: { readonly former: Document; readonly ours: Document },
): void {
  const { path, inList = false } = setting;
  if (inList) {
    const at = findPlace(document, setting);
    if (at >= 0 && findPlace(former, setting) < 0) document.deleteIn([...path, at]);
    return withoutEmptyNodes(document, path, former);
  }
  if (document.getIn(path) !== ours.getIn(path)) return;
  if (former.hasIn(path)) return document.setIn(path, former.getIn(path));
  document.deleteIn(path);
  withoutEmptyNodes(document, path.slice(0, -1), former);
}

/** Maps and lists that were made for our settings go with them. */
function withoutEmptyNodes(document: Document, path: readonly string[], former: Document): void {
  if (path.length === 0 || former.hasIn(path)) return;
  const value = (document.toJS() as Readonly<Record<string, unknown>> | null) ?? {};
  const there = path.reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], value);
  if (typeof there !== "object" || there === null || Object.keys(there).length > 0) return;
  document.deleteIn(path);
  withoutEmptyNodes(document, path.slice(0, -1), former);
}

function findPlace(document: Document, { path, value, name }: YamlSetting): number {
  const root = document.toJS() as unknown;
  const list = path.reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined | null)?.[key], root);
  if (!Array.isArray(list)) return -1;
  const known = (item: unknown): string =>
    JSON.stringify(name === undefined ? item : (item as Record<string, unknown> | null)?.[name]);
  return list.findIndex((item) => known(item) === known(value));
}

/** @throws PrecisError `client_settings` for what is no map of settings, or no list of them. */
function parseSettings(text: string, isList: boolean): Document {
  const document = parseDocument(text);
  const [error] = document.errors;
  const root = document.toJS() as unknown;
  const isRight = root === null || (typeof root === "object" && Array.isArray(root) === isList);
  if (error === undefined && isRight) return document;
  throw new PrecisError("the settings file is not valid YAML", {
    code: "client_settings",
    hint:
      error === undefined
        ? `It has to be a ${isList ? "list" : "map"} of settings.`
        : `Correct it first: ${error.message.split("\n")[0]}`,
  });
}

/** PyYAML and others write lists without an indent. */
function written(document: Document, text: string): string {
  const indentSeq = !/^([ ]*)[^\s#-][^\n]*:[ ]*\n\1- /m.test(text);
  if (document.contents === null || ["{}", "[]"].includes(JSON.stringify(document.toJS())))
    return text.trim() === "" ? text : "";
  return document.toString({ lineWidth: 0, indentSeq });
}
