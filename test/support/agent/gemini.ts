/** An agent's request of the Gemini API, and the answer to it. */
import { fieldsOf, isFields, listOf, textOf, type Fields } from "../../../src/protocols/fields.ts";
import { numbering } from "../../../src/protocols/gemini/parts.ts";
import type { AgentForm, StreamReading } from "./form.ts";
import { partsOf } from "../../../src/protocols/request-form/gemini.ts";

export const geminiAgent: AgentForm = {
  pathOf: ({ model, stream }) =>
    `/v1beta/models/${encodeURIComponent(model)}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
  credentials: (key) => ({ "x-goog-api-key": key }),
  bodyOf: ({ history, system, tools, maxOutputTokens }) => ({
    ...(system === undefined ? {} : { systemInstruction: system }),
    ...(tools === undefined ? {} : { tools }),
    contents: history,
    generationConfig: { maxOutputTokens },
  }),
  readStream,
  replyIn: (answer) => {
    const content = fieldsOf(fieldsOf(listOf(answer["candidates"])[0])["content"]);
    const idFor = numbering();
    const calls = partsOf(content).flatMap((part) => (isFields(part["functionCall"]) ? [part["functionCall"]] : []));
    return { messages: [content], callIds: calls.map(({ id, name }) => textOf(id) ?? idFor(String(name))) };
  },
};

/** Texts of one kind grow; every other part is whole. */
function readStream(): StreamReading {
  const parts: Record<string, unknown>[] = [];
  let last: Fields | undefined;
  let finish: unknown;
  const take = (event: Fields): void => {
    const candidate = fieldsOf(listOf(event["candidates"])[0]);
    for (const part of partsOf(fieldsOf(candidate["content"]))) addPart(parts, part);
    finish = candidate["finishReason"] ?? finish;
    last = event;
  };
  const answer = (): Fields => {
    const said = parts.length > 1 ? parts.filter((part) => part["text"] !== "") : parts;
    const content = { role: "model", parts: said };
    return { ...last, candidates: [{ content, finishReason: finish, index: 0 }] };
  };
  return { take, answer: () => (finish === undefined ? undefined : answer()) };
}

function addPart(parts: Record<string, unknown>[], part: Fields): void {
  const before = parts.at(-1);
  const grows =
    typeof before?.["text"] === "string" && typeof part["text"] === "string" && before["thought"] === part["thought"];
  if (grows) before["text"] = `${before["text"]}${part["text"]}`;
  else parts.push({ ...part });
}
