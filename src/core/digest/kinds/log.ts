/** A log: its levels and time span, each distinct error and warning with how often it came, and the lines the task is about. */
import { withoutColour, thousands } from "../cut.ts";
import type { Page } from "../page.ts";
import { range, type DigestContent, type DigestContentRequest } from "../short.ts";

const LEVEL =
  /\b(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|ERR|FATAL|CRITICAL|PANIC)\b|\b(?:trace|debug|info|warn|warning|error|fatal)\b(?=["\]: ])/;
const JSON_LEVEL = /"(?:level|severity|lvl)"\s*:\s*(?:"(\w+)"|(\d+))/;
/** pino and bunyan number their levels. */
const NUMBERED_LEVELS: Readonly<Record<string, string>> = {
  "10": "TRACE",
  "20": "DEBUG",
  "30": "INFO",
  "40": "WARN",
  "50": "ERROR",
  "60": "FATAL",
};
const TIME =
  /\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?|[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d|\d\d:\d\d:\d\d(?:[.,]\d+)?|"time"\s*:\s*\d{10,13}/;
/** A level further right is part of a message. */
const LEVEL_CHARS = 120;
const TIME_LINES = 20;
/** Past this many, errors are counted but no longer distinguished. */
const KEYED_LINES_MAX = 3_000;
const KEY_CHARS = 160;
const VARYING = /\b[0-9a-f]{6,}(?:-[0-9a-f]{4,})*\b|\d+/gi;

type Severity = "error" | "warn" | "other";

export function shortLog(page: Page, { focus }: DigestContentRequest): DigestContent {
  const levels = new Map<string, number>();
  const errors = new Map<string, Event>();
  const warnings = new Map<string, Event>();
  let keyed = 0;
  page.lines.forEach((line, number) => {
    const level = readLevel(line);
    if (level === undefined) return;
    levels.set(level, (levels.get(level) ?? 0) + 1);
    const severity = rankLevel(level);
    if (severity !== "other" && keyed++ < KEYED_LINES_MAX)
      count(severity === "error" ? errors : warnings, line, number);
  });
  const last = page.end;
  const found = [...byFrequency(errors), ...byFrequency(warnings)];
  const must = found.slice(0, 20).map(({ line }) => line);
  return {
    facts: [describeTimes(page), levelsFact(levels)],
    lines: [
      ...must.slice(0, 6),
      ...focus.slice(0, 6),
      ...must.slice(6),
      ...range(last - 2, last),
      ...range(0, 2),
      ...focus,
      ...found.map(({ line }) => line),
    ],
    must: Math.min(6, must.length) + Math.min(6, focus.length),
    marks: new Map(found.filter((event) => event.count > 1).map((event) => [event.line, ` [×${event.count}]`])),
  };
}

interface Event {
  readonly line: number;
  count: number;
}

function readLevel(line: string): string | undefined {
  const start = withoutColour(line.slice(0, LEVEL_CHARS));
  const level = LEVEL.exec(start)?.[0];
  if (level !== undefined) return canonical(level.toUpperCase());
  const json = line.startsWith("{") ? JSON_LEVEL.exec(line) : null;
  if (json === null) return undefined;
  return json[1] === undefined ? NUMBERED_LEVELS[json[2]!] : canonical(json[1].toUpperCase());
}

function canonical(level: string): string {
  return level === "WARNING" ? "WARN" : level === "ERR" ? "ERROR" : level;
}

function rankLevel(level: string): Severity {
  return /^(?:ERROR|FATAL|CRITICAL|PANIC)$/.test(level) ? "error" : level === "WARN" ? "warn" : "other";
}

function count(events: Map<string, Event>, line: string, number: number): void {
  const key = line.slice(0, KEY_CHARS).replace(VARYING, "#");
  const known = events.get(key);
  if (known === undefined) events.set(key, { line: number, count: 1 });
  else known.count++;
}

/** Frequent first, but a thing that came once is not less worth than one that came twice. */
function byFrequency(events: ReadonlyMap<string, Event>): readonly Event[] {
  return [...events.values()].toSorted(
    (a, b) => Math.floor(Math.log10(b.count)) - Math.floor(Math.log10(a.count)) || a.line - b.line,
  );
}

function describeTimes(page: Page): string {
  const from = timeIn(page.lines.slice(0, TIME_LINES));
  const to = timeIn(page.lines.slice(-TIME_LINES).toReversed());
  return from === undefined || to === undefined ? "" : from === to ? from : `${from} to ${to}`;
}

function timeIn(lines: readonly string[]): string | undefined {
  return lines.map((line) => TIME.exec(line.slice(0, LEVEL_CHARS * 2))?.[0]).find((time) => time !== undefined);
}

function levelsFact(levels: ReadonlyMap<string, number>): string {
  return [...levels]
    .toSorted((a, b) => b[1] - a[1])
    .map(([level, lines]) => `${level} ${thousands(lines)}`)
    .join(", ");
}
