/** The JSON Schema of the configuration file, for editors; the earlier names of settings are part of it. */
import { z } from "zod";
import { schema } from "./schema.ts";
import { ALIASES } from "./settings.ts";

type Node = Record<string, unknown> & { properties?: Record<string, Node> };

export function jsonSchema(): object {
  const root = z.toJSONSchema(schema, { io: "input", override: dropSafeIntegerBounds }) as Node;
  for (const [alias, path] of Object.entries(ALIASES)) {
    const [section, key] = [alias.slice(0, alias.lastIndexOf(".")), alias.slice(alias.lastIndexOf(".") + 1)];
    const { default: _default, ...target } = nodeAt(root, path);
    nodeAt(root, section).properties![key] = { ...target, description: `Another name of ${path}.` };
  }
  return { ...root, title: "precis configuration" };
}

function nodeAt(root: Node, path: string): Node {
  return path.split(".").reduce((node, key) => node.properties![key]!, root);
}

/** The largest safe integer bounds every whole number; as a maximum it tells a reader nothing. */
function dropSafeIntegerBounds({ jsonSchema: node }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (node.maximum === Number.MAX_SAFE_INTEGER) delete node.maximum;
}
