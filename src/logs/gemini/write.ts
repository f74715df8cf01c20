/** Writes a chat of Gemini CLI as JSON lines: a header, and a record for each message with the results of its calls inside. */
import { contentText, type ContentPart, type Part, type ToolResultPart } from "../../core/transcript/message.ts";
import { tryParseJson } from "../fields.ts";
import { projectHashOf } from "./project.ts";
import { resultsOf, type Results } from "../results.ts";
import type { Session, SessionMessage } from "../session.ts";
import { isoOf, jsonLines, stampsOf, uuidFrom, type WriteContext } from "../written.ts";

export function writeGemini(session: Session, { id, nowMs }: WriteContext): string {
  const stamps = stampsOf(session, nowMs);
  const results = resultsOf(session.messages);
  const header = {
    sessionId: id,
    projectHash: projectHashOf(session.cwd ?? ""),
    startTime: isoOf(stamps[0] ?? nowMs),
    lastUpdated: isoOf(stamps.at(-1) ?? nowMs),
    kind: "main",
  };
  const records = session.messages.flatMap((one, at): readonly object[] => {
    if (one.message.role === "tool") return [];
    const link = { id: uuidFrom(id, String(at)), timestamp: isoOf(stamps[at]!) };
    if (one.message.role !== "assistant") return [{ ...link, type: "user", content: one.message.parts.map(partOf) }];
    return [{ ...link, ...replyOf(one, { model: session.model, timestamp: link.timestamp, results }) }];
  });
  return jsonLines([header, ...records]);
}

interface ReplyOptions {
  readonly model: string | undefined;
  readonly timestamp: string;
  readonly results: Results;
}

function replyOf({ message: { parts } }: SessionMessage, { model, timestamp, results }: ReplyOptions): object {
  const thoughts = parts.flatMap((part) => (part.kind === "reasoning" ? [{ description: part.text, timestamp }] : []));
  const toolCalls = parts.flatMap((part) => {
    if (part.kind !== "tool-call") return [];
    const result = results.get(part);
    const call = { id: part.id, name: part.name, args: tryParseJson(part.arguments), timestamp };
    if (result === undefined) return [{ ...call, status: "cancelled" }];
    return [
      { ...call, status: result.isError === true ? "error" : "success", result: [responseOf(part.name, result)] },
    ];
  });
  const content = parts.flatMap((part) => (part.kind === "text" ? [{ text: part.text }] : []));
  return {
    type: "gemini",
    content,
    thoughts,
    ...(toolCalls.length > 0 && { toolCalls }),
    ...(model !== undefined && { model }),
  };
}

function responseOf(name: string, { callId, content, isError }: ToolResultPart): object {
  const text = contentText(content);
  const media = content.flatMap((part) => (part.kind === "text" ? [] : [partOf(part)]));
  return {
    functionResponse: {
      id: callId,
      name,
      response: isError === true ? { error: text } : { output: text },
      ...(media.length > 0 && { parts: media }),
    },
  };
}

function partOf(part: Part): object {
  const source = part.kind === "image" || part.kind === "file" ? part.source : undefined;
  if (source?.type === "data") return { inlineData: { mimeType: source.mediaType, data: source.data } };
  return { text: contentText([part as ContentPart]) };
}
