/** Request bodies of each protocol, written from a conversation by hand so that no encoder of ours is trusted. */
import { printJson, RawJson, type JsonLayout, type JsonLike } from "./json-text.ts";
import { createRandom, type Random } from "./random.ts";
import {
  BIG_INTEGER,
  FILE_NAME,
  IMAGE_URL,
  NEUTRAL,
  objectOrEmpty,
  PDF_BASE64,
  PIXEL_BASE64,
  resultsOf,
  type Traits,
} from "./turns-to-ir.ts";
import type { Conversation, Turn, TurnCall, TurnContent } from "./turns.ts";

export type WireName = "openai-chat" | "openai-responses" | "anthropic-messages";
export const WIRE_NAMES: readonly WireName[] = ["openai-chat", "openai-responses", "anthropic-messages"];

export const TRAITS: Readonly<Record<WireName, Traits>> = {
  "openai-chat": { ...NEUTRAL, errorFlags: false },
  "openai-responses": { ...NEUTRAL, errorFlags: false, names: false, mergesReplies: true },
  "anthropic-messages": {
    ...NEUTRAL,
    customCalls: false,
    refusals: false,
    names: false,
    argumentsAsText: false,
    systemInBlocks: true,
  },
};

/** How one body is written: the seed decides every free choice of form. */
export interface WireForm {
  readonly seed: number;
  readonly layout: JsonLayout;
  /** Only the message array, as a file of messages holds it. */
  readonly bare: boolean;
}

type Fields = Readonly<Record<string, JsonLike | undefined>>;

export function bodyText(protocol: WireName, conversation: Conversation, form: WireForm): string {
  const random = createRandom(form.seed);
  const writer = WRITERS[protocol](random);
  const { top, leading } = form.bare
    ? { top: {}, leading: writer.leadingInArray(conversation.system) }
    : writer.system(conversation.system);
  const list = [...leading, ...writer.messages(conversation.turns)];
  const tools = conversation.tools.map(writer.tool);
  const body: JsonLike = form.bare
    ? list
    : {
        model: "some-model",
        ...top,
        ...(tools.length === 0 ? {} : { tools }),
        [writer.maxTokensKey]: 4096,
        metadata: { trace: BIG_INTEGER, note: "]}" },
        [writer.listKey]: list,
        stream: true,
      };
  return printJson(body, form.layout, random);
}

interface Writer {
  readonly listKey: string;
  readonly maxTokensKey: string;
  readonly system: (system: readonly string[]) => { readonly top: Fields; readonly leading: readonly JsonLike[] };
  readonly leadingInArray: (system: readonly string[]) => readonly JsonLike[];
  readonly messages: (turns: readonly Turn[]) => readonly JsonLike[];
  readonly tool: (name: string) => JsonLike;
}

const WRITERS: Readonly<Record<WireName, (random: Random) => Writer>> = {
  "openai-chat": chatWriter,
  "openai-responses": responsesWriter,
  "anthropic-messages": anthropicWriter,
};

type Reply = Extract<Turn, { kind: "assistant" }>;
type TextBlock = Extract<TurnContent, { kind: "text" }>;

const textBlock = (value: string): TextBlock => ({ kind: "text", text: value });
const dataUrl = (mediaType: string, data: string): string => `data:${mediaType};base64,${data}`;
const base64Source = (mediaType: string, data: string): JsonLike => ({ type: "base64", media_type: mediaType, data });
const unknownBlock = (type: string): JsonLike => ({ type, n: BIG_INTEGER });
const callText = (call: TurnCall): RawJson => new RawJson(objectOrEmpty(call.arguments));

/** Fields no decoder knows, now and then. */
function extras(random: Random): Fields {
  return random.chance(0.2) ? { x_trace: BIG_INTEGER, x_list: [1.5, null, "]"] } : {};
}

function onlyText(content: readonly TurnContent[]): string | undefined {
  const [first] = content;
  return content.length === 1 && first?.kind === "text" && first.text !== "" ? first.text : undefined;
}

/** Content as a string where it is one text, else as blocks; nothing at all in any of the forms clients use. */
function contentOf(content: readonly TurnContent[], random: Random, block: (one: TurnContent) => JsonLike): JsonLike {
  const text = onlyText(content);
  if (text !== undefined && random.chance(0.5)) return text;
  if (content.length === 0 && random.chance(0.5)) return "";
  return content.map(block);
}

