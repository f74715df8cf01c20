/** Amounts as people write them: `8000`, `8_000`, `8,000`, `8k`, `1.5m`, `20%`; and as people read them. */
import { readAmount, readBudget } from "../../core/compaction/budget.ts";
import { usageError } from "../program/exit.ts";

export function parseTokens(text: string, flag: string): number {
  const tokens = readAmount(text);
  if (tokens === undefined || tokens < 1)
    throw usageError(
      `${flag} is "${text}"; expected a number of tokens, 1 or more`,
      `Write for example \`${flag} 200k\`.`,
    );
  return Math.floor(tokens);
}

export function parseBudget(text: string, whole: number): number {
  const read = readBudget(text);
  if ("budget" in read) return read.budget(whole);
  const { because, meant } = read;
  const hint =
    meant === undefined ? "Write for example `--budget 20%` or `--budget 16k`." : `Did you mean \`--budget ${meant}\`?`;
  throw usageError(`--budget is ${because}`, hint);
}

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const UNIT_BYTES = { "": 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 } as const;

export function parseDuration(text: string, flag: string): number {
  const [, number, unit] = /^([0-9]{1,6}(?:\.[0-9]{1,3})?)([smhdw])$/i.exec(text.trim()) ?? [];
  if (number === undefined)
    throw usageError(
      `${flag} is "${text}"; expected a time in s, m, h, d or w`,
      `Write for example \`${flag} 30d\` for thirty days.`,
    );
  return Math.round(Number(number) * UNIT_MS[unit!.toLowerCase() as keyof typeof UNIT_MS]);
}

/** Bytes of a size such as `2g`, `500m` or `1048576`; k, m and g are powers of 1,024. */
export function parseBytes(text: string, flag: string): number {
  const [, number, unit] = /^([0-9]{1,15}(?:\.[0-9]{1,3})?)([kmgt]?)b?$/i.exec(text.trim()) ?? [];
  if (number === undefined)
    throw usageError(
      `${flag} is "${text}"; expected a size in bytes, or in k, m or g`,
      `Write for example \`${flag} 2g\`.`,
    );
  return Math.round(Number(number) * UNIT_BYTES[unit!.toLowerCase() as keyof typeof UNIT_BYTES]);
}

/** `3.4 MB`, in powers of 1,024. */
export function size(bytes: number): string {
  const [unit, factor] = bytes >= UNIT_BYTES.g ? ["GB", UNIT_BYTES.g] : ["MB", UNIT_BYTES.m];
  if (bytes < UNIT_BYTES.m / 10) return `${count(bytes)} bytes`;
  return `${(bytes / factor).toLocaleString("en-US", { maximumFractionDigits: 1, minimumFractionDigits: 1 })} ${unit}`;
}

/** How long ago, in the largest unit that fits: `12s`, `5m`, `3h`, `4d`, `9w`. */
export function age(ms: number): string {
  const units = Object.entries(UNIT_MS).toReversed();
  const [unit, unitMs] = units.find(([, length]) => ms >= length) ?? ["s", UNIT_MS.s];
  return `${Math.max(0, Math.floor(ms / unitMs))}${unit}`;
}

export function parseWhole(text: string, flag: string, max: number): number {
  const number = /^[0-9]{1,9}$/.test(text.trim()) ? Number(text) : 0;
  if (number >= 1 && number <= max) return number;
  throw usageError(
    `${flag} is "${text}"; expected a whole number from 1 to ${count(max)}`,
    `Write for example \`${flag} 20\`.`,
  );
}

/** `145,941` */
export function count(amount: number): string {
  return Math.round(amount).toLocaleString("en-US");
}

/** `1 message`, `2 messages` */
export function counted(amount: number, noun: string): string {
  return `${count(amount)} ${noun}${amount === 1 ? "" : "s"}`;
}

/** What became of an amount: `−84 %`. */
export function change(before: number, after: number): string {
  return percent((after - before) / Math.max(before, 1)).replace("-", "−");
}

/** A share as a person reads it: `84 %`, `0.4 %`. */
export function percent(share: number): string {
  const value = share * 100;
  return `${value !== 0 && Math.abs(value) < 10 ? value.toFixed(1) : Math.round(value)} %`;
}
