/** Numbers, amounts and times as a person reads them. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export function whole(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

/** `950`, `12.3K`, `1.24M`. */
export function short(value: number): string {
  const size = Math.abs(value);
  if (size < 1_000) return String(Math.round(value));
  if (size < 999_500) return `${trimmed(value / 1_000)}K`;
  return `${trimmed(value / 1_000_000)}M`;
}

function trimmed(value: number): string {
  return value.toFixed(Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0);
}

export function dollars(usd: number | undefined): string {
  if (usd === undefined) return "–";
  if (usd === 0) return "$0";
  const digits = Math.abs(usd) < 0.01 ? 4 : Math.abs(usd) < 1 ? 3 : 2;
  return `${usd < 0 ? "−" : ""}$${Math.abs(usd).toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })}`;
}

export function percent(part: number, of: number): string {
  if (of === 0) return "–";
  const share = (part / of) * 100;
  return `${share !== 0 && Math.abs(share) < 9.95 ? share.toFixed(1) : Math.round(share)} %`;
}

export function milliseconds(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/** How long ago, in one unit. */
export function ago(at: number, now = Date.now()): string {
  const ms = Math.max(0, now - at);
  if (ms < MINUTE_MS) return "just now";
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min ago`;
  if (ms < DAY_MS) return `${Math.floor(ms / HOUR_MS)} h ago`;
  return `${Math.floor(ms / DAY_MS)} d ago`;
}

export function moment(at: number): string {
  return new Date(at).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}

/** Ids are hashes or names that clients chose: the beginning tells them apart. */
export function shortId(id: string): string {
  return /^[0-9a-f]{16,}$/.test(id) ? id.slice(0, 8) : id.length > 24 ? `${id.slice(0, 23)}…` : id;
}

export function counted(count: number, noun: string): string {
  return `${whole(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** The first line of a text, as one line. */
export function firstLine(text: string, chars = 240): string {
  const line = text
    .slice(0, chars * 2)
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length > chars ? `${line.slice(0, chars)}…` : line;
}
