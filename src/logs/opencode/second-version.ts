/** Records of OpenCode 2: a kind for each thing that can happen in a session. */
import type { ContentPart, Part } from "../../core/transcript/message.ts";
import { fieldsOf, jsonOf, objectsOf, textOf, type Fields } from "../fields.ts";
import type { LogNote, MessageDraft } from "../log.ts";
import { notRun } from "../results.ts";
import { INTERRUPTED, mediaOf } from "./parts.ts";

const SPOKEN = new Set(["user", "assistant", "synthetic", "system", "skill", "shell", "compaction"]);
const BOOKKEEPING = new Set(["idle", "agent-switched", "model-switched", "location-switched"]);

export function isSecondVersion(record: Fields): boolean {
  const type = textOf(record["type"]) ?? "";
  return (SPOKEN.has(type) || BOOKKEEPING.has(type)) && textOf(record["id"]) !== undefined && "time" in record;
}

interface Told {
  readonly drafts: readonly MessageDraft[];
  readonly notes: readonly LogNote[];
}

export function draftsOfRecord(record: Fields, line: number): Told {
  const say = (parts: readonly ContentPart[], injected: boolean): Told => ({
    drafts: [{ kind: "said", line, message: { role: "user", parts }, injected }],
    notes: [],
  });
  const type = textOf(record["type"]) ?? "none";
  switch (type) {
    case "user":
      return say([text(record["text"]), ...objectsOf(record["files"]).map(attachment)], false);
    case "synthetic":
    case "system":
    case "skill":
      return say([text(record["text"])], true);
    case "assistant":
      return reply(record, line);
    case "compaction": {
      if (record["status"] !== "completed") return { drafts: [], notes: [] };
      const said = [textOf(record["summary"]), textOf(record["recent"])].filter((piece) => piece !== undefined);
      const message = { role: "user", parts: [text(said.join("\n\n"))], origin: "summary" } as const;
      return { drafts: [{ kind: "said", line, message }], notes: [] };
    }
    case "shell":
      // What it printed follows in a synthetic record.
      return { drafts: [], notes: [] };
    default:
      if (BOOKKEEPING.has(type)) return { drafts: [], notes: [] };
      return { drafts: [], notes: [{ code: "unknown_type", line, text: `a record of the unknown type ${type}` }] };
  }
}

function text(value: unknown): ContentPart {
  return { kind: "text", text: textOf(value) ?? "" };
}

function attachment(file: Fields): ContentPart {
  const data = textOf(file["data"]);
  const mediaType = textOf(file["mime"]) ?? "application/octet-stream";
  return mediaOf(data === undefined ? file : { ...file, url: `data:${mediaType};base64,${data}` });
}

function reply(record: Fields, line: number): Told {
  const content = objectsOf(record["content"]);
  const notes: LogNote[] = [];
  const parts = content.flatMap((part): readonly Part[] => {
    switch (part["type"]) {
      case "text":
        return [{ kind: "text", text: textOf(part["text"]) ?? "" }];
      case "reasoning":
        return [{ kind: "reasoning", text: textOf(part["text"]) ?? "" }];
      case "tool":
        return [callOf(part)];
      default:
        notes.push({
          code: "unknown_type",
          line,
          text: `a part of the unknown type ${textOf(part["type"]) ?? "none"}`,
        });
        return [];
    }
  });
  const results = content.flatMap((part) => (part["type"] === "tool" ? resultOf(part, line) : []));
  return { drafts: [{ kind: "said", line, message: { role: "assistant", parts } }, ...results], notes };
}

function callOf(part: Fields): Part {
  const input = fieldsOf(part["state"])?.["input"] ?? {};
  const name = textOf(part["name"]) ?? "unknown";
  return { kind: "tool-call", id: textOf(part["id"]) ?? "", name, arguments: jsonOf(input) };
}

function resultOf(part: Fields, line: number): readonly MessageDraft[] {
  const state = fieldsOf(part["state"]);
  const status = state?.["status"];
  const isError = status === "error";
  if (status === "pending" || status === "running") return [notRun(textOf(part["id"]), line, INTERRUPTED)];
  if (!isError && status !== "completed") return [];
  const said = objectsOf(state?.["content"]).map((piece): ContentPart =>
    piece["type"] === "text" ? { kind: "text", text: textOf(piece["text"]) ?? "" } : mediaOf(piece),
  );
  const error = textOf(fieldsOf(state?.["error"])?.["message"]);
  const content = error === undefined ? said : [...said, { kind: "text", text: error } as const];
  return [{ kind: "result", line, callId: textOf(part["id"]), content, isError }];
}
