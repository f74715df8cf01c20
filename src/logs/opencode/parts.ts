/** Parts of a message of OpenCode 1, in the form of core. */
import type { ContentPart, MediaSource, Part } from "../../core/transcript/message.ts";
import { fieldsOf, jsonOf, objectsOf, textOf, type Fields } from "../fields.ts";
import type { LogNote, MessageDraft } from "../log.ts";
import { notRun } from "../results.ts";

/** Parts that say how a step went, and nothing to the model. */
const BOOKKEEPING = new Set([
  "step-start",
  "step-finish",
  "snapshot",
  "patch",
  "retry",
  "agent",
  "subtask",
  "compaction",
]);

interface PartOptions {
  readonly role: "user" | "assistant";
  readonly line: number;
}

export function draftsOfParts(
  parts: readonly Fields[],
  { role, line }: PartOptions,
): { readonly drafts: readonly MessageDraft[]; readonly notes: readonly LogNote[] } {
  const said: Part[] = [];
  const results: MessageDraft[] = [];
  const notes: LogNote[] = [];
  const sent = parts.filter((part) => part["ignored"] !== true);
  if (sent.length < parts.length) notes.push({ code: "not_sent", line, text: "text that only the user saw" });
  for (const part of sent) {
    const type = textOf(part["type"]) ?? "none";
    if (type === "text") said.push({ kind: "text", text: textOf(part["text"]) ?? "" });
    else if (type === "reasoning") said.push({ kind: "reasoning", text: textOf(part["text"]) ?? "" });
    else if (type === "file" && isMedia(part)) said.push(mediaOf(part));
    else if (type === "file")
      notes.push({ code: "not_sent", line, text: "the name of a file that OpenCode read itself" });
    else if (type === "tool") {
      said.push(callOf(part));
      for (const each of resultOf(part, line)) results.push(each);
    } else if (!BOOKKEEPING.has(type))
      notes.push({ code: "unknown_type", line, text: `a part of the unknown type ${type}` });
  }
  const texts = sent.filter((part) => part["type"] === "text");
  const injected = role === "user" && texts.length > 0 && texts.every((part) => part["synthetic"] === true);
  return { drafts: [{ kind: "said", line, message: { role, parts: said }, injected }, ...results], notes };
}

function isMedia(part: Fields): boolean {
  return !(textOf(part["url"]) ?? "").startsWith("file:");
}

/** A file with its data in a URL, or an address of it. */
export function mediaOf(part: Fields): ContentPart {
  const url = textOf(part["url"]) ?? textOf(part["uri"]) ?? "";
  const mediaType = textOf(part["mime"]) ?? "application/octet-stream";
  const comma = url.indexOf(";base64,");
  const source: MediaSource =
    url.startsWith("data:") && comma > 0
      ? { type: "data", mediaType: url.slice("data:".length, comma), data: url.slice(comma + ";base64,".length) }
      : { type: "url", url };
  if (mediaType.startsWith("image/")) return { kind: "image", source };
  const name = textOf(part["filename"]) ?? textOf(part["name"]);
  return name === undefined ? { kind: "file", source } : { kind: "file", source, name };
}

function callOf(part: Fields): Part {
  const state = fieldsOf(part["state"]);
  return {
    kind: "tool-call",
    id: textOf(part["callID"]) ?? "",
    name: textOf(part["tool"]) ?? "unknown",
    arguments: jsonOf(state?.["input"] ?? {}),
  };
}

/** What OpenCode sends for a call that was pending or running when its session ended. */
export const INTERRUPTED = "[Tool execution was interrupted]";

/** Of a call that was stopped, what it had printed may be kept. */
function resultOf(part: Fields, line: number): readonly MessageDraft[] {
  const state = fieldsOf(part["state"]);
  const status = textOf(state?.["status"]);
  const failed = status === "error";
  const printed = textOf(fieldsOf(state?.["metadata"])?.["output"]);
  if (status === "pending" || status === "running")
    return [notRun(textOf(part["callID"]), line, [INTERRUPTED, printed ?? ""].join("\n").trim())];
  const stopped = failed && fieldsOf(state?.["metadata"])?.["interrupted"] === true ? printed : undefined;
  const text = stopped ?? textOf(state?.[failed ? "error" : "output"]);
  if (text === undefined && status !== "completed") return [];
  const content: readonly ContentPart[] = [
    ...(text === undefined || text === "" ? [] : [{ kind: "text", text } as const]),
    ...objectsOf(state?.["attachments"]).map(mediaOf),
  ];
  return [{ kind: "result", line, callId: textOf(part["callID"]), content, isError: failed }];
}
