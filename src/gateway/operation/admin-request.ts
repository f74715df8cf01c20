/** What a call of the operator's API asks for: its query, path and JSON body, each within the bounds of the API. */
import type { Context } from "hono";
import { readBudget, type Budget } from "../../core/compaction/budget.ts";
import { PrecisError } from "../../core/errors.ts";
import { protocols } from "../../protocols/index.ts";
import { type ProtocolName } from "../../core/protocols.ts";
import { SYNTHETIC_CHOICES, type ExportOptions, type Page, type Which } from "../../session/history.ts";

export const ADMIN_LIMITS = Object.freeze({
  bodyBytes: 16 * 1024,
  handoffBodyBytes: 512 * 1024,
  focusChars: 2_000,
  queryChars: 1_000,
  idChars: 512,
  listed: 1_000,
  listedByDefault: 50,
  /** Sessions that are left out before those of a list. */
  offset: 1_000_000,
  /** Messages of one page, and the highest number of a message. */
  pageMessages: 500,
  messageNumber: 999_999_999,
  tailMessages: 500,
  tailMessagesByDefault: 6,
  /** Compactions asked for over HTTP that are under way at once. */
  compactions: 4,
});

export function refusal(code: string, message: string, hint: string): PrecisError {
  return new PrecisError(message, { code, hint });
}

export function badQuery(message: string, hint: string): PrecisError {
  return refusal("bad_query", message, hint);
}

export function isJson(contentType: string | undefined): boolean {
  return contentType?.split(";")[0]?.trim().toLowerCase() === "application/json";
}

/** All tenants where none is named. */
export function tenantIn(context: Context): string | undefined {
  return context.req.query("tenant");
}

export function idIn(context: Context): string {
  return bounded(context.req.param("id") ?? "", "the id", ADMIN_LIMITS.idChars);
}

export function whichIn(context: Context): Which {
  return { tenant: tenantIn(context), id: idIn(context) };
}

export function limitIn(context: Context): number {
  return numberIn(context, "limit", { max: ADMIN_LIMITS.listed, otherwise: ADMIN_LIMITS.listedByDefault });
}

/** Undefined where none is asked for: then everything is meant. */
export function pageIn(context: Context): Page | undefined {
  if (context.req.query("from") === undefined && context.req.query("count") === undefined) return undefined;
  const { messageNumber, pageMessages, listedByDefault } = ADMIN_LIMITS;
  return {
    from: numberIn(context, "from", { max: messageNumber, otherwise: 1 }),
    count: numberIn(context, "count", { max: pageMessages, otherwise: listedByDefault }),
  };
}

export function numberIn(
  context: Context,
  name: string,
  { min = 1, max, otherwise }: { readonly min?: number; readonly max: number; readonly otherwise: number },
): number {
  const text = context.req.query(name);
  if (text === undefined) return otherwise;
  const number = /^[0-9]{1,9}$/.test(text) ? Number(text) : -1;
  if (number >= min && number <= max) return number;
  throw badQuery(`${name} is not a whole number from ${min} to ${max}`, `Write for example \`?${name}=20\`.`);
}

export function bounded(text: string, name: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  throw badQuery(`${name} is longer than ${charsMax} characters`, "Shorten it.");
}

export function positive(number: number, name: string): number {
  if (Number.isInteger(number) && number >= 1) return number;
  throw badQuery(`${name} is not a whole number of 1 or more`, `Send for example {"${name}": 20}.`);
}

/** Tokens as a number, or as a person writes them: `"16k"`, `"20%"`. */
export function budgetFrom(given: number | string): Budget {
  if (typeof given === "number") {
    const tokens = positive(given, "budget");
    return () => tokens;
  }
  const read = readBudget(given);
  if ("budget" in read) return read.budget;
  const { because, meant = "20%" } = read;
  throw badQuery(`budget is ${because}`, `Send for example {"budget": "${meant}"} or {"budget": 20000}.`);
}

export function exportOptions(context: Context): ExportOptions {
  const to = readChoice(context, "to", Object.keys(protocols) as readonly ProtocolName[]);
  return {
    form: readChoice(context, "format", ["json", "jsonl"] as const) ?? "json",
    compacted: readChoice(context, "compacted", ["true", "false"] as const) === "true",
    synthetic: readChoice(context, "synthetic", SYNTHETIC_CHOICES) ?? "mark",
    secrets: readChoice(context, "secrets", ["mask", "keep"] as const) ?? "mask",
    ...(to === undefined ? {} : { to }),
  };
}

function readChoice<Choice extends string>(
  context: Context,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const text = context.req.query(name);
  if (text === undefined) return undefined;
  const found = choices.find((choice) => choice === text);
  if (found !== undefined) return found;
  throw badQuery(`${name} is none of ${choices.join(", ")}`, `Write for example \`?${name}=${choices[0]}\`.`);
}

interface Kinds {
  readonly string: string;
  readonly number: number;
  readonly boolean: boolean;
  readonly amount: number | string;
}

const KINDS: { readonly [Kind in keyof Kinds]: { readonly types: readonly string[]; readonly said: string } } = {
  string: { types: ["string"], said: "a string" },
  number: { types: ["number"], said: "a number" },
  boolean: { types: ["boolean"], said: "true or false" },
  amount: { types: ["number", "string"], said: "a number or a string" },
};

type Read<Shape extends Readonly<Record<string, keyof Kinds>>> = { [Key in keyof Shape]?: Kinds[Shape[Key]] };

/** The members of a JSON object, each of its kind; no body is an empty one. */
export async function bodyOf<Shape extends Readonly<Record<string, keyof Kinds>>>(
  context: Context,
  shape: Shape,
  bytesMax: number = ADMIN_LIMITS.bodyBytes,
): Promise<Read<Shape>> {
  const text = await readText(context.req.raw, bytesMax);
  const value = text.trim() === "" ? {} : parsed(text);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw badQuery("the body is not a JSON object", `Send one with ${Object.keys(shape).join(", ")}, or none.`);
  for (const [key, member] of Object.entries(value)) {
    const kind = shape[key];
    if (kind === undefined)
      throw badQuery(
        `the body has an unknown member ${JSON.stringify(key.slice(0, 64))}`,
        `There are: ${Object.keys(shape).join(", ")}.`,
      );
    const { types, said } = KINDS[kind];
    if (!types.includes(typeof member))
      throw badQuery(`${key} is not ${said}`, `Send ${key} as ${said}, or leave it out.`);
  }
  return value as Read<Shape>;
}

async function readText({ body }: Request, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw refusal("too_large", "the body is too large", `At most ${bytesMax} bytes are read.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badQuery("the body is not JSON", "Send one JSON object, or no body.");
  }
}
