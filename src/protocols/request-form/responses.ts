/**
 * The shape of Responses input: kinds of items, content by role, ids and arguments, each as the vendor says it
 * (https://platform.openai.com/docs/api-reference/responses/create).
 */
import { fieldsOf, isFields, listOf, parsed, textOf, type Fields } from "../fields.ts";
import {
  firstRefusal,
  invalid,
  type Refusal,
  brokenArguments,
  checkName,
  missing,
  notOneOf,
  tooLong,
  wrongType,
} from "./openai-refusals.ts";

const ROLES = ["assistant", "system", "developer", "user"];
const ID_CHARS_MAX = 64;
const OUTPUT_TOKENS_MIN = 16;

const INPUT_PARTS = ["input_text", "input_image", "input_file", "input_audio"];
const OUTPUT_PARTS = ["output_text", "refusal"];

/** Kinds whose pairs and contents are looked into; what else the vendor knows is taken as it is. */
export function kindOf(item: Fields): string {
  return textOf(item["type"]) ?? (typeof item["role"] === "string" ? "message" : "");
}

/** The items of a request; a string is one message of the user. */
export function itemsOf(body: Fields): readonly Fields[] {
  const { input } = body;
  return typeof input === "string" ? [{ type: "message", role: "user", content: input }] : listOf(input).map(fieldsOf);
}

export function contentsOf(items: readonly Fields[]): readonly unknown[] {
  return items.flatMap(({ content, output }) => [content, output]);
}

export function checkShape(body: Fields): Refusal | undefined {
  const { input, max_output_tokens: limit } = body;
  if (input === undefined && body["previous_response_id"] === undefined) return missing("input");
  if (input !== undefined && typeof input !== "string" && !Array.isArray(input))
    return wrongType("input", "one of a string or array of input items", input);
  if (typeof limit === "number" && limit < OUTPUT_TOKENS_MIN)
    return invalid(
      "shape",
      `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= ${OUTPUT_TOKENS_MIN}, but got ${limit} instead.`,
      { param: "max_output_tokens", code: "integer_below_min_value" },
    );
  return checkTools(body) ?? firstRefusal(listOf(input), checkItem);
}

export function checkTrigger(items: readonly Fields[]): Refusal | undefined {
  const at = items.findIndex((item) => kindOf(item) === "compaction_trigger");
  return at < 0 || at === items.length - 1
    ? undefined
    : invalid("pairing", "A 'compaction_trigger' item must be the last item of the input.", { param: "input" });
}

function checkTools(body: Fields): Refusal | undefined {
  return firstRefusal(listOf(body["tools"]).map(fieldsOf), (tool, at) => {
    if (typeof tool["type"] !== "string") return missing(`tools[${at}].type`);
    return tool["type"] === "function" ? checkName(tool["name"], `tools[${at}].name`) : undefined;
  });
}

function checkItem(value: unknown, at: number): Refusal | undefined {
  const place = `input[${at}]`;
  if (!isFields(value)) return wrongType(place, "an input item", value);
  const kind = kindOf(value);
  if (kind === "") return missing(`${place}.type`);
  const id = value["id"];
  if (typeof id === "string" && id.length > ID_CHARS_MAX) return tooLong(`${place}.id`, id, ID_CHARS_MAX);
  switch (kind) {
    case "message":
      return checkMessage(value, place);
    case "function_call":
    case "custom_tool_call":
      return checkCallId(value, place) ?? checkName(value["name"], `${place}.name`) ?? checkArguments(value, place);
    case "function_call_output":
    case "custom_tool_call_output":
      return checkCallId(value, place) ?? checkOutput(value["output"], `${place}.output`);
    case "reasoning":
      return Array.isArray(value["summary"]) ? undefined : missing(`${place}.summary`);
    default:
      return undefined;
  }
}

function checkMessage({ role, content }: Fields, place: string): Refusal | undefined {
  if (!ROLES.includes(String(role))) return notOneOf(`${place}.role`, role, ROLES, "roles");
  if (typeof content === "string") return undefined;
  if (!Array.isArray(content)) return missing(`${place}.content`);
  const known = role === "assistant" ? OUTPUT_PARTS : INPUT_PARTS;
  return firstRefusal(content.map(fieldsOf), (part, at) =>
    known.includes(String(part["type"]))
      ? undefined
      : notOneOf(`${place}.content[${at}]`, part["type"], known, "roles"),
  );
}

function checkCallId({ call_id: id }: Fields, place: string): Refusal | undefined {
  if (typeof id !== "string" || id === "") return missing(`${place}.call_id`);
  return id.length > ID_CHARS_MAX ? tooLong(`${place}.call_id`, id, ID_CHARS_MAX) : undefined;
}

function checkArguments(item: Fields, place: string): Refusal | undefined {
  const custom = item["type"] === "custom_tool_call";
  const given = item[custom ? "input" : "arguments"];
  const field = `${place}.${custom ? "input" : "arguments"}`;
  if (typeof given !== "string") return given === undefined ? missing(field) : wrongType(field, "a string", given);
  return custom || given === "" || parsed(given) !== undefined ? undefined : brokenArguments(field);
}

function checkOutput(output: unknown, place: string): Refusal | undefined {
  if (typeof output === "string") return undefined;
  if (!Array.isArray(output)) return missing(place);
  return firstRefusal(output.map(fieldsOf), (part, at) =>
    INPUT_PARTS.includes(String(part["type"]))
      ? undefined
      : notOneOf(`${place}[${at}]`, part["type"], INPUT_PARTS, "shape"),
  );
}
