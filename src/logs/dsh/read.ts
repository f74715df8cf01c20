/**
 * Sessions of the DeepSeek Harness: a header and a log of events. Those with a message are on its surface, which is what the model is
 * sent: most are appended, and some take the place of what is there, a checkpoint or a result that was made shorter.
 */
import type { Usage } from "../../core/engines/contract.ts";
import { contentText, textMessage, type Message } from "../../core/transcript/message.ts";
import { asCount, asFields, asText, asTime, type Fields } from "../fields.ts";
import { readLines, type Line, type LogText } from "../lines.ts";
import type { FormatReading, History, LogNote, MessageDraft } from "../log.ts";
import { NEVER_RUN, makeUnrunResult } from "../log.ts";
import { checkpointText, dshParts, dshResults, isInjected } from "./blocks.ts";

export function readDsh(text: LogText, history: History): FormatReading {
  const { lines, notes } = readLines(text);
  const header = lines.find(({ record }) => isHeader(record))?.record;
  const surface = history === "live" ? surfaceAfter(lines) : lines.filter(isOriginal);
  const envelope = lastData(lines, "request/header")?.["header"];
  const started = new Set(
    lines.flatMap(({ record }) => (record["type"] === "tool/call" ? [dataIn(record)["callId"]] : [])),
  );
  return {
    id: asText(header?.["id"]),
    title: asText(lastData(lines, "session/title")?.["title"]),
    drafts: surface.flatMap((line) => readDrafts(line, started)),
    notes: [...notes, ...(history === "live" ? replacedNote(lines, surface) : [])],
    recognised: lines.filter(({ record }) => isDshLine(record)).length,
    system: readPrompt(asFields(envelope)),
    model: asText(asFields(asFields(envelope)?.["config"])?.["model"]),
    cwd: asText(header?.["cwd"]),
    usage: readUsage(lines),
    times: new Map(
      lines.flatMap(({ at, record }) => {
        const time = asTime(record["time"]);
        return time === undefined ? [] : [[at, time] as const];
      }),
    ),
  };
}

/** Whether a line bears the marks of this format. */
export function isDshLine(record: Fields): boolean {
  return isHeader(record) || (typeof record["seq"] === "number" && asText(record["type"])?.includes("/") === true);
}

function isHeader(record: Fields): boolean {
  return record["type"] === "session" && typeof record["delegationDepth"] === "number";
}

const dataIn = (record: Fields): Fields => asFields(record["data"]) ?? {};

function lastData(lines: readonly Line[], type: string): Fields | undefined {
  const last = lines.findLast(({ record }) => record["type"] === type)?.record;
  return last === undefined ? undefined : dataIn(last);
}

/** From which event to which one a later event takes the place of others; undefined for one that is appended. */
function readRange({ record }: Line): { readonly start: unknown; readonly end: unknown } | undefined {
  const operation = asFields(record["surfaceOp"]);
  return operation?.["op"] === "replace" ? { start: operation["start"], end: operation["end"] } : undefined;
}

function isCheckpoint(line: Line): boolean {
  return line.record["type"] === "user/message" && readRange(line) !== undefined;
}

/** What was said, and checkpoints; of a result that was made shorter, the whole one. */
function isOriginal(line: Line): boolean {
  return line.record["surfaceOp"] === "append" || isCheckpoint(line);
}

function surfaceAfter(lines: readonly Line[]): readonly Line[] {
  const surface: Line[] = [];
  const placeFrom = (seq: unknown): number => surface.findLastIndex(({ record }) => record["seq"] === seq);
  for (const line of lines) {
    if (line.record["surfaceOp"] === undefined) continue;
    const range = readRange(line);
    const [start, end] = [placeFrom(range?.start), placeFrom(range?.end)];
    if (start < 0 || end < start) surface.push(line);
    else surface.splice(start, end - start + 1, line);
  }
  return surface;
}

function replacedNote(lines: readonly Line[], surface: readonly Line[]): readonly LogNote[] {
  const checkpoint = surface.find(isCheckpoint);
  if (checkpoint === undefined) return [];
  const said = lines.filter((line) => line.record["surfaceOp"] === "append").length;
  const left = surface.filter((line) => !isCheckpoint(line)).length;
  return [
    {
      code: "history_replaced",
      line: checkpoint.at,
      text: `${said - left} messages were replaced by a recorded summary`,
    },
  ];
}

function readDrafts(line: Line, started: ReadonlySet<unknown>): readonly MessageDraft[] {
  const { record, at } = line;
  const data = dataIn(record);
  const say = (message: Message, injected = false): MessageDraft => ({ kind: "said", line: at, message, injected });
  switch (record["type"]) {
    case "user/message": {
      const parts = dshParts(data["content"]);
      if (!isCheckpoint(line)) return [say({ role: "user", parts }, isInjected(data["source"]))];
      return [say({ ...textMessage("user", checkpointText(contentText(parts))), origin: "summary" })];
    }
    case "assistant/message": {
      const parts = dshParts(asFields(data["message"])?.["content"]);
      const calls = parts.flatMap((part) => (part.kind === "tool-call" && !started.has(part.id) ? [part.id] : []));
      return [say({ role: "assistant", parts }), ...calls.map((id) => makeUnrunResult(id, at, NEVER_RUN))];
    }
    default:
      return dshResults(asFields(data["message"])?.["content"]).map((result) => ({
        kind: "result",
        line: at,
        ...result,
      }));
  }
}

function readPrompt(envelope: Fields | undefined): readonly Message[] {
  const prompt = asText(envelope?.["system"]);
  return prompt === undefined ? [] : [textMessage("system", prompt)];
}

function readUsage(lines: readonly Line[]): Usage | undefined {
  const usages = lines.map(({ record }) => asFields(dataIn(record)["usage"]));
  const usage = usages.findLast((one) => asCount(one?.["inputTokens"]) + asCount(one?.["cacheReadTokens"]) > 0);
  if (usage === undefined) return undefined;
  const [cacheRead, cacheWrite] = [asCount(usage["cacheReadTokens"]), asCount(usage["cacheWriteTokens"])];
  const output = asCount(usage["outputTokens"]);
  return { input: asCount(usage["inputTokens"]) + cacheRead + cacheWrite, output, cacheRead, cacheWrite };
}
