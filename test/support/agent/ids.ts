/** Ids of the calls in an answer, in order. */
import { isFields, listOf, textOf, type Fields } from "../../../src/protocols/fields.ts";

export function idsOf(list: unknown, key: string): readonly string[] {
  return listOf(list)
    .filter(isFields)
    .flatMap((one) => (isCall(one) ? (textOf(one[key]) ?? []) : []));
}

const CALL_TYPES = new Set(["function", "custom", "function_call", "custom_tool_call", "tool_use"]);

function isCall({ type }: Fields): boolean {
  return typeof type === "string" && CALL_TYPES.has(type);
}
