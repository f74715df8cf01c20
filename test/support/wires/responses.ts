/** Responses. */
import { type JsonLike } from "../json-text.ts";
import type { Random } from "../random.ts";
import { FILE_NAME, IMAGE_URL, NEUTRAL, PDF_BASE64, PIXEL_BASE64, resultsOf } from "../turns-to-ir.ts";
import type { Turn, TurnCall, TurnContent } from "../turns.ts";
import { checkBlocks, fields, isJson } from "./checking.ts";
import {
  textOfChat,
  type ChatMessage,
  type Complain,
  type Fields,
  type WireKit,
  type WireRequest,
  type Writer,
} from "./kit.ts";
import { contentOf, dataUrl, extras, unknownBlock, type Reply } from "./writing.ts";

export const responsesKit: WireKit = {
  traits: { ...NEUTRAL, errorFlags: false, names: false, mergesReplies: true },
  writer: responsesWriter,
  check: checkResponses,
  fromChat: (_, { system, rest }) => ({
    model: "m",
    instructions: system,
    input: rest.flatMap(responsesItems),
    store: false,
  }),
};

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
    maxTokens: (tokens) => ({ ["max_output_tokens"]: tokens }),
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

function checkResponses({ messages }: WireRequest, complain: Complain): void {
  const open: string[] = [];
  for (const item of messages.map(fields)) {
    const type = String(item["type"]);
    const key = `${type.replace("_output", "")} ${String(item["call_id"])}`;
    if (type === "message") {
      const input = item["role"] === "user" ? ["input_text", "input_image", "input_file"] : ["input_text"];
      checkBlocks(item["content"], item["role"] === "assistant" ? ["output_text", "refusal"] : input, complain);
      if (!["user", "assistant", "system", "developer"].includes(String(item["role"])))
        complain(`role ${String(item["role"])}`);
    } else if (type === "function_call" || type === "custom_tool_call") {
      open.push(key);
      if (String(item["call_id"]).length > 64 || item["call_id"] === "") complain("call id too long or empty");
      if (type === "function_call" && !isJson(item["arguments"])) complain("arguments are no JSON");
    } else if (type === "function_call_output" || type === "custom_tool_call_output") {
      if (!open.includes(key)) complain(`no ${key} before its output`);
      else open.splice(open.indexOf(key), 1);
      checkBlocks(item["output"], ["input_text", "input_image", "input_file"], complain);
    } else if (!type.startsWith("x_") && type !== "future_block") complain(`item ${type}`);
  }
  if (open.length > 0) complain(`No tool output found for ${open.join()}`);
}

function responsesItems(message: ChatMessage): JsonLike[] {
  const text = textOfChat(message.content);
  if (message.role === "tool") return [{ type: "function_call_output", call_id: message.tool_call_id, output: text }];
  const type = message.role === "assistant" ? "output_text" : "input_text";
  const calls = (message.tool_calls ?? []).map((call) => ({
    type: "function_call",
    call_id: call.id,
    name: call.function.name,
    arguments: call.function.arguments,
  }));
  const said =
    text === "" && calls.length > 0 ? [] : [{ type: "message", role: message.role, content: [{ type, text }] }];
  return [...said, ...calls];
}
