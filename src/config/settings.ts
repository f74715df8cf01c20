/** The schema flattened: each setting with its path, its place in the environment and the words that describe it. */
import { z } from "zod";
import { schema, type Configuration } from "./schema.ts";
import { section, type OptionKind, type OptionKinds, type OptionSection } from "./options.ts";

export interface Setting {
  /** Dotted path in the file, for example `compression.threshold`. */
  readonly path: string;
  readonly variable: string;
  readonly description: string;
  /** The accepted values in words, for example `a number from 0 to 1`. */
  readonly expects: string;
  readonly default: unknown;
  readonly example: unknown;
  readonly schema: z.ZodType;
}

interface Section {
  readonly path: string;
  readonly description: string;
}

/** Earlier names in the Hermes Agent docs, each with its setting. */
export const ALIASES: Readonly<Record<string, string>> = {
  "compression.summary_model": "auxiliary.compression.model",
  "model.cache_ttl": "prompt_caching.cache_ttl",
};

function flattenSettings(object: z.ZodObject) {
  const sections: Section[] = [];
  const settings: Setting[] = [];
  collect(object, "", { sections, settings });
  return { sections, settings };
}

const { sections, settings } = flattenSettings(schema);
export const SECTIONS: readonly Section[] = sections;
export const SETTINGS: readonly Setting[] = settings;

const byPath = new Map(settings.map((setting) => [setting.path, setting]));

export function settingAt(path: string): Setting | undefined {
  return byPath.get(ALIASES[path] ?? path);
}

export function findKind(path: string): "section" | "setting" | undefined {
  if (settingAt(path) !== undefined) return "setting";
  return sections.some((one) => one.path === path) ? "section" : undefined;
}

/** `PRECIS_` and the path, upper case, with an underscore for each dot. */
export function toVariable(path: string): string {
  return `PRECIS_${path.replaceAll(".", "_").toUpperCase()}`;
}

export function findParent(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf(".")));
}

export function valueAt(configuration: Configuration, path: string): unknown {
  return path.split(".").reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], configuration);
}

export function fits({ schema: one }: Setting): (value: unknown) => boolean {
  return (value) => one.safeParse(value).success;
}

function collect(
  object: z.ZodObject,
  prefix: string,
  into: { readonly sections: Section[]; readonly settings: Setting[] },
): void {
  for (const [key, field] of Object.entries(object.shape) as [string, z.ZodType][]) {
    const path = prefix === "" ? key : `${prefix}.${key}`;
    const inner = field instanceof z.ZodPrefault ? field.unwrap() : field;
    if (inner instanceof z.ZodObject) {
      into.sections.push({ path, description: field.meta()?.description ?? "" });
      collect(inner, path, into);
    } else into.settings.push(parseSetting(path, field));
  }
}

function parseSetting(path: string, field: z.ZodType): Setting {
  const meta = field.meta() ?? {};
  const json = z.toJSONSchema(field, { io: "input", unrepresentable: "any" });
  return {
    path,
    variable: toVariable(path),
    description: meta.description ?? "",
    expects: (meta["x-expects"] as string | undefined) ?? expectation(json),
    default: json.default,
    example: (meta["examples"] as readonly unknown[] | undefined)?.[0] ?? json.default,
    schema: field,
  };
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

function expectation(json: JsonSchema): string {
  const variants = json.anyOf as readonly JsonSchema[] | undefined;
  if (variants !== undefined) return variants.map(expectation).join(", or ");
  if (json.enum !== undefined) return json.enum.map((choice) => `\`${String(choice)}\``).join(" or ");
  const types = Array.isArray(json.type) ? (json.type as string[]) : [json.type];
  return types.map((type) => expectedType(type, json)).join(", or ");
}

function expectedType(type: string | undefined, json: JsonSchema): string {
  switch (type) {
    case "boolean":
      return "`true` or `false`";
    case "null":
      return "`null`";
    case "string":
      if (json.format === "uri") return "an http(s) address";
      return json.pattern === undefined ? "a text" : "a name of letters, digits and underscores";
    case "array":
      return "a list of texts";
    default:
      return `${type === "integer" ? "a whole number" : "a number"}${range(json)}`;
  }
}

function range({ minimum, maximum }: JsonSchema): string {
  const bounded = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER;
  if (minimum !== undefined && bounded) return ` from ${minimum} to ${maximum}`;
  return minimum === undefined ? "" : `, ${minimum} or more`;
}

type Node = Record<string, unknown> & { properties?: Record<string, Node> };

export function jsonSchema(): object {
  const root = z.toJSONSchema(schema, { io: "input", override: dropSafeIntegerBounds }) as Node;
  for (const [alias, path] of Object.entries(ALIASES)) {
    const [above, key] = [alias.slice(0, alias.lastIndexOf(".")), alias.slice(alias.lastIndexOf(".") + 1)];
    const { default: _default, ...target } = nodeAt(root, path);
    nodeAt(root, above).properties![key] = { ...target, description: `Another name of ${path}.` };
  }
  return { ...root, title: "precis configuration" };
}

function nodeAt(root: Node, path: string): Node {
  return path.split(".").reduce((node, key) => node.properties![key]!, root);
}

/** The largest safe integer bounds every whole number; as a maximum it says nothing to a reader. */
function dropSafeIntegerBounds({ jsonSchema: node }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (node.maximum === Number.MAX_SAFE_INTEGER) delete node.maximum;
}

type Mixed<Keys extends string> = Readonly<Record<Keys, z.ZodType | OptionKind | OptionSection>>;

export function toOptions<Keys extends string>(mixed: Mixed<Keys>): Readonly<Record<Keys, OptionKind | OptionSection>> {
  const options = Object.entries<Mixed<Keys>[Keys]>(mixed).map(([key, one]) => [
    key,
    one instanceof z.ZodType ? toOption(key, one) : one,
  ]);
  return Object.fromEntries(options) as Readonly<Record<Keys, OptionKind | OptionSection>>;
}

function toOption(key: string, field: z.ZodType): OptionKind | OptionSection {
  const inner = field instanceof z.ZodPrefault ? field.unwrap() : field;
  if (inner instanceof z.ZodObject) return section(toOptions(inner.shape as OptionKinds & Record<string, z.ZodType>));
  const setting = parseSetting(key, field);
  return { fits: fits(setting), expects: setting.expects, default: setting.default, example: setting.example };
}
