/** One line for each request that the provider is done with: who asked what, what became of it, what it weighed. */
import type { RequestRecord } from "./record.ts";
import { count } from "../../src/cli/screen/amounts.ts";
import type { Stream } from "../../src/cli/screen/terminal.ts";

const ISO_TIME_FROM = 11;
const ISO_TIME_TO = 19;

/** For a person. No content of a request or an answer is in it. */
export function logLine(record: RequestRecord, { paint }: Stream): string {
  const { atMs, method, path, status, outcome, model, key, tookMs = 0 } = record;
  const good = outcome === "answered";
  const parts = [
    paint("dim", new Date(atMs).toISOString().slice(ISO_TIME_FROM, ISO_TIME_TO)),
    `${method} ${path}`,
    paint(good ? "good" : "bad", good ? String(status) : `${status} ${outcome}`),
    ...(model === "" ? [] : [paint("accent", model)]),
    ...(record.stream ? ["stream"] : []),
    paint("dim", key),
    ...weightOf(record),
    ...(record.fault === undefined ? [] : [paint("warn", `fault: ${record.fault}`)]),
    ...(record.reason === undefined || record.reason === "fault" ? [] : [paint("bad", record.reason)]),
    paint("dim", `${count(tookMs)} ms`),
  ];
  return `${parts.join("  ")}\n`;
}

function weightOf({ use, outputTokens = 0, usd = 0 }: RequestRecord): readonly string[] {
  if (use === undefined) return [];
  const written = use.cacheWrite5mTokens + use.cacheWrite1hTokens + use.cacheWriteTokens;
  const cached = [
    ...(use.cacheReadTokens === 0 ? [] : [`read ${count(use.cacheReadTokens)}`]),
    ...(written === 0 ? [] : [`wrote ${count(written)}`]),
  ];
  const input = `in ${count(use.inputTokens)}${cached.length === 0 ? "" : ` (${cached.join(", ")})`}`;
  return [input, `out ${count(outputTokens)}`, ...(usd === 0 ? [] : [`$${usd.toFixed(4)}`])];
}

/** For a program: the record without what was sent. */
export function logObject(record: RequestRecord): Readonly<Record<string, unknown>> {
  const { body: _, abort, atMs, ...rest } = record;
  const late = abort === undefined ? {} : { noticedAfterMs: abort.noticedMs - abort.closedMs };
  return { event: "request", at: new Date(atMs).toISOString(), ...rest, ...late };
}
