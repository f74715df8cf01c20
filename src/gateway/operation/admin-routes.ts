/**
 * The operator's calls over HTTP, under `/_precis/api/`: the same as the command line makes, over the gateway's own store.
 * What changes something wants `content-type: application/json`, which no form of another site can send.
 */
import { Hono, type Context } from "hono";
import { defined } from "../../core/defined.ts";
import { PrecisError } from "../../core/errors.ts";
import { thresholdFrom } from "../../session/threshold.ts";
import type { History } from "../../session/history.ts";
import {
  ADMIN_LIMITS,
  badQuery,
  bodyOf,
  bounded,
  budgetFrom,
  exportOptions,
  idIn,
  isJson,
  limitIn,
  numberIn,
  pageIn,
  positive,
  refusal,
  tenantIn,
  whichIn,
} from "./admin-request.ts";

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
  app.use(async (context, next) => {
    if (context.req.method === "POST" && !isJson(context.req.header("content-type")))
      throw refusal(
        "json_needed",
        "the request is not JSON",
        "Send `content-type: application/json`, also without a body.",
      );
    await next();
  });
  addReading(app, history);
  addCompacting(app, history);
  addEditing(app, history);
  app.onError((error, context) => refuse(context, error));
  return app;
}

function answered(answer: (context: Context) => Promise<object>): (context: Context) => Promise<Response> {
  return async (context) => context.json(await answer(context), 200, NO_STORE);
}

interface Answering {
  readonly now: Promise<string>;
  next?: Promise<string>;
}

/**
 * What is asked several times at once is answered once: many pages that reload at the same event cost as much as one. Whoever
 * asks while an answer is being made shares the next one, because something may have changed since that one was begun.
 */
function createSharing(): (question: string, answer: () => Promise<string>) => Promise<string> {
  const underWay = new Map<string, Answering>();
  const begin = (question: string, answer: () => Promise<string>): Promise<string> => {
    const answering: Answering = { now: answer() };
    underWay.set(question, answering);
    const forget = (): void => {
      if (answering.next === undefined) underWay.delete(question);
    };
    answering.now.then(forget, forget);
    return answering.now;
  };
  return (question, answer) => {
    const before = underWay.get(question);
    if (before === undefined) return begin(question, answer);
    const again = (): Promise<string> => begin(question, answer);
    return (before.next ??= before.now.then(again, again));
  };
}

function readPreviewId(context: Context): string {
  return bounded(context.req.param("preview") ?? "", "the preview", ADMIN_LIMITS.idChars);
}

function addReading(app: Hono, history: History): void {
  const { tailMessages: max, tailMessagesByDefault: otherwise, listedByDefault } = ADMIN_LIMITS;
  const share = createSharing();
  const get = (path: string, answer: (context: Context) => Promise<object>): void =>
    void app.get(path, async (context) => {
      const text = await share(context.req.url, async () => JSON.stringify(await answer(context)));
      return context.body(text, 200, { ...NO_STORE, "content-type": "application/json" });
    });
  get("/tenants", () => history.tenants());
  get("/windows", (context) => history.windows({ tenant: tenantIn(context) }));
  get("/sessions", (context) => {
    const offset = numberIn(context, "offset", { min: 0, max: ADMIN_LIMITS.offset, otherwise: 0 });
    return history.list(tenantIn(context), limitIn(context), offset);
  });
  get("/sessions/:id", (context) => history.show(whichIn(context), numberIn(context, "tail", { max, otherwise })));
  get("/sessions/:id/context", (context) => history.context(whichIn(context)));
  get("/sessions/:id/compactions/:number", (context) => {
    const number = positive(Number(context.req.param("number")), "the number of the compaction");
    return history.compaction(whichIn(context), number, pageIn(context));
  });
  get("/sessions/:id/previews/:preview", (context) => {
    const preview = readPreviewId(context);
    return history.showPreview(whichIn(context), preview, pageIn(context));
  });
  get("/sessions/:id/messages", (context) => {
    const page = pageIn(context) ?? { from: 1, count: listedByDefault };
    return history.read(whichIn(context), page);
  });
  get("/sessions/:id/pins", (context) => history.pins(whichIn(context)));
  get("/recall/:id", async (context) => {
    const original = await history.recall(tenantIn(context), idIn(context));
    if (original !== undefined) return original;
    throw refusal(
      "unknown_original",
      "no original has this recall id",
      "Use an id as the compacted conversation shows it.",
    );
  });
  get("/search", (context) => {
    const words = bounded(context.req.query("q") ?? "", "q", ADMIN_LIMITS.queryChars);
    if (words.trim() === "") throw badQuery("q is missing", "Write for example `?q=connection+refused`.");
    const session = context.req.query("session");
    return history.search({ tenant: tenantIn(context), words, limit: limitIn(context), ...defined({ session }) });
  });
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
}

