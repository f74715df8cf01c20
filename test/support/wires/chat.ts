/** Chat Completions. */
import { type JsonLike } from "../json-text.ts";
import type { Random } from "../random.ts";
import { FILE_NAME, IMAGE_URL, NEUTRAL, PDF_BASE64, PIXEL_BASE64, resultsOf } from "../turns-to-ir.ts";
import type { Turn, TurnCall, TurnContent } from "../turns.ts";
import { checkBlocks, fields, isJson, list } from "./checking.ts";
import { type Complain, type Fields, type WireKit, type WireRequest, type Writer } from "./kit.ts";
import { contentOf, dataUrl, extras, unknownBlock, type Reply } from "./writing.ts";

export const chatKit: WireKit = {
  traits: { ...NEUTRAL, errorFlags: false },
  writer: chatWriter,
  check: checkChat,
  fromChat: (messages) => ({ model: "m", messages: messages as unknown as JsonLike, stream: true }),
};

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
    maxTokens: (tokens) => ({ [random.pick(["max_tokens", "max_completion_tokens"])]: tokens }),
    system: (texts) => ({ top: {}, leading: texts.map(system) }),
    leadingInArray: (texts) => texts.map(system),
    messages: (turns) => turns.flatMap(message),
    tool: (name) => ({ type: "function", function: { name, parameters: { type: "object" } } }),
  };
}

function checkChat({ messages }: WireRequest, complain: Complain): void {
  let open: string[] = [];
  for (const message of messages.map(fields)) {
    const { role, content } = message;
    if (role === "tool") {
      const at = open.indexOf(String(message["tool_call_id"]));
      if (at < 0) complain(`result ${String(message["tool_call_id"])} answers no call`);
      open.splice(Math.max(at, 0), 1);
      checkBlocks(content, ["text"], complain);
      continue;
    }
    if (open.length > 0) complain(`calls without results: ${open.join()}`);
    const calls = list(message["tool_calls"]);
    if (content === null ? calls.length === 0 : typeof content !== "string" && !Array.isArray(content))
      complain("content is missing");
    if (role === "system") checkBlocks(content, ["text"], complain);
    else if (role === "user") checkBlocks(content, ["text", "image_url", "file"], complain);
    else if (role === "assistant") checkBlocks(content, ["text", "refusal"], complain);
    else complain(`role ${String(role)}`);
    open = calls.map((call) => String(call["id"]));
    for (const call of calls) {
      if (String(call["id"]).length > 40 || call["id"] === "") complain("call id too long or empty");
      if (call["type"] === "function" && !isJson(fields(call["function"])["arguments"]))
        complain("arguments are no JSON");
    }
  }
  if (open.length > 0) complain(`calls without results: ${open.join()}`);
}
