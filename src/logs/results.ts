/** Which result belongs to which call, for formats that keep both in one place; and results of calls that have none. */
import type { MessageDraft } from "./log.ts";
import type { Part, ToolResultPart } from "../core/transcript/message.ts";
import type { SessionMessage } from "./session.ts";

export type Results = ReadonlyMap<Part, ToolResultPart>;

/** The result of each call: those right behind its turn. Ids may be used again later. */
export function resultsOf(messages: readonly SessionMessage[]): Results {
  const results = new Map<Part, ToolResultPart>();
  let open = new Map<string, Part>();
  for (const { message } of messages) {
    const [first] = message.parts;
    const call = first?.kind === "tool-result" ? open.get(first.callId) : undefined;
    if (first?.kind === "tool-result" && call !== undefined) results.set(call, first);
    if (message.role !== "tool")
      open = new Map(message.parts.flatMap((part) => (part.kind === "tool-call" ? [[part.id, part]] : [])));
  }
  return results;
}

/** For a call of which the session itself says that it did not run to its end: `why` is told as a failure. */
export function notRun(callId: string | undefined, line: number, why: string): MessageDraft {
  return { kind: "result", line, callId, content: [{ kind: "text", text: why }], isError: true };
}

export const NEVER_RUN = "[precis: this call was never run, as the session file says]";
