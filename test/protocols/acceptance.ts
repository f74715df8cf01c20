/** What each provider's door lets in, written down from its documentation and independent of our encoders: a list of complaints. */

type Fields = Readonly<Record<string, unknown>>;
type Complain = (text: string) => void;

export interface WireRequest {
  readonly messages: readonly unknown[];
  readonly system?: unknown;
}

const CHECKS: Readonly<Record<string, (request: WireRequest, complain: Complain) => void>> = {
  "openai-chat": checkChat,
  "openai-responses": checkResponses,
  "anthropic-messages": checkAnthropic,
};

export function complaintsAbout(protocol: string, request: WireRequest): readonly string[] {
  const complaints: string[] = [];
  CHECKS[protocol]!(request, (text) => complaints.push(text));
  return complaints;
}

const list = (value: unknown): readonly Fields[] => (Array.isArray(value) ? (value as Fields[]) : []);
const fields = (value: unknown): Fields => value as Fields;

function isJson(text: unknown): boolean {
  try {
    JSON.parse(text as string);
    return typeof text === "string";
  } catch {
    return false;
  }
}

/** Every block of a content list is one of these kinds; unknown kinds that stand for blocks of the future pass. */
function checkBlocks(content: unknown, kinds: readonly string[], complain: Complain): void {
  for (const block of list(content)) {
    const type = String(block["type"]);
    if (!kinds.includes(type) && !type.startsWith("x_") && type !== "future_block")
      complain(`a ${type} block may not stand here`);
  }
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

const ANTHROPIC_ID = /^[a-zA-Z0-9_-]+$/;

function checkAnthropic({ messages, system }: WireRequest, complain: Complain): void {
  const ids = new Set<string>();
  let open: string[] = [];
  if (system !== undefined) checkAnthropicContent(system, ["text"], complain);
  messages.map(fields).forEach((message, at) => {
    const { role, content } = message;
    if (role !== "user" && role !== "assistant") complain(`role ${String(role)}`);
    if (at === 0 && role !== "user") complain("the first message is not the user's");
    const blocks = list(content);
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
  if (typeof content === "string" ? content.trim() === "" : list(content).length === 0) complain("content is empty");
  checkBlocks(content, kinds, complain);
  for (const block of list(content))
    if (block["type"] === "text" && String(block["text"]).trim() === "") complain("blank text block");
}
