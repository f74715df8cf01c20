/** The dashboard's routes: its files, the link that opens it, the token of its script, what happens now, and figures by day and model. */
import type { Context, Hono } from "hono";
import { ADMIN_LIMITS } from "../operation/admin-request.ts";
import type { Access } from "../operation/access.ts";
import type { Figures } from "./figures.ts";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join as joinPath } from "node:path";
import { fileURLToPath } from "node:url";
import type { EmitEvent, GatewayEvent } from "../contract.ts";

export interface Dashboard {
  readonly files: DashboardFiles;
  readonly feed: EventFeed;
  readonly figures: Pick<Figures, "read">;
}

const NO_STORE = { "cache-control": "no-store" };
/** Names of files change with their content. */
const FOREVER = { "cache-control": "public, max-age=31536000, immutable" };
const DAYS_MAX = 92;
const DAYS_BY_DEFAULT = 14;

/** Nothing but the page's own files and its own gateway; charts set styles from the script, which needs no exception. */
const DASHBOARD_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const PAGE_HEADERS = {
  ...NO_STORE,
  "content-security-policy": DASHBOARD_POLICY,
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "cross-origin-opener-policy": "same-origin",
};

export function addDashboard(app: Hono, { files, feed, figures }: Dashboard, access: Access): void {
  const page = files.get("index.html")!;
  app.get("/", (context, next) =>
    acceptsPage(context.req.header("accept")) ? serve(context, page, PAGE_HEADERS) : next(),
  );
  for (const [name, file] of files) if (file !== page) app.get(`/${name}`, (context) => serve(context, file, FOREVER));
  app.get("/login", (context) => {
    // A preview of the link, which asks for its head alone, must not use it up.
    if (context.req.method !== "GET") return context.body(null, 405, { allow: "GET" });
    const code = access.byLink(context.req.query("code") ?? "");
    if (code === undefined) return context.json(LINK_USED, 401, NO_STORE);
    // Nobody but the script is told what comes after a `#`.
    const headers = { ...NO_STORE, "referrer-policy": "no-referrer", location: `/_precis/#code=${code}` };
    return context.body(null, 303, headers);
  });
  app.post("/login", async (context) => {
    // A request with the operator's token needs no code.
    if (access.byOperator(context.req.header("authorization")))
      return context.json({ token: access.browserToken() }, 200, NO_STORE);
    const token = access.byHandover(await readCode(context));
    if (token !== undefined) return context.json({ token }, 200, NO_STORE);
    return context.json(LINK_USED, 401, NO_STORE);
  });
  app.get("/api/events", (context) => {
    const stream = feed.listen(context.req.raw.signal);
    if (stream === undefined) return context.json(TOO_MANY, 503, { ...NO_STORE, "retry-after": "30" });
    return context.body(stream, 200, { ...NO_STORE, "content-type": "text/event-stream", "x-accel-buffering": "no" });
  });
  app.get("/api/figures", async (context) => {
    const days = Number(context.req.query("days") ?? DAYS_BY_DEFAULT);
    if (!Number.isInteger(days) || days < 1 || days > DAYS_MAX) return context.json(BAD_DAYS, 400, NO_STORE);
    return context.json(await figures.read(days), 200, NO_STORE);
  });
}

export function acceptsPage(accept = ""): boolean {
  return accept.includes("text/html");
}

const LINK_USED = {
  error: {
    code: "link_used",
    message: "this link was used, or is too old",
    hint: "A link works once, within ten minutes; `precis token --link` prints a new one.",
  },
};

const BAD_DAYS = {
  error: {
    code: "bad_query",
    message: `days is not a whole number from 1 to ${DAYS_MAX}`,
    hint: "Send for example ?days=7.",
  },
};

const TOO_MANY = {
  error: {
    code: "busy",
    message: "too many pages listen for events",
    hint: "Close some; this one asks from time to time.",
  },
};

function serve(context: Context, { body, type }: DashboardFile, headers: Readonly<Record<string, string>>): Response {
  return context.body(body, 200, { ...headers, "content-type": type });
}

async function readCode(context: Context): Promise<string> {
  const length = Number(context.req.header("content-length") ?? Number.NaN);
  if (!(length <= ADMIN_LIMITS.bodyBytes)) return "";
  const body = (await context.req.json().catch(() => undefined)) as { readonly code?: unknown } | undefined;
  return typeof body?.code === "string" ? body.code : "";
}

interface DashboardFile {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly type: string;
}

/** By name; the page itself is `index.html`, and every other name contains a hash of its content. */
type DashboardFiles = ReadonlyMap<string, DashboardFile>;

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

const BUILT = fileURLToPath(new URL("browser", import.meta.url));

/** Undefined where they were not built. */
export function readDashboardFiles(folder: string = BUILT): DashboardFiles | undefined {
  const files = new Map<string, DashboardFile>();
  for (const name of listNames(folder)) {
    const type = TYPES[extname(name)];
    if (type !== undefined) files.set(name, { body: Uint8Array.from(readFileSync(joinPath(folder, name))), type });
  }
  return files.has("index.html") ? files : undefined;
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

export const FEED_LIMITS = Object.freeze({
  /** Pages that listen at the same time. */
  listeners: 32,
  /** Events that wait for a slow page; it misses those after them, and asks anew with the next one. */
  waitingEvents: 100,
  /** How often something is sent, so that nothing in between takes the connection for dead. */
  keepAliveMs: 15_000,
});

export interface EventFeed {
  readonly onEvent: EmitEvent;
  /** Undefined where too many listen. Ends with the signal, or when the feed is closed. */
  readonly listen: (signal: AbortSignal) => ReadableStream<Uint8Array> | undefined;
  readonly close: () => void;
}

interface Listener {
  readonly send: (text: string) => void;
  readonly end: () => void;
}

const encoder = new TextEncoder();

export function createEventFeed(): EventFeed {
  const listeners = new Set<Listener>();
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  const sendAll = (text: string): void => listeners.forEach(({ send }) => send(text));
  const leave = (listener: Listener): void => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  const join = (listener: Listener): void => {
    listeners.add(listener);
    timer ??= setInterval(() => sendAll(": alive\n\n"), FEED_LIMITS.keepAliveMs).unref();
  };
  return {
    onEvent: (event) => {
      if (listeners.size > 0) sendAll(`data: ${JSON.stringify(plainEvent(event))}\n\n`);
    },
    listen: (signal) => (closed || listeners.size >= FEED_LIMITS.listeners ? undefined : streamTo(join, leave, signal)),
    close: () => {
      closed = true;
      for (const { end } of listeners) end();
    },
  };
}

/** No name that a client chose is in it. */
function plainEvent(event: GatewayEvent): object {
  const { kind, tenant } = event;
  return event.kind === "notice" ? { kind, tenant, code: event.code } : { kind, tenant };
}

function streamTo(
  join: (listener: Listener) => void,
  leave: (listener: Listener) => void,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  let listener: Listener;
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        const end = (): void => {
          leave(listener);
          signal.removeEventListener("abort", end);
          try {
            controller.close();
          } catch {
            // It was closed by the other side.
          }
        };
        const send = (text: string): void => {
          if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(text));
        };
        listener = { send, end };
        join(listener);
        signal.addEventListener("abort", end, { once: true });
        send(": listening\n\n");
      },
      cancel: () => leave(listener),
    },
    { highWaterMark: FEED_LIMITS.waitingEvents },
  );
}
