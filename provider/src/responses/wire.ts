/** Responses as the vendor's server has it: history by reference, requests judged and rendered, errors in its words. */
import { countOf, fieldsOf, listOf, textOf, blocksOf, type Fields } from "../../../src/protocols/fields.ts";
import { type Block, type Prompt } from "../contract.ts";
import {
  firstRefusal,
  invalid,
  type Refusal,
  checkPictures,
} from "../../../src/protocols/request-form/openai-refusals.ts";
import { breakpointIn, checkLifetimes, RESPONSES_TTLS } from "../caches/lifetimes.ts";
import type { Memory } from "../memory.ts";
import { isOver, OPENAI_WORDS } from "../openai-words.ts";
import type { ModelTraits } from "../traits.ts";
import {
  CALL_TOKENS,
  canonical,
  MESSAGE_TOKENS,
  promptOf,
  RESULT_TOKENS,
  textTokens,
  toolBlocks,
  weighContent,
} from "../weigh.ts";
import {
  isRefusal,
  type AcceptedRequest,
  type JudgeRequest,
  type Wire,
  answersAtEnd,
  BODY_FORM,
  wordsOf,
} from "../wire.ts";
import {
  asksForCompaction,
  checkManagement,
  compactionBlock,
  compactionOf,
  readItems,
  thresholdOf,
} from "./compaction.ts";
import {
  checkShape,
  contentsOf,
  itemsOf,
  kindOf,
  checkTrigger,
} from "../../../src/protocols/request-form/responses.ts";
import { checkIds, checkPairs, checkReasoning, checkSealed, notFound, sealed } from "./pairing.ts";
import { streamResponse, streamResponseError, responseReply } from "./reply.ts";

export const responsesWire: Wire = {
  protocol: "openai-responses",
  ...OPENAI_WORDS,
  request: {
    ...BODY_FORM,
    lastSaid: ({ input }) => (typeof input === "string" ? input : wordsOf(fieldsOf(listOf(input).at(-1)))),
    answeredCalls: ({ input }) =>
      answersAtEnd(listOf(input).map(fieldsOf), (item) =>
        textOf(item["type"])?.endsWith("_call_output") === true ? textOf(item["call_id"]) : undefined,
      ),
  },
  errorEvent: "error",
  render: (body, traits) => render(body, readItems(itemsOf(body)), traits),
  judge,
  overflow,
  replyBody: responseReply,
  stream: streamResponse,
  streamedError: streamResponseError,
  streamsOverflow: true,
};

function judge({ incoming: { body, path }, traits, sealer, memory }: JudgeRequest): Refusal | AcceptedRequest {
  const misshapen = checkShape(body) ?? checkManagement(body);
  if (misshapen !== undefined) return misshapen;
  const items = wholeHistory(body, memory);
  if (isRefusal(items)) return items;
  const wrong =
    checkIds(items) ??
    checkPictures(body, contentsOf(items)) ??
    checkTrigger(items) ??
    checkPairs(items) ??
    checkReasoning(items, { memory, sealer }) ??
    checkLifetimes(body, { ttls: RESPONSES_TTLS, parts: items.flatMap(partsOf) }) ??
    firstRefusal(items, (item) => (kindOf(item) === "compaction" ? checkSealed(item, sealer) : undefined));
  if (wrong !== undefined) return wrong;
  const asked = asksForCompaction(path) || items.at(-1)?.["type"] === "compaction_trigger";
  const own = asked ? compactionOf(items) : undefined;
  const prompt = render(body, readItems(items), traits);
  const thresholdTokens = thresholdOf(body);
  const isAbove = !asked && thresholdTokens !== undefined && prompt.inputTokens > thresholdTokens;
  return {
    prompt,
    transformations: undefined,
    seal: (_, text) => sealed(text, sealer),
    answered: (answer) => keep(fieldsOf(answer), { body, items, memory }),
    ...(own === undefined ? {} : { own }),
    ...(isAbove ? { opening: compactionBlock(items) } : {}),
  };
}

