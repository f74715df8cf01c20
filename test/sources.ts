/** The sources as the tests of the house read them: what each file imports, and what it names that a pure core cannot. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { parseAst } from "vitest/node";

export const ROOT = resolve(import.meta.dirname, "..");
export const SRC = join(ROOT, "src");

/** Functions that take any number of arguments. */
const VARIADIC = new Set(["push", "unshift", "splice", "concat", "max", "min", "fromCharCode", "fromCodePoint"]);

/** What a pure core cannot name: I/O, clocks, randomness, timers and the environment. */
const IMPURE_GLOBALS = new Set([
  "process",
  "performance",
  "globalThis",
  "console",
  "fetch",
  "setTimeout",
  "setInterval",
  "setImmediate",
  "queueMicrotask",
  "crypto",
  "navigator",
  "require",
  "Buffer",
]);
const IMPURE_MEMBERS = new Set(["Date.now", "Math.random", "import.meta"]);

export interface SourceFile {
  readonly path: string;
  readonly layer: string;
  readonly text: string;
  readonly imports: readonly string[];
  /** Of these, what is loaded with the file and not by `import()`. */
  readonly eager: readonly string[];
  readonly impurities: readonly string[];
  /** Calls that a list is spread into. */
  readonly spreads: readonly string[];
}

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

export function sourcesIn(folder: string): readonly SourceFile[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(folder, name))
    .toSorted()
    .map(readSource);
}

function readSource(path: string): SourceFile {
  const text = readFileSync(path, "utf8");
  const program = parse(text);
  const resolved = (name: string): string => (name.startsWith(".") ? resolve(dirname(path), name) : name);
  return {
    path: relative(ROOT, path),
    layer: layerOf(path),
    text,
    imports: specifiersOf(program).map(resolved),
    eager: specifiersOf(program, ["ImportExpression"]).map(resolved),
    impurities: impuritiesOf(program),
    spreads: spreadsOf(program),
  };
}

export function layerOf(path: string): string {
  const parts = relative(SRC, path).split("/");
  return parts.length > 1 ? parts[0]! : "";
}

export function parse(text: string): Node {
  return parseAst(text, { lang: "ts", sourceType: "module" }) as unknown as Node;
}

/** Every module a file names: imports and re-exports, types included, and `import()` of a literal, but for some kinds. */
function specifiersOf(program: Node, without: readonly string[] = []): string[] {
  const found: string[] = [];
  visit(program, (node) => {
    const source = node["source"] as Node | null | undefined;
    const names = node.type.startsWith("Import") || node.type.startsWith("Export");
    if (names && !without.includes(node.type) && typeof source?.["value"] === "string") found.push(source["value"]);
  });
  return found;
}

export function impuritiesOf(program: Node): string[] {
  const found: string[] = [];
  visit(program, (node, parent, key) => {
    if (node.type === "Identifier" && isReference(parent, key) && IMPURE_GLOBALS.has(String(node["name"])))
      found.push(String(node["name"]));
    if (node.type === "MemberExpression") {
      const member = `${nameOf(node["object"])}.${nameOf(node["property"])}`;
      if (IMPURE_MEMBERS.has(member)) found.push(member);
    }
    if (node.type === "MetaProperty") found.push("import.meta");
    if (
      node.type === "NewExpression" &&
      nameOf(node["callee"]) === "Date" &&
      (node["arguments"] as Node[]).length === 0
    )
      found.push("new Date()");
  });
  return found;
}

/** The variadic functions that a list is spread into. */
export function spreadsOf(program: Node): string[] {
  const found: string[] = [];
  visit(program, (node) => {
    const callee = node["callee"] as Node | undefined;
    const spreads = (node["arguments"] as Node[] | undefined)?.some(({ type }) => type === "SpreadElement");
    const name = nameOf(callee?.["property"]);
    if (node.type === "CallExpression" && spreads === true && VARIADIC.has(name)) found.push(name);
  });
  return found;
}

/** Whether an identifier under `key` of `parent` refers to a variable, not to a property or a name being declared. */
function isReference(parent: Node | undefined, key: string): boolean {
  if (parent === undefined) return false;
  if (parent.type === "MemberExpression") return key === "object" || parent["computed"] === true;
  if (parent.type.startsWith("TS") || parent.type.includes("Specifier")) return false;
  if (key === "key") return parent["computed"] === true;
  return key !== "id" && key !== "params" && key !== "label";
}

function nameOf(node: unknown): string {
  return String((node as Node | undefined)?.["name"] ?? "");
}

function visit(
  node: Node,
  see: (node: Node, parent: Node | undefined, key: string) => void,
  parent?: Node,
  key = "",
): void {
  see(node, parent, key);
  for (const [name, value] of Object.entries(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof (child as Node | null)?.type === "string") visit(child as Node, see, node, name);
    }
  }
}
