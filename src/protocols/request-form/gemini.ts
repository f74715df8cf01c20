/**
 * The shape of Gemini contents: roles, parts by role, and responses in the number of the calls before them
 * (https://ai.google.dev/api/caching#Content, https://ai.google.dev/gemini-api/docs/function-calling).
 */
import { fieldsOf, isFields, listOf, textOf, type Fields } from "../fields.ts";
import { GEMINI_MEDIA_LIMITS } from "../gemini/protocol.ts";
import { firstRefusal, invalid, type Refusal } from "./openai-refusals.ts";

export const BODY_BYTES_MAX = GEMINI_MEDIA_LIMITS.bodyBytes;
export const TOO_LARGE: Refusal = {
  status: 400,
  reason: "size",
  message: `Request payload size exceeds the limit: ${BODY_BYTES_MAX} bytes.`,
};

const PART_KINDS = [
  "text",
  "inlineData",
  "fileData",
  "functionCall",
  "functionResponse",
  "executableCode",
  "codeExecutionResult",
];
/** Members that are next to the kind. */
const PART_SETTINGS = new Set(["thought", "thoughtSignature", "videoMetadata", "mediaResolution", "partMetadata"]);

export function contentsOf(body: Fields): readonly Fields[] {
  return listOf(body["contents"]).map(fieldsOf);
}

export function partsOf(content: Fields): readonly Fields[] {
  return listOf(content["parts"]).map(fieldsOf);
}

export function checkContents(body: Fields): Refusal | undefined {
  const contents = listOf(body["contents"]);
  if (contents.length === 0) return invalid("empty", "* GenerateContentRequest.contents: contents is not specified\n");
  return (
    firstRefusal(contents, checkContent) ??
    checkInstruction(body["systemInstruction"]) ??
    checkTools(body) ??
    checkPictures(contents.map(fieldsOf)) ??
    checkPairs(contents.map(fieldsOf))
  );
}

function checkPictures(contents: readonly Fields[]): Refusal | undefined {
  const { images } = GEMINI_MEDIA_LIMITS;
  const parts = contents.flatMap(partsOf);
  const pictures = [...parts, ...parts.flatMap((part) => partsOf(fieldsOf(part["functionResponse"])))].filter((part) =>
    textOf(fieldsOf(part["inlineData"] ?? part["fileData"])["mimeType"])?.startsWith("image/"),
  );
  return pictures.length > images
    ? invalid("size", `Please use fewer than ${images} images in your request`)
    : undefined;
}

function unknownName(name: string, place: string): Refusal {
  return invalid("shape", `Invalid JSON payload received. Unknown name "${name}" at '${place}': Cannot find field.`);
}

function checkContent(value: unknown, at: number): Refusal | undefined {
  const place = `contents[${at}]`;
  if (!isFields(value))
    return invalid(
      "shape",
      `Invalid value at '${place}' (type.googleapis.com/google.ai.generativelanguage.v1beta.Content)`,
    );
  const stray = Object.keys(value).find((key) => key !== "role" && key !== "parts");
  if (stray !== undefined && !stray.startsWith("x_")) return unknownName(stray, place);
  const { role } = value;
  if (role !== undefined && role !== "user" && role !== "model" && role !== "function")
    return invalid("roles", "Please use a valid role: user, model.");
  const parts = partsOf(value);
  if (parts.length === 0)
    return invalid("empty", `* GenerateContentRequest.contents[${at}].parts: contents.parts must not be empty.\n`);
  return firstRefusal(parts, (part, index) =>
    checkPart(part, { place: `${place}.parts[${index}]`, isModel: role === "model" }),
  );
}

interface PartPlace {
  readonly place: string;
  readonly isModel: boolean;
}

function checkPart(part: Fields, { place, isModel }: PartPlace): Refusal | undefined {
  const kinds = PART_KINDS.filter((kind) => part[kind] !== undefined);
  const stray = Object.keys(part).find((key) => !PART_KINDS.includes(key) && !PART_SETTINGS.has(key));
  if (stray !== undefined) return unknownName(stray, place);
  if (kinds.length === 0)
    return invalid(
      "shape",
      `* GenerateContentRequest.${place}.data: required oneof field 'data' must have one initialized field\n`,
    );
  if (kinds.length > 1)
    return invalid(
      "shape",
      `Invalid value at '${place}' (oneof), oneof field 'data' is already set. Cannot set '${kinds[1]!}'`,
    );
  const named = part["functionCall"] ?? part["functionResponse"];
  if (named !== undefined && (textOf(fieldsOf(named)["name"]) ?? "") === "")
    return invalid("shape", `* GenerateContentRequest.${place}.${kinds[0]!}.name: Name cannot be empty.\n`);
  if ((kinds[0] === "functionCall") !== isModel && kinds[0] === "functionCall")
    return invalid("roles", "Please ensure that function call turns have the role model.");
  if (isFields(part["functionCall"]) && !isObject(part["functionCall"]["args"]))
    return invalid(
      "arguments",
      `Invalid value at '${place}.function_call.args' (type.googleapis.com/google.protobuf.Struct)`,
    );
  return undefined;
}

function isObject(value: unknown): boolean {
  return value === undefined || value === null || isFields(value);
}

function checkInstruction(value: unknown): Refusal | undefined {
  if (value === undefined) return undefined;
  const wrong = partsOf(fieldsOf(value)).some((part) => part["text"] === undefined);
  return wrong ? invalid("shape", "Developer instruction only supports text parts.") : undefined;
}

function checkTools(body: Fields): Refusal | undefined {
  if (body["cachedContent"] !== undefined && (body["tools"] ?? body["systemInstruction"]) !== undefined)
    return invalid(
      "state",
      "CachedContent can not be used with GenerateContent request setting system_instruction, tools or tool_config.",
    );
  const declared = listOf(body["tools"]).flatMap((tool) =>
    listOf(fieldsOf(tool)["functionDeclarations"]).map(fieldsOf),
  );
  const broken = declared.findIndex(({ name }) => !/^[A-Za-z_][\w.:-]{0,127}$/.test(textOf(name) ?? ""));
  return broken < 0
    ? undefined
    : invalid(
        "shape",
        `* GenerateContentRequest.tools[0].function_declarations[${broken}].name: Invalid function name.`,
      );
}

const MISMATCH =
  "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";

/** The responses to all calls of a turn are in the contents behind it, before anybody else speaks. */
function checkPairs(contents: readonly Fields[]): Refusal | undefined {
  let open: string[] = [];
  for (const content of contents) {
    const parts = partsOf(content);
    const responses = parts.flatMap((part) => (isFields(part["functionResponse"]) ? [part["functionResponse"]] : []));
    for (const response of responses) {
      const at = open.indexOf(pairKey(response));
      if (at < 0)
        return invalid(
          "pairing",
          "Please ensure that function response turn comes immediately after a function call turn.",
        );
      open.splice(at, 1);
    }
    if (responses.length > 0 && responses.length === parts.length) continue;
    if (open.length > 0) return invalid("pairing", MISMATCH);
    open = parts.flatMap((part) => (isFields(part["functionCall"]) ? [pairKey(part["functionCall"])] : []));
  }
  return open.length > 0 ? invalid("pairing", MISMATCH) : undefined;
}

/** By the id where there is one, else by the name. */
function pairKey(one: Fields): string {
  const id = textOf(one["id"]);
  return id === undefined ? `name ${String(one["name"])}` : `id ${id}`;
}
