/** The Gemini API. */
import { type JsonLike } from "../json-text.ts";
import type { Random } from "../random.ts";
import { FILE_NAME, IMAGE_URL, NEUTRAL, PDF_BASE64, PIXEL_BASE64, resultsOf } from "../turns-to-ir.ts";
import type { Turn, TurnCall, TurnContent } from "../turns.ts";
import { fields, list } from "./checking.ts";
import {
  textOfChat,
  type ChatMessage,
  type Complain,
  type Fields,
  type WireKit,
  type WireRequest,
  type Writer,
} from "./kit.ts";
import { callText, unknownBlock, type Reply } from "./writing.ts";

export const geminiKit: WireKit = {
  traits: {
    ...NEUTRAL,
    customCalls: false,
    refusals: false,
    names: false,
    argumentsAsText: false,
    systemInBlocks: true,
    resultsAsOneText: true,
  },
  writer: geminiWriter,
  check: checkGemini,
  fromChat: (_, { system, rest }) => ({
    ...(system === undefined ? {} : { systemInstruction: { parts: [{ text: system }] } }),
    contents: geminiContents(rest),
  }),
};

function geminiWriter(random: Random): Writer {
  const part = (one: TurnContent): JsonLike => {
    switch (one.kind) {
      case "text":
        return { text: one.text, ...partExtras(random) };
      case "image":
        return one.source === "url"
          ? { fileData: { mimeType: "image/png", fileUri: IMAGE_URL } }
          : { inlineData: { mimeType: "image/png", data: PIXEL_BASE64 } };
      case "file":
        return { inlineData: { mimeType: "application/pdf", data: PDF_BASE64, displayName: FILE_NAME } };
      case "unknown":
        return unknownBlock(one.type);
    }
  };
  const response = (
    call: Pick<TurnCall, "id" | "name">,
    content: readonly TurnContent[],
    isError: boolean,
  ): JsonLike => {
    const texts = content.flatMap((one) => (one.kind === "text" ? [one.text] : []));
    const media = content.filter((one) => one.kind === "image" || one.kind === "file");
    const said = texts.length === 0 && !isError ? {} : { [isError ? "error" : "output"]: texts.join("\n") };
    return {
      functionResponse: {
        id: call.id,
        name: call.name,
        response: said,
        ...(media.length === 0 ? {} : { parts: media.map(part) }),
      },
    };
  };
  const reply = (turn: Reply): JsonLike => ({
    role: "model",
    parts: [
      ...(turn.reasoning === undefined ? [] : [{ text: turn.reasoning, thought: true }]),
      ...(turn.text === undefined ? [] : [{ text: turn.text }]),
      ...(turn.unknown ? [unknownBlock("x_step")] : []),
      ...(turn.refusal === undefined ? [] : [{ text: turn.refusal }]),
      ...turn.calls.map((call) => ({
        functionCall: { id: call.id, name: call.name, args: callText(call) },
        ...(random.chance(0.5) ? { thoughtSignature: "c2lnbmVk" } : {}),
      })),
    ],
  });
  const contents = (turn: Turn): JsonLike[] => {
    switch (turn.kind) {
      case "user":
        return [{ ...(random.chance(0.8) ? { role: "user" } : {}), parts: turn.content.map(part) }];
      case "system":
        return [{ role: "system", parts: [{ text: turn.text }] }];
      case "orphan-result":
        return [{ role: "user", parts: [response({ id: turn.callId, name: "lost" }, turn.content, false)] }];
      case "assistant": {
        const answers = resultsOf(turn).map((one) => response(one, one.result!.content, one.result!.isError));
        return [reply(turn), ...(answers.length === 0 ? [] : [{ role: "user", parts: answers }])];
      }
    }
  };
  const system = (texts: readonly string[]): Fields =>
    texts.length === 0 ? {} : { systemInstruction: { parts: texts.map((text) => ({ text })) } };
  return {
    listKey: "contents",
    maxTokens: (tokens) => ({ generationConfig: { maxOutputTokens: tokens } }),
    system: (texts) => ({ top: system(texts), leading: [] }),
    leadingInArray: (texts) => (texts.length === 0 ? [] : [{ role: "system", parts: texts.map((text) => ({ text })) }]),
    messages: (turns) => turns.flatMap(contents),
    tool: (name) => ({ functionDeclarations: [{ name, parameters: { type: "object" } }] }),
  };
}

/** Members that are next to a text. */
function partExtras(random: Random): Fields {
  return random.chance(0.2) ? { thoughtSignature: "c2ln" } : {};
}

function checkGemini({ messages }: WireRequest, complain: Complain): void {
  let open: string[] = [];
  for (const content of messages.map(fields)) {
    const { role } = content;
    if (role !== undefined && role !== "user" && role !== "model") complain(`role ${String(role)}`);
    const parts = list(content["parts"]);
    if (parts.length === 0) complain("a content without parts");
    const responses = parts.flatMap((part) =>
      part["functionResponse"] === undefined ? [] : [fields(part["functionResponse"])],
    );
    for (const { id, name } of responses) {
      const at = open.indexOf(String(id ?? name));
      if (at < 0) complain(`response ${String(id ?? name)} answers no call`);
      open.splice(Math.max(at, 0), 1);
    }
    if (responses.length > 0 && responses.length === parts.length) continue;
    if (open.length > 0) complain(`calls without responses: ${open.join()}`);
    open = parts.flatMap((part) => {
      const call = part["functionCall"];
      return call === undefined ? [] : [String(fields(call)["id"] ?? fields(call)["name"])];
    });
    if (role !== "model" && open.length > 0) complain("a user calls a function");
  }
  if (open.length > 0) complain(`calls without responses: ${open.join()}`);
}

function geminiContents(messages: readonly ChatMessage[]): JsonLike[] {
  const contents: { role: string; parts: JsonLike[] }[] = [];
  const names = new Map<string, string>();
  const add = (role: string, parts: readonly JsonLike[], joins: boolean): void => {
    const last = contents.at(-1);
    if (joins && last?.role === role) last.parts.push(...parts);
    else contents.push({ role, parts: [...parts] });
  };
  let answering = false;
  for (const message of messages) {
    const text = textOfChat(message.content);
    if (message.role === "tool") {
      const name = names.get(message.tool_call_id ?? "") ?? "unknown";
      const part = { functionResponse: { id: message.tool_call_id ?? "", name, response: { output: text } } };
      add("user", [part], answering);
      answering = true;
      continue;
    }
    answering = false;
    const calls = (message.tool_calls ?? []).map(({ id, function: { name, arguments: args } }) => {
      names.set(id, name);
      return {
        functionCall: { id, name, args: callText({ id, name, arguments: args, custom: false, result: undefined }) },
      };
    });
    const said = text === "" && calls.length > 0 ? [] : [{ text }];
    add(message.role === "assistant" ? "model" : "user", [...said, ...calls], false);
  }
  return contents;
}
