/**
 * What a worker serves where it is given a port: whether it lives, whether it reaches its database, and its metrics. The
 * addresses are those that probes expect, and a gateway's, so that both can be watched in the same way.
 */
import { Hono } from "hono";
import { callerRefusal, type CallersAllowed } from "../transport/callers.ts";
import { createAccess } from "./access.ts";
import { unreadiness, type ReadinessChecks } from "./own-routes.ts";

export interface WorkerRoutesOptions extends ReadinessChecks, CallersAllowed {
  readonly metrics: { readonly text: () => Promise<string>; readonly contentType: string };
  readonly token: string;
}

const NO_STORE = { "cache-control": "no-store" };
const PATHS = {
  health: ["/healthz", "/_precis/health"],
  ready: ["/readyz", "/_precis/ready"],
  metrics: ["/metrics", "/_precis/metrics"],
} as const;

export function createWorkerRoutes(options: WorkerRoutesOptions): Hono {
  const { metrics, token } = options;
  const app = new Hono();
  const access = createAccess(token);
  app.use(async ({ req, json }, next) => {
    const refusal = callerRefusal({ method: req.method, headers: [...req.raw.headers] }, options);
    if (refusal === undefined) return next();
    return json({ error: { code: refusal.code, hint: refusal.hint } }, 403, NO_STORE);
  });
  app.on("GET", [...PATHS.health], ({ json }) => json({ status: "ok" }, 200, NO_STORE));
  app.on("GET", [...PATHS.ready], async ({ json }) => {
    const because = await unreadiness(options);
    return because === undefined
      ? json({ status: "ready" }, 200, NO_STORE)
      : json({ status: "not ready", because }, 503, NO_STORE);
  });
  app.on("GET", [...PATHS.metrics], async ({ req, body, json }) => {
    if (access.byToken(req.header("authorization")))
      return body(await metrics.text(), 200, { ...NO_STORE, "content-type": metrics.contentType });
    const error = { code: "token_needed", hint: "Send `authorization: Bearer TOKEN`; `precis token` prints it." };
    return json({ error }, 401, { ...NO_STORE, "www-authenticate": "Bearer" });
  });
  app.notFound(({ json }) => json({ error: { code: "no_such_route", hint: ROUTES_THERE_ARE } }, 404, NO_STORE));
  return app;
}

const ROUTES_THERE_ARE =
  "A worker has /healthz, /readyz and /metrics, also as /_precis/health, /_precis/ready and /_precis/metrics.";