function addCompacting(app: Hono, history: History): void {
  const shape = { focus: "string", budget: "amount", messages: "string", preview: "boolean", apply: "string" } as const;
  let compacting = 0;
  app.post(
    "/sessions/:id/compact",
    answered(async (context) => {
      const { focus, budget, messages, preview, apply } = await bodyOf(context, shape);
      if (apply !== undefined) return history.applyPreview(whichIn(context), apply);
      if (compacting >= ADMIN_LIMITS.compactions)
        throw refusal("busy", "too many compactions are in progress", "Try again in a moment.");
      compacting++;
      try {
        const how = {
          ...(focus === undefined ? {} : { focus: bounded(focus, "focus", ADMIN_LIMITS.focusChars) }),
          ...(budget === undefined ? {} : { budget: budgetFrom(budget) }),
          ...defined({ messages }),
          signal: context.req.raw.signal,
        };
        return await (preview === true ? history.preview : history.compact)(whichIn(context), how);
      } finally {
        compacting--;
      }
    }),
  );
}

function addEditing(app: Hono, history: History): void {
  const post = (path: string, answer: (context: Context) => Promise<object>): void =>
    void app.post(path, answered(answer));
  post("/sessions/:id/previews/:preview", async (context) => {
    const preview = readPreviewId(context);
    const { handoff } = await bodyOf(context, { handoff: "string" }, ADMIN_LIMITS.handoffBodyBytes);
    if (handoff === undefined) throw badQuery("handoff is missing", 'Send for example {"handoff": "## Open\\n- …"}.');
    return history.editPreview(whichIn(context), preview, handoff);
  });
  post("/sessions/:id/drop", async (context) => {
    const { messages } = await bodyOf(context, { messages: "string" });
    if (messages === undefined) throw badQuery("messages is missing", 'Send for example {"messages": "12-30"}.');
    return history.drop(whichIn(context), messages);
  });
  post("/sessions/:id/undo", async (context) => {
    const undone = await history.undo(whichIn(context));
    if (undone !== undefined) return undone;
    throw refusal("nothing_to_undo", "no compaction is active for this session", "There is nothing to undo.");
  });
  post("/sessions/:id/threshold", async (context) => {
    const { threshold } = await bodyOf(context, { threshold: "amount" });
    const set = threshold === undefined ? undefined : thresholdFrom(String(threshold));
    return history.setThreshold(whichIn(context), set);
  });
  post("/sessions/:id/pin", async (context) => {
    const what = await bodyOf(context, { messages: "string", fact: "string" });
    return history.pin(whichIn(context), what);
  });
  post("/sessions/:id/unpin", async (context) => {
    const { pin } = await bodyOf(context, { pin: "string" });
    if (pin === undefined) throw badQuery("pin is missing", 'Send for example {"pin": "p1a2b3c"}.');
    return history.unpin(whichIn(context), pin);
  });
  post("/sessions/:id/fork", async (context) => {
    const { at, name } = await bodyOf(context, { at: "number", name: "string" });
    const where = at === undefined ? {} : { at: positive(at, "at") };
    return history.fork(whichIn(context), { ...where, ...defined({ name }) });
  });
  post("/windows/forget", async (context) => {
    const which = await bodyOf(context, { model: "string", upstream: "string" });
    return history.forgetWindows({ tenant: tenantIn(context), ...which });
  });
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
