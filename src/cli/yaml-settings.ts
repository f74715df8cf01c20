/** Settings in a YAML file, put in and taken out with its comments and quotes as they are. */
import { isSeq, parseDocument, type Document } from "yaml";
import { PrecisError } from "../core/errors.ts";
import type { Changes, JsonSetting } from "./client-settings.ts";

export interface YamlSetting extends JsonSetting {
  /** The key by which an item of a list is known; without it, an item is known by its value. */
  readonly name?: string;
}

export function yamlSettings(settings: (url: string) => readonly YamlSetting[]): Changes {
  const isList = settings("").every(({ path }) => path.length === 0);
  return {
    withOurs: (text, url) => {
      const document = documentOf(text, isList);
      const before = JSON.stringify(document.toJS());
      for (const setting of settings(url)) put(document, setting);
      return JSON.stringify(document.toJS()) === before ? text : written(document, text);
    },
    withoutOurs: (text, { before, after }) => {
      const document = documentOf(text, isList);
      const [former, ours] = [documentOf(before, isList), documentOf(after, isList)];
      for (const setting of settings("")) takeOut(document, setting, { former, ours });
      return written(document, text);
    },
  };
}

function put(document: Document, setting: YamlSetting): void {
  const { path, value, inList = false } = setting;
  if (!inList) return document.setIn(path, value);
  const at = placeOf(document, setting);
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
    const at = placeOf(document, setting);
    if (at >= 0 && placeOf(former, setting) < 0) document.deleteIn([...path, at]);
    return withoutEmpty(document, path, former);
  }
  if (document.getIn(path) !== ours.getIn(path)) return;
  if (former.hasIn(path)) return document.setIn(path, former.getIn(path));
  document.deleteIn(path);
  withoutEmpty(document, path.slice(0, -1), former);
}

/** Maps and lists that were made for our settings go with them. */
function withoutEmpty(document: Document, path: readonly string[], former: Document): void {
  if (path.length === 0 || former.hasIn(path)) return;
  const value = (document.toJS() as Readonly<Record<string, unknown>> | null) ?? {};
  const there = path.reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], value);
  if (typeof there !== "object" || there === null || Object.keys(there).length > 0) return;
  document.deleteIn(path);
  withoutEmpty(document, path.slice(0, -1), former);
}

/** Where a list has the item; −1 where it has not. */
function placeOf(document: Document, { path, value, name }: YamlSetting): number {
  const root = document.toJS() as unknown;
  const list = path.reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined | null)?.[key], root);
  if (!Array.isArray(list)) return -1;
  const known = (item: unknown): string =>
    JSON.stringify(name === undefined ? item : (item as Record<string, unknown> | null)?.[name]);
  return list.findIndex((item) => known(item) === known(value));
}

/** @throws PrecisError `client_settings` for what is no map of settings, or no list of them. */
function documentOf(text: string, isList: boolean): Document {
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
