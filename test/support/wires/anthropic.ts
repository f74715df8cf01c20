/** Anthropic Messages. */
import { RawJson, type JsonLike } from "../json-text.ts";
import type { Random } from "../random.ts";
import { FILE_NAME, IMAGE_URL, NEUTRAL, objectOrEmpty, PDF_BASE64, PIXEL_BASE64, resultsOf } from "../turns-to-ir.ts";
import type { Turn, TurnContent } from "../turns.ts";
import { checkBlocks, fields, list as listOf } from "./checking.ts";
import {
  textOfChat,
  type ChatMessage,
  type Complain,
  type Fields,
  type WireKit,
  type WireRequest,
  type Writer,
} from "./kit.ts";
import { base64Source, callText, contentOf, extras, textBlock, unknownBlock, type Reply } from "./writing.ts";

export const anthropicKit: WireKit = {
  traits: {
    ...NEUTRAL,
    customCalls: false,
    refusals: false,
    names: false,
    argumentsAsText: false,
    systemInBlocks: true,
  },
  writer: anthropicWriter,
  check: checkAnthropic,
  fromChat: (_, { system, rest }) => ({ model: "m", max_tokens: 4096, system, messages: anthropicMessages(rest) }),
};

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
    maxTokens: (tokens) => ({ ["max_tokens"]: tokens }),
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

const ANTHROPIC_ID = /^[a-zA-Z0-9_-]+$/;

function checkAnthropic({ messages, system }: WireRequest, complain: Complain): void {
  const ids = new Set<string>();
  let open: string[] = [];
  if (system !== undefined) checkAnthropicContent(system, ["text"], complain);
  messages.map(fields).forEach((message, at) => {
    const { role, content } = message;
    if (role !== "user" && role !== "assistant") complain(`role ${String(role)}`);
    if (at === 0 && role !== "user") complain("the first message is not the user's");
    const blocks = listOf(content);
    const results = blocks.filter((block) => block["type"] === "tool_result");
    if (results.some((result, index) => blocks[index] !== result)) complain("results do not come first");
    for (const result of results) {
      const found = open.indexOf(String(result["tool_use_id"]));
      if (found < 0) complain(`result ${String(result["tool_use_id"])} answers no call of the message before it`);
      else open.splice(found, 1);
      if (result["content"] !== "") checkAnthropicContent(result["content"], ["text", "image", "document"], complain);
    }
    if (open.length > 0) complain(`tool_use without tool_result: ${open.join()}`);
    const kinds = role === "assistant" ? ["text", "tool_use"] : ["text", "image", "document", "tool_result"];
    checkAnthropicContent(content, kinds, complain);
    open = [];
    for (const call of blocks.filter((block) => block["type"] === "tool_use")) {
      const id = String(call["id"]);
      if (!ANTHROPIC_ID.test(id)) complain(`id ${id}`);
      if (ids.has(id)) complain(`id ${id} is not unique`);
      ids.add(id);
      open.push(id);
      if (typeof call["input"] !== "object" || call["input"] === null || Array.isArray(call["input"]))
        complain("input is no object");
    }
  });
  if (open.length > 0) complain(`tool_use without tool_result: ${open.join()}`);
}

function checkAnthropicContent(content: unknown, kinds: readonly string[], complain: Complain): void {
  if (typeof content === "string" ? content.trim() === "" : listOf(content).length === 0) complain("content is empty");
  checkBlocks(content, kinds, complain);
  for (const block of listOf(content))
    if (block["type"] === "text" && String(block["text"]).trim() === "") complain("blank text block");
}

function anthropicMessages(messages: readonly ChatMessage[]): JsonLike[] {
  const list: { role: string; content: JsonLike[] }[] = [];
  let answering = false;
  for (const message of messages) {
    const text = textOfChat(message.content);
    if (message.role === "tool") {
      const result = { type: "tool_result", tool_use_id: message.tool_call_id, content: text };
      if (answering) list.at(-1)!.content.push(result);
      else list.push({ role: "user", content: [result] });
      answering = true;
      continue;
    }
    const calls = (message.tool_calls ?? []).map((call) => ({
      type: "tool_use",
      id: call.id,
      name: call.function.name,
      input: new RawJson(objectOrEmpty(call.function.arguments)),
    }));
    const said = text === "" && calls.length > 0 ? [] : [{ type: "text", text }];
    const follows = message.role === "user" && answering;
    if (follows) list.at(-1)!.content.push(...said);
    else list.push({ role: message.role === "assistant" ? "assistant" : "user", content: [...said, ...calls] });
    answering = false;
  }
  return list;
}
