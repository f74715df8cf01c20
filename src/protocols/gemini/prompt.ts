/** A Gemini request as the prompt-cache model takes it: tools, system instruction, contents. */
import type { CachePrompt, PromptBlock } from "../caching/prefix-cache.ts";
import {
  CALL_TOKENS,
  framed,
  MESSAGE_TOKENS,
  nameOf,
  RESULT_TOKENS,
  toolBlocks,
  type Piece,
  type Weigh,
} from "../caching/prompt.ts";
import type { Fields } from "../dialect.ts";
import { fieldsOf, isFields, listOf, textOf } from "../fields.ts";

/** Flat, as our measure counts images and files (Zhang 2026). */
const MEDIA_TOKENS = 1_600;

export function geminiPrompt(request: Fields, text: Weigh): CachePrompt {
  const system = fieldsOf(request["systemInstruction"] ?? request["system_instruction"]);
  const pieces = piecesOf(system, text);
  const opening = pieces.length === 0 ? [] : framed("system", { name: "", tokens: MESSAGE_TOKENS }, pieces);
  const contents = listOf(request["contents"]).map(fieldsOf);
  return {
    blocks: [...toolBlocks(request, text), ...opening, ...contents.flatMap((content) => contentBlocks(content, text))],
    messageSettings: "",
  };
}

function contentBlocks(content: Fields, text: Weigh): readonly PromptBlock[] {
  return framed("messages", { name: String(content["role"]), tokens: MESSAGE_TOKENS }, piecesOf(content, text));
}

function piecesOf(content: Fields, text: Weigh): readonly Piece[] {
  return listOf(content["parts"])
    .map(fieldsOf)
    .map((part) => ({ name: nameOf(part), tokens: weighPart(part, text) }));
}

function weighPart(part: Fields, text: Weigh): number {
  const { text: said, functionCall: call, functionResponse: response } = part;
  if (typeof said === "string") return text(said);
  if (isFields(call)) return CALL_TOKENS + text(textOf(call["name"]) ?? "") + text(JSON.stringify(call["args"] ?? {}));
  if (isFields(response)) return RESULT_TOKENS + text(JSON.stringify(response["response"] ?? {}));
  return isFields(part["inlineData"]) || isFields(part["fileData"]) ? MEDIA_TOKENS : text(nameOf(part));
}