function chatWriter(random: Random): Writer {
  const block = (one: TurnContent): JsonLike => {
    switch (one.kind) {
      case "text":
        return { type: "text", text: one.text, ...extras(random) };
      case "image":
        return {
          type: "image_url",
          image_url: { url: one.source === "url" ? IMAGE_URL : dataUrl("image/png", PIXEL_BASE64), detail: "low" },
        };
      case "file":
        return { type: "file", file: { filename: FILE_NAME, file_data: dataUrl("application/pdf", PDF_BASE64) } };
      case "unknown":
        return unknownBlock(one.type);
    }
  };
  const system = (text: string): JsonLike => ({
    role: random.pick(["system", "developer"]),
    content: contentOf([{ kind: "text", text }], random, block),
  });
  const tool = (callId: string, content: readonly TurnContent[]): JsonLike => ({
    role: "tool",
    tool_call_id: callId,
    content: contentOf(content, random, block),
    ...extras(random),
  });
  const call = (one: TurnCall): JsonLike =>
    one.custom
      ? { id: one.id, type: "custom", custom: { name: one.name, input: one.arguments } }
      : { id: one.id, type: "function", function: { name: one.name, arguments: one.arguments }, ...extras(random) };
  const reply = (turn: Reply): JsonLike => {
    const content: TurnContent[] = [];
    if (turn.text !== undefined) content.push({ kind: "text", text: turn.text });
    if (turn.unknown) content.push({ kind: "unknown", type: "x_step" });
    const empty = random.pick<Fields>([{}, { content: null }, { content: "" }]);
    return {
      role: "assistant",
      ...(content.length === 0 ? empty : { content: contentOf(content, random, block) }),
      ...(turn.reasoning === undefined ? {} : { reasoning_content: turn.reasoning }),
      ...(turn.refusal === undefined ? {} : { refusal: turn.refusal }),
      ...(turn.calls.length === 0
        ? random.pick<Fields>([{}, { tool_calls: null }, { tool_calls: [] }])
        : { tool_calls: turn.calls.map(call) }),
      ...extras(random),
    };
  };
  const message = (turn: Turn): JsonLike[] => {
    switch (turn.kind) {
      case "user":
        return [{ role: "user", content: contentOf(turn.content, random, block), name: turn.name, ...extras(random) }];
      case "system":
        return [system(turn.text)];
      case "orphan-result":
        return [tool(turn.callId, turn.content)];
      case "assistant":
        return [reply(turn), ...resultsOf(turn).map((one) => tool(one.id, one.result!.content))];
    }
  };
  return {
    listKey: "messages",
    maxTokensKey: random.pick(["max_tokens", "max_completion_tokens"]),
    system: (texts) => ({ top: {}, leading: texts.map(system) }),
    leadingInArray: (texts) => texts.map(system),
    messages: (turns) => turns.flatMap(message),
    tool: (name) => ({ type: "function", function: { name, parameters: { type: "object" } } }),
  };
}

function responsesWriter(random: Random): Writer {
  const blockOf =
    (textType: string) =>
    (one: TurnContent): JsonLike => {
      switch (one.kind) {
        case "text":
          return { type: textType, text: one.text, ...extras(random) };
        case "image":
          return {
            type: "input_image",
            image_url: one.source === "url" ? IMAGE_URL : dataUrl("image/png", PIXEL_BASE64),
            detail: "auto",
          };
        case "file":
          return { type: "input_file", filename: FILE_NAME, file_data: dataUrl("application/pdf", PDF_BASE64) };
        case "unknown":
          return unknownBlock(one.type);
      }
    };
  const input = blockOf("input_text");
  const kind = (): Fields => random.pick<Fields>([{}, { type: "message" }]);
  const system = (text: string): JsonLike => ({
    ...kind(),
    role: random.pick(["system", "developer"]),
    content: contentOf([{ kind: "text", text }], random, input),
  });
  const output = (callId: string, custom: boolean, content: readonly TurnContent[]): JsonLike => ({
    type: custom ? "custom_tool_call_output" : "function_call_output",
    call_id: callId,
    output: contentOf(content, random, input),
    ...extras(random),
  });
  const said = (content: JsonLike): JsonLike => ({
    type: "message",
    role: "assistant",
    content,
    ...random.pick<Fields>([{}, { id: "msg_1", status: "completed" }]),
  });
  const call = (one: TurnCall): JsonLike =>
    one.custom
      ? { type: "custom_tool_call", call_id: one.id, name: one.name, input: one.arguments }
      : {
          type: "function_call",
          id: "fc_1",
          call_id: one.id,
          name: one.name,
          arguments: one.arguments,
          ...extras(random),
        };
  const reply = (turn: Reply): JsonLike[] => {
    const items: JsonLike[] = [];
    if (turn.reasoning !== undefined)
      items.push({
        type: "reasoning",
        id: "rs_1",
        summary: [{ type: "summary_text", text: turn.reasoning }],
        encrypted_content: "gAAAA",
      });
    if (turn.text !== undefined)
      items.push(said(contentOf([{ kind: "text", text: turn.text }], random, blockOf("output_text"))));
    if (turn.unknown) items.push(unknownBlock("x_step"));
    if (turn.refusal !== undefined) items.push(said([{ type: "refusal", refusal: turn.refusal }]));
    items.push(...turn.calls.map(call));
    return items.length === 0 ? [said(random.pick<JsonLike>(["", []]))] : items;
  };
  const items = (turn: Turn): JsonLike[] => {
    switch (turn.kind) {
      case "user":
        return [{ ...kind(), role: "user", content: contentOf(turn.content, random, input), ...extras(random) }];
      case "system":
        return [system(turn.text)];
      case "orphan-result":
        return [output(turn.callId, false, turn.content)];
      case "assistant":
        return [...reply(turn), ...resultsOf(turn).map((one) => output(one.id, one.custom, one.result!.content))];
    }
  };
  return {
    listKey: "input",
    maxTokensKey: "max_output_tokens",
    system: ([first, ...rest]) => {
      if (first === undefined) return { top: {}, leading: [] };
      return random.chance(0.5)
        ? { top: { instructions: first }, leading: rest.map(system) }
        : { top: {}, leading: [first, ...rest].map(system) };
    },
    leadingInArray: (texts) => texts.map(system),
    messages: (turns) => turns.flatMap(items),
    tool: (name) => ({ type: "function", name, parameters: { type: "object" } }),
  };
}

