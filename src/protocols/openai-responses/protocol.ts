/** OpenAI Responses. */
import type { Message } from "../../core/transcript/message.ts";
import { fixedRoutes, type ProtocolDefinition, type ProtocolMarks } from "../definition.ts";
import type { Draft, Entry, Fields } from "../dialect.ts";
import { fieldsOf, textOf, listOf } from "../fields.ts";
import { flatFollowUp } from "../follow-up-form.ts";
import { COMPACTS_ITSELF, compactsItself } from "../held.ts";
import { openai, openaiMediaLimits } from "../openai-vendor.ts";
import { responsesUsage } from "../usage.ts";
import { OPENS_FREELY } from "../wire-rules.ts";
import { responsesAnswers } from "./answers.ts";
import { joins } from "./items.ts";
import { responsesOwnAnswer } from "./own-answer.ts";
import { responsesPrompt } from "./prompt.ts";
import { readItems } from "./read.ts";
import { responsesScreen, responsesWhole } from "./screen.ts";
import { writeRun } from "./write.ts";
import { declarationsIn, described, oneToolEach, strictness } from "../tools.ts";
import { plain, textOfBlocks, type PlainAnswer } from "../answers/plain.ts";

/** How bodies of Responses are recognised. */
const responsesMarks: ProtocolMarks = {
  request: () => false,
  message: ({ role, type, ...message }) =>
    typeof type === "string" &&
    (role === undefined || (type === "message" && typeof role === "string" && !("stop_reason" in message))),
  blocks: ["input_text", "output_text", "input_image", "input_file"],
  certain: {
    message: ({ role, type }) => role === undefined && typeof type === "string",
    blocks: ["input_text", "output_text", "input_image"],
  },
};

/** A whole answer of Responses that was to be plain text. */
function readResponsesAnswer(answer: Fields): PlainAnswer | undefined {
  if (!Array.isArray(answer["output"])) return undefined;
  const items = answer["output"].map(fieldsOf);
  const blocks = items.filter(({ type }) => type === "message").flatMap(({ content }) => listOf(content).map(fieldsOf));
  const why = fieldsOf(answer["incomplete_details"])["reason"];
  return plain(textOfBlocks(blocks, "output_text"), {
    calls: items.some(({ type }) => String(type).endsWith("_call")),
    refused: why === "content_filter" || blocks.some(({ type }) => type === "refusal"),
    length: why === "max_output_tokens",
  });
}

/** Tools of Responses: a declaration beside its type; whatever else is typed is the provider's own. */
const responsesTools = oneToolEach({
  isOwn: (tool) =>
    typeof (tool["type"] ?? tool["name"]) === "string" &&
    !("input_schema" in tool) &&
    // Anthropic's own tools are dated.
    !/_\d{8}$/.test(textOf(tool["type"]) ?? ""),
  read: (tool) => declarationsIn(tool, ["parameters"]),
  tool: (declaration) => ({
    type: "function",
    ...described(declaration),
    parameters: declaration.schema,
    ...strictness(declaration),
  }),
});

/** The longest `call_id` a request may hold (OpenAI API reference, Responses, function_call). */
const MAX_CALL_ID_CHARS = 64;

export const openaiResponses: ProtocolDefinition = {
  vendor: openai,
  dialect: {
    name: "openai-responses",
    rules: { protocol: "openai-responses", ...OPENS_FREELY },
    ids: { pattern: /^[\s\S]+$/, maxChars: MAX_CALL_ID_CHARS, unique: false },
    listKey: "input",
    listMayBeText: true,
    systemKeys: ["instructions"],
    maxTokensKeys: ["max_output_tokens"],
    toolKeys: ["tools"],
    joins,
    read: readItems,
    readSystem: readInstructions,
    lockOf,
    attaches: () => false,
    write: writeRun,
    writeSystem: writeInstructions,
    systemInKey: (message, { first }) => first && onlyText(message) !== undefined,
  },
  usage: responsesUsage,
  routes: fixedRoutes({
    "/responses": { asks: "answer", label: "responses" },
    "/responses/compact": { asks: "compact", label: "compact" },
  }),
  marks: responsesMarks,
  tools: responsesTools,
  answers: responsesAnswers,
  plainAnswer: readResponsesAnswer,
  ownAnswer: responsesOwnAnswer,
  screen: responsesScreen,
  wholeScreen: responsesWhole,
  recall: {
    // What the provider keeps, the client may refer to by an id, and hidden calls would be part of it.
    isOpen: (member) => member("store") === false,
    answerForms: (member) => [fieldsOf(member("text"))["format"]],
  },
  followUp: flatFollowUp({ type: "message" }),
  cachePrompt: responsesPrompt,
  markers: undefined,
  mediaLimits: openaiMediaLimits,
  textBlock: "input_text",
};

function readInstructions(value: unknown): Draft | undefined {
  return typeof value === "string" && value !== ""
    ? { role: "system", parts: [{ kind: "text", text: value, at: 0 }] }
    : undefined;
}

/** Instructions are one string: what is there is joined, other system messages are items of the list. */
function writeInstructions(entries: readonly Entry[]): string {
  return JSON.stringify(
    entries
      .flatMap(({ message }) => message.parts.flatMap((part) => (part.kind === "text" ? part.text : [])))
      .join("\n\n"),
  );
}

function onlyText({ parts }: Message): string | undefined {
  const [first] = parts;
  return parts.length === 1 && first?.kind === "text" ? first.text : undefined;
}

/** With the first two the provider holds the history, or a part of it, and the request shows only what is new. */
function lockOf(members: ReadonlyMap<string, string>): string | undefined {
  for (const key of ["previous_response_id", "conversation"]) {
    const text = members.get(key);
    if (text !== undefined && text !== "null") return `the provider holds the history (${key})`;
  }
  return compactsItself(members.get("context_management")) ? COMPACTS_ITSELF : undefined;
}
