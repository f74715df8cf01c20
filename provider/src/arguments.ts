/** Arguments of a call: JSON text on two of the wires, an object on the third. */
import { isFields, type Fields } from "../../src/protocols/fields.ts";

/** Undefined if the text is no JSON. */
export function parsedJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

/** The object itself; what is none becomes the value of one, because the wire has no other form. */
export function parsedObject(text: string): Fields {
  const parsed = parsedJson(text === "" ? "{}" : text);
  if (isFields(parsed?.value)) return parsed.value;
  return { input: parsed === undefined ? text : parsed.value };
}
