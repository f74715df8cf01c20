/** OpenAI Responses. */
import type { Message } from "../../core/transcript/message.ts";
import {
  fixedRoutes,
  type ProtocolDefinition,
  type ProtocolMarks,
  flatFollowUp,
  declarationsIn,
  described,
  oneToolEach,
  strictness,
} from "../definition.ts";
import { type Draft, type Entry, OPENS_FREELY } from "../dialect.ts";
import { type Fields, fieldsOf, textOf, listOf, parsed } from "../fields.ts";
import { COMPACTS_ITSELF, compactsItself } from "../content.ts";
import { openai, openaiMediaLimits } from "../openai-vendor.ts";
import { responsesUsage } from "../usage.ts";
import { joins, readItems } from "./read.ts";
import { responsesScreen, responsesWhole } from "./screen.ts";
import { writeRun } from "./write.ts";
import {
  plain,
  textOfBlocks,
  type PlainAnswer,
  asksForStream,
  streamedBody,
  wholeBody,
  type OwnAnswer,
  type WriteOwnAnswer,
  BEGINS,
  ENDS,
  failure,
  isFilled,
  memberTexts,
  NOTHING,
  typeOf,
  untypedFailure,
  type AnswerDialect,
  type AnswerSignal,
  readSteps,
  type AnswerStep,
} from "../answers/own-answer.ts";

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

/** Reasoning without its encrypted content cannot come back. */
function readStep({ type, encrypted_content: content, call_id: id }: Fields): AnswerStep | undefined {
  if (type === "reasoning") return typeof content === "string" ? { kind: "reasoning" } : undefined;
  const isCall = type === "function_call" || type === "custom_tool_call";
  return isCall && typeof id === "string" ? { kind: "call", id } : undefined;
}

const responsesAnswers: AnswerDialect = {
  event: (event, began) => {
    const type = typeOf(event);
    switch (type) {
      case "response.created":
      case "response.queued":
      case "response.in_progress":
      case "keepalive":
      case "ping":
        return NOTHING;
      case "response.completed":
      case "response.incomplete":
      case "response.done":
      case "response.failed":
      case "response.cancelled":
        return readFinal(memberTexts(memberTexts(event.data).get("response")));
      case "response.output_item.done":
        return { ...BEGINS, ...readSteps(event.data, ({ item }) => readStep(fieldsOf(item))) };
      case "error":
        return failure(event.data);
      default:
        return began ? NOTHING : (untypedFailure(event) ?? BEGINS);
    }
  },
  whole: (response) => ({
    ...readFinal(response),
    ...readSteps(response.get("output"), readStep),
    ...(isFilled(response.get("output")) ? BEGINS : {}),
  }),
};

const responsesOwnAnswer: WriteOwnAnswer = (answer, asked) => {
  const previousId = textOf(asked.member("previous_response_id"));
  const opened = {
    // The client continues from the provider's last response, which knows nothing of this answer.
    id: previousId ?? `resp_${answer.id}`,
    object: "response",
    created_at: answer.createdSeconds,
    model: answer.model,
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    parallel_tool_calls: true,
    previous_response_id: previousId ?? null,
    store: false,
    temperature: 1,
    tool_choice: "auto",
    tools: [],
    top_p: 1,
  };
  const item = messageItem(answer);
  const response = { ...opened, status: "completed", output: [item], usage: USAGE };
  if (!asksForStream(asked)) return wholeBody(response);
  return streamedBody(writeEvents({ ...opened, status: "in_progress", output: [], usage: null }, item, response));
};

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
    lockOf: findLock,
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
function findLock(members: ReadonlyMap<string, string>): string | undefined {
  for (const key of ["previous_response_id", "conversation"]) {
    const text = members.get(key);
    if (text !== undefined && text !== "null") return `the provider holds the history (${key})`;
  }
  return compactsItself(members.get("context_management")) ? COMPACTS_ITSELF : undefined;
}

function readFinal(response: ReadonlyMap<string, string>): AnswerSignal {
  const usage = responsesUsage({ usage: parsed(response.get("usage")) });
  const error = response.get("error");
  return isFilled(error) ? { usage, ...failure(`{"error":${error}}`) } : { usage, ...ENDS };
}

const USAGE = {
  input_tokens: 0,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 0,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 0,
};

function messageItem({ id, text }: OwnAnswer) {
  return { id: `msg_${id}`, type: "message", status: "completed", role: "assistant", content: [textPart(text)] };
}

function textPart(text: string) {
  return { type: "output_text", text, annotations: [], logprobs: [] };
}

function writeEvents(opened: Fields, item: ReturnType<typeof messageItem>, response: Fields) {
  const { id: item_id, content } = item;
  const [part] = content;
  const text = part!.text;
  const place = { item_id, output_index: 0, content_index: 0 };
  const events: readonly (readonly [type: string, fields: Fields])[] = [
    ["response.created", { response: opened }],
    ["response.in_progress", { response: opened }],
    ["response.output_item.added", { output_index: 0, item: { ...item, status: "in_progress", content: [] } }],
    ["response.content_part.added", { ...place, part: textPart("") }],
    ["response.output_text.delta", { ...place, delta: text, logprobs: [] }],
    ["response.output_text.done", { ...place, text, logprobs: [] }],
    ["response.content_part.done", { ...place, part }],
    ["response.output_item.done", { output_index: 0, item }],
    ["response.completed", { response }],
  ];
  return events.map(([type, fields], at) => ({ name: type, data: { type, sequence_number: at, ...fields } }));
}
