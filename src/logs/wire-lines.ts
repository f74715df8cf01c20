/**
 * Plain JSON lines of a protocol, turned into one JSON text that the protocol can decode. Every line's bytes are in
 * it as they were: nothing is parsed and written again.
 */
import { PrecisError } from "../core/errors.ts";
import { documentIn } from "./document.ts";
import { fieldsOf, tryParseJson } from "./fields.ts";
import { trimLine } from "./lines.ts";
import type { LogNote } from "./log.ts";
import { isWireRecord, wireFormatOf } from "./wire-marks.ts";

export interface WireText {
  /** A JSON array of the messages, or one request body. */
  readonly json: string;
  readonly notes: readonly LogNote[];
}

/** A request body, or its messages in one piece or one a line. One broken line is left to the protocol, which says what is wrong. */
export function wireText(text: string): WireText {
  return documentIn(text) ?? (text.trim().includes("\n") ? joinWireLines(text) : { json: text, notes: [] });
}

/**
 * Lines that are messages or items become one array. Lines that are whole request bodies are the same conversation
 * again and again, each time longer: the longest is taken, the later of two equals.
 * Throws `unreadable_input` where no line is either.
 */
function joinWireLines(text: string): WireText {
  const notes: LogNote[] = [];
  const messages: string[] = [];
  let body: { readonly json: string; readonly line: number } | undefined;
  let bodies = 0;
  text.split("\n").forEach((raw, index) => {
    const json = trimLine(raw);
    if (json === "") return;
    const record = fieldsOf(tryParseJson(json));
    if (record === undefined)
      notes.push({
        code: "corrupt_line",
        line: index + 1,
        text: `${json.length} characters that are not a JSON object were skipped`,
      });
    else if (isWireRecord(record)) messages.push(json);
    else if (wireFormatOf(record) === undefined)
      notes.push({ code: "unknown_type", line: index + 1, text: "neither a message nor a request body" });
    else if (++bodies > 0 && json.length >= (body?.json.length ?? 0)) body = { json, line: index + 1 };
  });
  if (messages.length > 0) return { json: `[${messages.join(",\n")}]`, notes };
  if (body === undefined) throw noWireLines();
  if (bodies > 1)
    notes.push({ code: "bodies_skipped", line: body.line, text: `the longest of ${bodies} request bodies was taken` });
  return { json: body.json, notes };
}

function noWireLines(): PrecisError {
  return new PrecisError("no line is a message or a request body", {
    code: "unreadable_input",
    hint: "Give one JSON message, item or request body a line, or name the format with --from.",
  });
}
