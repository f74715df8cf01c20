/** One YAML file as stated values, each with its line and column; says what is wrong with the file itself. */
import { isMap, isScalar, Lexer, LineCounter, parseDocument, Parser, type Document, type YAMLMap } from "yaml";
import { isTooDeep, NESTING_LEVELS_MAX } from "../core/nesting.ts";
import type { Problem, StatedSettings, Statements } from "./problems.ts";
import { findKind } from "./settings.ts";

export function readYaml(text: string, label: string): Statements {
  const deep = tooDeepAt(text);
  if (deep !== undefined) return { stated: [], problems: [tooDeep(`${label}:${deep.line}:${deep.col}`)] };
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const placeAt = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${label}:${line}:${col}`;
  };
  if (document.errors.length > 0) {
    const problems = document.errors.map((error) => yamlProblem(error.message, placeAt(error.pos[0])));
    return { stated: [], problems };
  }
  const root = document.contents;
  if (root === null || (isScalar(root) && root.value === null)) return { stated: [], problems: [] };
  if (!isMap(root)) return { stated: [], problems: [notAMapping(placeAt(root.range?.[0] ?? 0))] };
  const stated: StatedSettings[] = [];
  walk(root, "", (path, node, at) => stated.push({ path, value: readValue(node, document), place: placeAt(at) }));
  return { stated, problems: [] };
}

/** The place at which the text is nested too deeply: reported before the text is composed, because that recurses. */
function tooDeepAt(text: string): { readonly line: number; readonly col: number } | undefined {
  const lines = new LineCounter();
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    Array.from(parser.next(lexeme));
    if (parser.stack.length > NESTING_LEVELS_MAX) return lines.linePos(parser.offset - lexeme.length);
  }
  return undefined;
}

type Visit = (path: string, node: unknown, offset: number) => void;

/** Goes into known sections only, so that an unknown one is one problem and not one for each of its keys. */
function walk(map: YAMLMap, prefix: string, visit: Visit): void {
  for (const { key, value } of map.items) {
    const name = isScalar(key) ? String(key.value) : "?";
    const path = prefix === "" ? name : `${prefix}.${name}`;
    if (findKind(path) === "section" && isMap(value)) walk(value, path, visit);
    else visit(path, value, findOffset(findKind(path) === "setting" ? value : key) ?? findOffset(key) ?? 0);
  }
}

function findOffset(node: unknown): number | undefined {
  return (node as { range?: readonly number[] | null } | null)?.range?.[0];
}

function readValue(node: unknown, document: Document): unknown {
  if (node === null || node === undefined) return null;
  if (isScalar(node)) return node.value;
  try {
    const value = (node as { toJS: (document: Document) => unknown }).toJS(document);
    if (!isTooDeep(value)) return value;
  } catch {
    // Reported below.
  }
  return undefined; // An alias that leads nowhere, into itself, or from one to the next: no setting accepts it.
}

function yamlProblem(message: string, place: string): Problem {
  const said = message.charAt(0).toLowerCase() + message.slice(1);
  return {
    code: "bad_yaml",
    place,
    message: `this is not valid YAML: ${said}`,
    fix: "Fix the line; indent with two spaces per level.",
  };
}

function tooDeep(place: string): Problem {
  return {
    code: "bad_yaml",
    place,
    message: `this is nested deeper than ${NESTING_LEVELS_MAX} levels`,
    fix: "No setting needs more than a few; look for brackets that are never closed.",
  };
}

function notAMapping(place: string): Problem {
  return {
    code: "bad_yaml",
    place,
    message: "the file is not a mapping of settings",
    fix: "Write sections with settings below them, or start from `precis config init`.",
  };
}