function anthropicWriter(random: Random): Writer {
  const marker = (): Fields => (random.chance(0.15) ? { cache_control: { type: "ephemeral", ttl: "1h" } } : {});
  const block = (one: TurnContent): JsonLike => {
    switch (one.kind) {
      case "text":
        return { type: "text", text: one.text, ...marker() };
      case "image":
        return {
          type: "image",
          source: one.source === "url" ? { type: "url", url: IMAGE_URL } : base64Source("image/png", PIXEL_BASE64),
          ...marker(),
        };
      case "file":
        return { type: "document", source: base64Source("application/pdf", PDF_BASE64), title: FILE_NAME };
      case "unknown":
        return unknownBlock(one.type);
    }
  };
  const result = (callId: string, content: readonly TurnContent[], isError: boolean): JsonLike => ({
    type: "tool_result",
    tool_use_id: callId,
    ...(content.length === 0 && random.chance(0.3) ? {} : { content: contentOf(content, random, block) }),
    ...(isError ? { is_error: true } : random.pick<Fields>([{}, { is_error: false }])),
    ...marker(),
  });
  const reply = (turn: Reply): JsonLike => {
    const blocks: JsonLike[] = [];
    if (turn.reasoning !== undefined) blocks.push({ type: "thinking", thinking: turn.reasoning, signature: "EqQB" });
    if (turn.text !== undefined) blocks.push(block(textBlock(turn.text)));
    if (turn.unknown) blocks.push(unknownBlock("x_step"));
    if (turn.refusal !== undefined) blocks.push(block(textBlock(turn.refusal)));
    for (const call of turn.calls)
      blocks.push({ type: "tool_use", id: call.id, name: call.name, input: callText(call), ...marker() });
    const only =
      turn.reasoning === undefined && !turn.unknown && turn.refusal === undefined && turn.calls.length === 0
        ? turn.text
        : undefined;
    const empty = blocks.length === 0 && random.chance(0.5) ? "" : blocks;
    return { role: "assistant", content: only !== undefined && random.chance(0.5) ? only : empty };
  };
  const messages = (turns: readonly Turn[]): JsonLike[] => {
    const list: JsonLike[] = [];
    let results: JsonLike[] = [];
    const flush = (rest: readonly JsonLike[] = []): void => {
      if (results.length + rest.length > 0)
        list.push({ role: "user", content: [...results, ...rest], ...extras(random) });
      results = [];
    };
    for (const turn of turns) {
      if (turn.kind === "user" && results.length > 0 && turn.content.length > 0 && random.chance(0.7)) {
        flush(turn.content.map(block));
        continue;
      }
      if (turn.kind === "orphan-result") {
        results.push(result(turn.callId, turn.content, false));
        continue;
      }
      flush();
      if (turn.kind === "user")
        list.push({ role: "user", content: contentOf(turn.content, random, block), ...extras(random) });
      else if (turn.kind === "system")
        list.push({ role: "system", content: contentOf([textBlock(turn.text)], random, block) });
      else {
        list.push(reply(turn));
        for (const call of resultsOf(turn)) results.push(result(call.id, call.result!.content, call.result!.isError));
      }
    }
    flush();
    return list;
  };
  return {
    listKey: "messages",
    maxTokensKey: "max_tokens",
    system: (texts) => {
      if (texts.length === 0) return { top: {}, leading: [] };
      return { top: { system: contentOf(texts.map(textBlock), random, block) }, leading: [] };
    },
    leadingInArray: (texts) =>
      texts.length === 0 ? [] : [{ role: "system", content: contentOf(texts.map(textBlock), random, block) }],
    messages,
    tool: (name) => ({ name, input_schema: { type: "object" }, ...marker() }),
  };
}
