/**
 * What `POST /responses/compact` answers, for a compaction that was not made by the provider: the items of the compacted
 * request, each in the form in which a client sends it back. No item is sealed, so any provider can read them.
 */
import { fieldsOf, parsed } from "../fields.ts";
import { patchObject, elementTexts, memberText } from "../json.ts";

export interface CompactedRequest {
  readonly id: string;
  /** Seconds since the epoch. */
  readonly createdAt: number;
  readonly request: string;
}

/** No model was asked for it. */
const NO_USAGE = JSON.stringify({
  input_tokens: 0,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 0,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 0,
});

export function compactedAnswer({ id, createdAt, request }: CompactedRequest): string {
  return answerText({ id, createdAt, items: listItems(request) });
}

/** The same as the events of a stream, for a client that asks for one. */
export function compactedEvents({ id, createdAt, request }: CompactedRequest): string {
  const items = listItems(request);
  const answer = { id, createdAt };
  const events: [type: string, rest: string][] = [
    ["response.created", `"response":${answerText({ ...answer, items: [] })}`],
    ...items.map((item, at): [string, string] => ["response.output_item.done", `"output_index":${at},"item":${item}`]),
    ["response.completed", `"response":${answerText({ ...answer, items })}`],
  ];
  return events
    .map(([type, rest], at) => `event: ${type}\ndata: {"type":"${type}","sequence_number":${at},${rest}}\n\n`)
    .join("");
}

interface AnswerParts extends Omit<CompactedRequest, "request"> {
  readonly items: readonly string[];
}

function answerText({ id, createdAt, items }: AnswerParts): string {
  const output = `[${items.join(",")}]`;
  return `{"id":${JSON.stringify(id)},"object":"response.compaction","created_at":${createdAt},"output":${output},"usage":${NO_USAGE}}`;
}

function listItems(request: string): readonly string[] {
  const input = memberText(request, "input") ?? "[]";
  if (!input.startsWith("[")) return [wholeItem(`{"role":"user","content":${input}}`)];
  return elementTexts(input).map(wholeItem);
}

/** A message may be sent in short: without its type, its content one string. An answer has it in full. */
function wholeItem(text: string): string {
  const { type = "message", role, content } = fieldsOf(parsed(text));
  if (type !== "message") return text;
  const part = { type: role === "assistant" ? "output_text" : "input_text", text: content };
  const full = typeof content === "string" ? { content: JSON.stringify([part]) } : {};
  return patchObject(text, { type: '"message"', ...full });
}
