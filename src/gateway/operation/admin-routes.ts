/**
 * The operator's calls over HTTP, under `/_precis/api/`: the same as the command line makes, over the gateway's own store.
 * What changes something wants `content-type: application/json`, which no form of another site can send.
 */
import { Hono, type Context } from "hono";
import { PrecisError } from "../../core/errors.ts";
import { thresholdFrom } from "../../session/threshold.ts";
import type { History } from "../history/contract.ts";
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
  addGuards(app);
  addReading(app, history);
  addCompacting(app, history);
  addPinning(app, history);
  addForking(app, history);
  addWindows(app, history);
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

function addCompacting(app: Hono, history: History): void {
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
  app.post("/sessions/:id/previews/:preview", async (context) => {
    const preview = bounded(context.req.param("preview"), "the preview", ADMIN_LIMITS.idChars);
    const { handoff } = await bodyOf(context, { handoff: "string" }, ADMIN_LIMITS.handoffBodyBytes);
    if (handoff === undefined) throw badQuery("handoff is missing", 'Send for example {"handoff": "## Open\\n- …"}.');
    return context.json(await history.editPreview(whichIn(context), preview, handoff), 200, NO_STORE);
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
  app.post("/sessions/:id/threshold", async (context) => {
    const { threshold } = await bodyOf(context, { threshold: "amount" });
    const set = threshold === undefined ? undefined : thresholdFrom(String(threshold));
    return context.json(await history.setThreshold(whichIn(context), set), 200, NO_STORE);
  });
}

function addPinning(app: Hono, history: History): void {
  app.post("/sessions/:id/pin", async (context) => {
    const what = await bodyOf(context, { messages: "string", fact: "string" });
    return context.json(await history.pin(whichIn(context), what), 200, NO_STORE);
  });
  app.post("/sessions/:id/unpin", async (context) => {
    const { pin } = await bodyOf(context, { pin: "string" });
    if (pin === undefined) throw badQuery("pin is missing", 'Send for example {"pin": "p1a2b3c"}.');
    return context.json(await history.unpin(whichIn(context), pin), 200, NO_STORE);
  });
}

function addWindows(app: Hono, history: History): void {
  app.get("/windows", async (context) =>
    context.json(await history.windows({ tenant: tenantIn(context) }), 200, NO_STORE),
  );
  app.post("/windows/forget", async (context) => {
    const which = await bodyOf(context, { model: "string", upstream: "string" });
    return context.json(await history.forgetWindows({ tenant: tenantIn(context), ...which }), 200, NO_STORE);
  });
}

function addForking(app: Hono, history: History): void {
  app.post("/sessions/:id/fork", async (context) => {
    const { at, name } = await bodyOf(context, { at: "number", name: "string" });
    const made = await history.fork(whichIn(context), {
      ...(at === undefined ? {} : { at: positive(at, "at") }),
      ...(name === undefined ? {} : { name }),
    });
    return context.json(made, 200, NO_STORE);
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
