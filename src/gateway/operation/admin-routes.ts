/**
 * The operator's calls over HTTP, under `/_precis/api/`: the same as the command line makes, over the gateway's own store.
 * What changes something wants `content-type: application/json`, which no form of another site can send.
 */
import { Hono, type Context } from "hono";
import { readBudget, type Budget } from "../../core/compaction/budget.ts";
import { PrecisError } from "../../core/errors.ts";
import { protocols, type ProtocolName } from "../../protocols/index.ts";
import { thresholdFrom } from "../../session/threshold.ts";
import { SYNTHETIC_CHOICES, type ExportOptions, type History, type Page, type Which } from "../history/contract.ts";

/** Every bound of the API. */
export const ADMIN_LIMITS = Object.freeze({
  bodyBytes: 16 * 1024,
  /** A handoff that a person has edited. */
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

const NO_STORE = { "cache-control": "no-store" };
const RETRY_AFTER_SECONDS = "5";

type Status = 400 | 404 | 409 | 413 | 415 | 500 | 503;

const STATUSES: Readonly<Record<string, Status>> = {
  bad_query: 400,
  bad_fork: 400,
  bad_range: 400,
  bad_pin: 400,
  bad_handoff: 400,
  bad_threshold: 400,
  unknown_pin: 404,
  pinned: 409,
  too_many_pins: 409,
  unknown_session: 404,
  unknown_compaction: 404,
  unknown_original: 404,
  unknown_preview: 404,
  nothing_to_undo: 409,
  ambiguous_session: 409,
  session_exists: 409,
  too_large: 413,
  json_needed: 415,
  busy: 503,
};

export function createAdminRoutes(history: History): Hono {
  const app = new Hono({ strict: false });
  addGuards(app);
  addReading(app, history);
  addSettling(app, history);
  addChanging(app, history);
  app.onError((error, context) => refuse(context, error));
  return app;
}

function addGuards(app: Hono): void {
  app.use(async (context, next) => {
    if (context.req.method === "POST" && !isJson(context.req.header("content-type")))
      throw refusal(
        "json_needed",
        "the request is not JSON",
        "Send `content-type: application/json`, also without a body.",
      );
    await next();
  });
}

function addReading(app: Hono, history: History): void {
  app.get("/tenants", async (context) => context.json(await history.tenants(), 200, NO_STORE));
  app.get("/sessions", async (context) => {
    const offset = numberIn(context, "offset", { min: 0, max: ADMIN_LIMITS.offset, otherwise: 0 });
    const sessions = await history.list(tenantIn(context), limitIn(context), offset);
    return context.json(sessions, 200, NO_STORE);
  });
  app.get("/sessions/:id", async (context) => {
    const tail = numberIn(context, "tail", {
      max: ADMIN_LIMITS.tailMessages,
      otherwise: ADMIN_LIMITS.tailMessagesByDefault,
    });
    return context.json(await history.show(whichIn(context), tail), 200, NO_STORE);
  });
  app.get("/sessions/:id/context", async (context) =>
    context.json(await history.context(whichIn(context)), 200, NO_STORE),
  );
  app.get("/sessions/:id/compactions/:number", async (context) => {
    const number = positive(Number(context.req.param("number")), "the number of the compaction");
    return context.json(await history.compaction(whichIn(context), number, pageIn(context)), 200, NO_STORE);
  });
  app.get("/sessions/:id/previews/:preview", async (context) => {
    const preview = bounded(context.req.param("preview"), "the preview", ADMIN_LIMITS.idChars);
    return context.json(await history.showPreview(whichIn(context), preview, pageIn(context)), 200, NO_STORE);
  });
  app.get("/sessions/:id/messages", async (context) => {
    const page = pageIn(context) ?? { from: 1, count: ADMIN_LIMITS.listedByDefault };
    return context.json(await history.read(whichIn(context), page), 200, NO_STORE);
  });
  app.get("/sessions/:id/pins", async (context) => context.json(await history.pins(whichIn(context)), 200, NO_STORE));
  app.get("/sessions/:id/export", async (context) => {
    const options = exportOptions(context);
    const { text, protocol } = await history.export(whichIn(context), options);
    const type = options.form === "json" ? "application/json" : "application/x-ndjson";
    return context.body(text, 200, {
      ...NO_STORE,
      "content-type": `${type}; charset=utf-8`,
      "x-precis-protocol": protocol,
    });
  });
  app.get("/recall/:id", async (context) => {
    const original = await history.recall(tenantIn(context), idIn(context));
    if (original === undefined)
      throw refusal(
        "unknown_original",
        "no original has this recall id",
        "Use an id as the compacted conversation shows it.",
      );
    return context.json(original, 200, NO_STORE);
  });
  app.get("/search", async (context) => {
    const words = bounded(context.req.query("q") ?? "", "q", ADMIN_LIMITS.queryChars);
    if (words.trim() === "") throw badQuery("q is missing", "Write for example `?q=connection+refused`.");
    const session = context.req.query("session");
    const query = { tenant: tenantIn(context), words, limit: limitIn(context) };
    const found = await history.search(session === undefined ? query : { ...query, session });
    return context.json(found, 200, NO_STORE);
  });
}

function addSettling(app: Hono, history: History): void {
  app.post("/sessions/:id/previews/:preview", async (context) => {
    const preview = bounded(context.req.param("preview"), "the preview", ADMIN_LIMITS.idChars);
    const { handoff } = await bodyOf(context, { handoff: "string" }, ADMIN_LIMITS.handoffBodyBytes);
    if (handoff === undefined) throw badQuery("handoff is missing", 'Send for example {"handoff": "## Open\\n- …"}.');
    return context.json(await history.editPreview(whichIn(context), preview, handoff), 200, NO_STORE);
  });
  app.post("/sessions/:id/threshold", async (context) => {
    const { threshold } = await bodyOf(context, { threshold: "amount" });
    const set = threshold === undefined ? undefined : thresholdFrom(String(threshold));
    return context.json(await history.setThreshold(whichIn(context), set), 200, NO_STORE);
  });
}

function addChanging(app: Hono, history: History): void {
  let compacting = 0;
  app.post("/sessions/:id/compact", async (context) => {
    const shape = {
      focus: "string",
      budget: "amount",
      messages: "string",
      preview: "boolean",
      apply: "string",
    } as const;
    const { focus, budget, messages, preview, apply } = await bodyOf(context, shape);
    if (apply !== undefined) return context.json(await history.applyPreview(whichIn(context), apply), 200, NO_STORE);
    if (compacting >= ADMIN_LIMITS.compactions)
      throw refusal("busy", "too many compactions are in progress", "Try again in a moment.");
    compacting++;
    try {
      const how = {
        ...(focus === undefined ? {} : { focus: bounded(focus, "focus", ADMIN_LIMITS.focusChars) }),
        ...(budget === undefined ? {} : { budget: budgetFrom(budget) }),
        ...(messages === undefined ? {} : { messages }),
        signal: context.req.raw.signal,
      };
      const made = await (preview === true ? history.preview : history.compact)(whichIn(context), how);
      return context.json(made, 200, NO_STORE);
    } finally {
      compacting--;
    }
  });
  app.post("/sessions/:id/drop", async (context) => {
    const { messages } = await bodyOf(context, { messages: "string" });
    if (messages === undefined) throw badQuery("messages is missing", 'Send for example {"messages": "12-30"}.');
    return context.json(await history.drop(whichIn(context), messages), 200, NO_STORE);
  });
  app.post("/sessions/:id/undo", async (context) => {
    const undone = await history.undo(whichIn(context));
    if (undone === undefined)
      throw refusal("nothing_to_undo", "no compaction is active for this session", "There is nothing to undo.");
    return context.json(undone, 200, NO_STORE);
  });
  app.post("/sessions/:id/pin", async (context) => {
    const what = await bodyOf(context, { messages: "string", fact: "string" });
    return context.json(await history.pin(whichIn(context), what), 200, NO_STORE);
  });
  app.post("/sessions/:id/unpin", async (context) => {
    const { pin } = await bodyOf(context, { pin: "string" });
    if (pin === undefined) throw badQuery("pin is missing", 'Send for example {"pin": "p1a2b3c"}.');
    return context.json(await history.unpin(whichIn(context), pin), 200, NO_STORE);
  });
  app.post("/sessions/:id/fork", async (context) => {
    const { at, name } = await bodyOf(context, { at: "number", name: "string" });
    const made = await history.fork(whichIn(context), {
      ...(at === undefined ? {} : { at: positive(at, "at") }),
      ...(name === undefined ? {} : { name }),
    });
    return context.json(made, 200, NO_STORE);
  });
}

function refusal(code: string, message: string, hint: string): PrecisError {
  return new PrecisError(message, { code, hint });
}

function badQuery(message: string, hint: string): PrecisError {
  return refusal("bad_query", message, hint);
}

/** What went wrong, by its code; nothing of a fault of ours but that there was one. */
function refuse(context: Context, error: unknown): Response {
  const known = error instanceof PrecisError;
  const status = known ? (STATUSES[error.code] ?? (error.code.startsWith("store_") ? 503 : 500)) : 500;
  const body =
    known && status !== 500
      ? { code: error.code, message: error.message, hint: error.hint }
      : {
          code: "internal_fault",
          message: "precis failed internally",
          hint: "The gateway continues to work; please report this.",
        };
  if (status === 503) context.header("retry-after", RETRY_AFTER_SECONDS);
  return context.json({ error: body }, status, NO_STORE);
}

function isJson(contentType: string | undefined): boolean {
  return contentType?.split(";")[0]?.trim().toLowerCase() === "application/json";
}

/** All tenants where none is named. */
function tenantIn(context: Context): string | undefined {
  return context.req.query("tenant");
}

function idIn(context: Context): string {
  return bounded(context.req.param("id") ?? "", "the id", ADMIN_LIMITS.idChars);
}

function whichIn(context: Context): Which {
  return { tenant: tenantIn(context), id: idIn(context) };
}

function limitIn(context: Context): number {
  return numberIn(context, "limit", { max: ADMIN_LIMITS.listed, otherwise: ADMIN_LIMITS.listedByDefault });
}

/** Undefined where none is asked for: then everything is meant. */
function pageIn(context: Context): Page | undefined {
  if (context.req.query("from") === undefined && context.req.query("count") === undefined) return undefined;
  const { messageNumber, pageMessages, listedByDefault } = ADMIN_LIMITS;
  return {
    from: numberIn(context, "from", { max: messageNumber, otherwise: 1 }),
    count: numberIn(context, "count", { max: pageMessages, otherwise: listedByDefault }),
  };
}

function numberIn(
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

function bounded(text: string, name: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  throw badQuery(`${name} is longer than ${charsMax} characters`, "Shorten it.");
}

function positive(number: number, name: string): number {
  if (Number.isInteger(number) && number >= 1) return number;
  throw badQuery(`${name} is not a whole number of 1 or more`, `Send for example {"${name}": 20}.`);
}

/** Tokens as a number, or as a person writes them: `"16k"`, `"20%"`. */
function budgetFrom(given: number | string): Budget {
  if (typeof given === "number") {
    const tokens = positive(given, "budget");
    return () => tokens;
  }
  const read = readBudget(given);
  if ("budget" in read) return read.budget;
  const { because, meant = "20%" } = read;
  throw badQuery(`budget is ${because}`, `Send for example {"budget": "${meant}"} or {"budget": 20000}.`);
}

function exportOptions(context: Context): ExportOptions {
  const to = choiceIn(context, "to", Object.keys(protocols) as readonly ProtocolName[]);
  return {
    form: choiceIn(context, "format", ["json", "jsonl"] as const) ?? "json",
    compacted: choiceIn(context, "compacted", ["true", "false"] as const) === "true",
    synthetic: choiceIn(context, "synthetic", SYNTHETIC_CHOICES) ?? "mark",
    secrets: choiceIn(context, "secrets", ["mask", "keep"] as const) ?? "mask",
    ...(to === undefined ? {} : { to }),
  };
}

function choiceIn<Choice extends string>(
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
async function bodyOf<Shape extends Readonly<Record<string, keyof Kinds>>>(
  context: Context,
  shape: Shape,
  bytesMax: number = ADMIN_LIMITS.bodyBytes,
): Promise<Read<Shape>> {
  const text = await textOf(context.req.raw, bytesMax);
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

async function textOf({ body }: Request, bytesMax: number): Promise<string> {
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
