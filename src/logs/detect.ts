/**
 * Which format a text is in. Session files are recognised by the marks that only their agent writes, in any of the first
 * lines; request bodies by the blocks and items that only their protocol has.
 */
import { documentIn } from "./document.ts";
import { fieldsOf, tryParseJson, type Fields } from "./fields.ts";
import { FORMATS } from "./formats.ts";
import { trimLine } from "./lines.ts";
import { LOG_FORMATS, type InputFormat, type LogFormat } from "./log.ts";
import { hasAnthropicBlocks, isWireRecord, wireFormatOf, wireFormatOfMessages } from "./wire-marks.ts";

/** Of JSON lines this much is looked at; a single JSON document is parsed whole. */
const SAMPLE_CHARS = 64 * 1024;

/** A line that bears the marks of two formats belongs to the first of these. */
const LINE_ORDER: readonly LogFormat[] = ["claude-code", "dsh", "pi", "gemini", "codex"];

/** Undefined where the text is in none of the formats known. `fileName` may be a path; it decides only as a last resort. */
export function detectFormat(text: string, fileName = ""): InputFormat | undefined {
  return (
    formatOfDocument(text) ??
    formatOfLines(text) ??
    LOG_FORMATS.find((name) => FORMATS[name].marks.path?.test(fileName) === true)
  );
}

function formatOfDocument(text: string): InputFormat | undefined {
  const start = trimLine(text.slice(0, SAMPLE_CHARS));
  const lineEnd = start.indexOf("\n");
  // JSON lines begin with a whole object; parsing the rest would only find that more follows.
  if (start.startsWith("{") && lineEnd > 0 && tryParseJson(start.slice(0, lineEnd)) !== undefined) return undefined;
  const document = documentIn(text)?.value;
  if (document === undefined) return undefined;
  const wire = Array.isArray(document) ? wireFormatOf(document) : undefined;
  return (
    wire ?? LOG_FORMATS.find((name) => FORMATS[name].marks.document?.(document) === true) ?? wireFormatOf(document)
  );
}

function formatOfLines(text: string): InputFormat | undefined {
  const records = sample(text);
  for (const record of records) {
    const found = LINE_ORDER.find((name) => FORMATS[name].marks.line?.(record) === true);
    if (found !== undefined) return found;
  }
  const bodies = records.map(wireFormatOf).find((format) => format !== undefined);
  if (bodies !== undefined) return bodies;
  if (!isWireRecord(records[0])) return undefined;
  // The first tool call may come late, and only blocks tell the two protocols of roles and contents apart.
  return hasAnthropicBlocks(text) ? "anthropic-messages" : wireFormatOfMessages(records);
}

/** The records of the first lines, whole ones only; at least one line, however long. */
function sample(text: string): readonly Fields[] {
  const records: Fields[] = [];
  let start = 0;
  while (start < text.length && (start === 0 || start < SAMPLE_CHARS)) {
    const end = text.indexOf("\n", start);
    const line = trimLine(text.slice(start, end < 0 ? undefined : end));
    const record = fieldsOf(tryParseJson(line));
    if (record !== undefined) records.push(record);
    if (end < 0) break;
    start = end + 1;
  }
  return records;
}
