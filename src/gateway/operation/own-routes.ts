/**
 * What the gateway serves of its own, under `/_precis/`: whether it lives, whether it can work, its metrics, what it did so
 * far, the dashboard and the operator's calls. All but the first two are for the operator and ask for the token, on this
 * machine too: others may share it.
 */
import { Hono, type Context } from "hono";
import type { History } from "../../session/history.ts";
import { callerRefusal } from "../transport/callers.ts";
import { createAccess, LOGIN_PATH, type Access } from "./access.ts";
import { acceptsPage, addDashboard, type Dashboard } from "../dashboard/pages.ts";
import { createAdminRoutes } from "./admin-routes.ts";
import type { Totals } from "./tally.ts";
import { PrecisError } from "../../core/errors.ts";
import { withTimeLimit } from "../../session/time-limit.ts";

export interface Status {
  readonly version: string;
  readonly mode: string;
  /** Where requests go, by name. */
  readonly upstreams: Readonly<Record<string, string>>;
  /** The file, or `memory`. */
  readonly store: string;
  /** Seconds since it began. */
  readonly upSeconds: number;
  readonly totals: Totals;
}

export interface OwnRoutesOptions extends ReadinessChecks {
  readonly metrics: { readonly text: () => Promise<string>; readonly contentType: string };
  readonly status: () => Status;
  /** Asked for by everything but health and readiness. */
  readonly token: string;
  /** Only where its files were built. */
  readonly dashboard?: Dashboard | undefined;
  /** True: without its store it forwards requests as they come, so that a balancer had better not take it out. */
  readonly forwards?: boolean | undefined;
  /** What the operator can do with the kept conversations. */
  readonly history: History;
  readonly loopback: boolean;
  /** Names, beside those of this machine, by which it may be called, and sites whose pages may call it. */
  readonly allowedHosts?: readonly string[];
}

const OWN_PREFIX = "/_precis";
const API = "/api";
const NO_STORE = { "cache-control": "no-store" };

export function createOwnRoutes(options: OwnRoutesOptions): Hono {
  const app = new Hono({ strict: false }).basePath(OWN_PREFIX);
  const access = createAccess(options.token);
  app.use(async (context, next) => {
    const refused = refusal(context, access, options);
    if (refused !== undefined) return refused;
    return next();
  });
  app.get("/health", (context) => context.json({ status: "ok" }, 200, NO_STORE));
  app.get("/ready", async (context) => {
    const because = await unreadiness(options);
    if (because === undefined) return context.json({ status: "ready" }, 200, NO_STORE);
    return options.forwards === true && because !== "stopping"
      ? context.json({ status: "only forwarding", because }, 200, NO_STORE)
      : context.json({ status: "not ready", because }, 503, NO_STORE);
  });
  if (options.dashboard !== undefined) addDashboard(app, options.dashboard, access);
  else app.get("/login", (context) => error(context, 404, "no_dashboard", "`npm run build` makes the dashboard."));
  app.get("/metrics", async (context) => {
    const text = await options.metrics.text();
    return context.body(text, 200, { ...NO_STORE, "content-type": options.metrics.contentType });
  });
  app.get("/", (context) => context.json(options.status(), 200, NO_STORE));
  app.route(API, createAdminRoutes(options.history));
  app.notFound((context) => error(context, 404, "no_such_route", ROUTES_THERE_ARE));
  return app;
}

const ROUTES_THERE_ARE =
  "Available are /_precis/, /_precis/health, /_precis/ready, /_precis/metrics, and the calls of docs/operating.md under /_precis/api/.";

/** What needs no token: whether it lives, and where a link for a browser leads. */
const OPEN = new Set([`${OWN_PREFIX}/health`, `${OWN_PREFIX}/ready`, LOGIN_PATH]);

/** Anyone may ask whether it lives; a page of another site in the operator's browser may ask nothing. */
function refusal(
  context: Context,
  access: Access,
  { loopback, allowedHosts = [], dashboard }: OwnRoutesOptions,
): Response | undefined {
  const { req } = context;
  const host = ["host", req.header("host") ?? new URL(req.raw.url).host] as const;
  // A link on another site may lead here: what is shown then stays unread by that site.
  const followed = req.method === "GET" && req.header("sec-fetch-mode") === "navigate";
  const headers = followed ? [host] : [...req.raw.headers, host];
  const foreign = callerRefusal({ method: "GET", headers }, { loopback, allowedHosts });
  if (foreign !== undefined) return error(context, 403, foreign.code, foreign.hint);
  if (OPEN.has(req.path) || access.byToken(req.header("authorization"))) return undefined;
  if (dashboard !== undefined && isOpenToAll(dashboard, context)) return undefined;
  const refused = error(context, 401, "token_needed", TOKEN_NEEDED);
  refused.headers.set("www-authenticate", "Bearer");
  return refused;
}

/** The dashboard's own files hold nothing of anyone's: what they show they ask for with a token. */
function isOpenToAll(dashboard: Dashboard, context: Context): boolean {
  const { method, path } = context.req;
  if (method !== "GET") return false;
  const atRoot = path === OWN_PREFIX || path === `${OWN_PREFIX}/`;
  return atRoot ? acceptsPage(context.req.header("accept")) : dashboard.files.has(path.slice(OWN_PREFIX.length + 1));
}

const TOKEN_NEEDED =
  "Send `authorization: Bearer TOKEN`; `precis token` prints it, and `precis token --link` a link for a browser.";

function error(context: Context, status: 401 | 403 | 404, code: string, hint: string): Response {
  return context.json({ error: { code, hint } }, status, NO_STORE);
}

export interface ReadinessChecks {
  readonly checkStore: () => Promise<unknown>;
  /** True from the moment it is to stop. */
  readonly stopping: () => boolean;
}

const STORE_ANSWERS_WITHIN_MS = 2_000;

/** Why it is not ready, as a code; undefined where it is. */
export async function unreadiness({ stopping, checkStore }: ReadinessChecks): Promise<string | undefined> {
  if (stopping()) return "stopping";
  try {
    const checked = checkStore().then(() => undefined);
    return await withTimeLimit(STORE_ANSWERS_WITHIN_MS, checked, () => "store_slow");
  } catch (cause) {
    return cause instanceof PrecisError && cause.code.startsWith("store_") ? cause.code : "store_unavailable";
  }
}