/** What `previous_response_id` stands for, then what was sent, references resolved. */
function wholeHistory(body: Fields, memory: Memory): Refusal | readonly Fields[] {
  const previous = textOf(body["previous_response_id"]);
  const before = previous === undefined ? [] : memory.responses.get(previous);
  if (before === undefined)
    return invalid("state", `Previous response with id '${previous}' not found.`, {
      param: "previous_response_id",
      code: "previous_response_not_found",
    });
  const sent = itemsOf(body);
  const lost = sent.find(
    (item) => kindOf(item) === "item_reference" && memory.items.get(String(item["id"])) === undefined,
  );
  if (lost !== undefined) return notFound(String(lost["id"]));
  return [
    ...before,
    ...sent.map((item) => (kindOf(item) === "item_reference" ? memory.items.get(String(item["id"]))! : item)),
  ];
}

function keep(
  answer: Fields,
  { body, items, memory }: { readonly body: Fields; readonly items: readonly Fields[]; readonly memory: Memory },
): void {
  const output = listOf(answer["output"]).map(fieldsOf);
  for (const [at, item] of output.entries()) {
    const next = output[at + 1];
    if (kindOf(item) === "reasoning" && next !== undefined)
      memory.reasoningOf.set(String(next["id"]), String(item["id"]));
  }
  if (body["store"] === false) return;
  memory.responses.set(String(answer["id"]), [...items, ...output]);
  for (const item of output) memory.items.set(String(item["id"]), item);
}

function render(body: Fields, items: readonly Fields[], traits: ModelTraits): Prompt {
  const tools = toolBlocks(body["tools"]);
  const instructions = textOf(body["instructions"]) ?? "";
  const system: readonly Block[] =
    instructions === ""
      ? []
      : [{ section: "system", text: instructions, tokens: MESSAGE_TOKENS + textTokens(instructions), ends: true }];
  const blocks = items
    .filter((item) => kindOf(item) !== "compaction_trigger")
    .flatMap((item) => renderItem(item, traits));
  return promptOf([...tools, ...system, ...blocks], traits, {
    messageSettings: "",
    maxOutputTokens: countOf(body["max_output_tokens"]),
  });
}

/** What a message says, or a tool's output. */
function partsOf(item: Fields): readonly Fields[] {
  return blocksOf(item[kindOf(item).endsWith("_output") ? "output" : "content"]);
}

function renderItem(item: Fields, { imageTokens }: ModelTraits): readonly Block[] {
  const kind = kindOf(item);
  const weigh = weighContent(imageTokens);
  const isOutput = kind.endsWith("_output");
  if (kind !== "message" && !isOutput)
    return [{ section: "messages", text: canonical(item), tokens: MESSAGE_TOKENS + weighItem(item, kind), ends: true }];
  const head = `${kind} ${String(item["role"])} ${String(item["call_id"])}`;
  const frame = MESSAGE_TOKENS + (isOutput ? RESULT_TOKENS : 0);
  const parts = partsOf(item);
  if (parts.length === 0) return [{ section: "messages", text: head, tokens: frame, ends: true }];
  return parts.map((part, at) => ({
    section: "messages",
    text: `${head} ${canonical(part)}`,
    tokens: weigh(part) + (at === 0 ? frame : 0),
    ...breakpointIn(part),
    ...(at === parts.length - 1 ? { ends: true as const } : {}),
  }));
}

function weighItem(item: Fields, kind: string): number {
  switch (kind) {
    case "function_call":
    case "custom_tool_call":
      return (
        CALL_TOKENS +
        textTokens(textOf(item["name"]) ?? "") +
        textTokens(textOf(item["arguments"]) ?? textOf(item["input"]) ?? "")
      );
    case "reasoning":
      return listOf(item["summary"]).reduce<number>(
        (sum, part) => sum + textTokens(textOf(fieldsOf(part)["text"]) ?? ""),
        0,
      );
    default:
      return textTokens(canonical(item));
  }
}

function overflow(prompt: Prompt, windowTokens: number): Refusal | undefined {
  if (!isOver(prompt, windowTokens)) return undefined;
  const requested = prompt.inputTokens + (prompt.maxOutputTokens ?? 0);
  return invalid(
    "window",
    `Input tokens exceed the configured limit of ${windowTokens} tokens. Your messages resulted in ${requested} tokens. Please reduce the length of the messages.`,
    { code: "context_length_exceeded", param: "input" },
  );
}
