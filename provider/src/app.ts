/** The routes: the protocols, their model lists, and the provider's own account. */
import type { HttpBindings } from "@hono/node-server";
import { Hono, type Context } from "hono";
import { allDefinitions } from "../../src/protocols/registry.ts";
import type { Refusal } from "../../src/protocols/request-form/openai-refusals.ts";
import type { ProviderContext } from "./context.ts";
import { count, serve } from "./serve.ts";
import type { IncomingRequest } from "./request-context.ts";
import { bearerOf } from "./openai-words.ts";
import type { Wire } from "./wire.ts";
import { wires } from "./wires.ts";

type Bindings = { readonly Bindings: Partial<HttpBindings> };

export function createApp(provider: ProviderContext): Hono<Bindings> {
  const app = new Hono<Bindings>();
  app.post("*", (context, next) => {
    const asked = askedOf(context.req.path);
    if (asked === undefined) return next();
    const handle = asked.asks === "count" ? count : serve;
    return handle(provider, wires[asked.name], receivedOf(context));
  });
  app.get("/v1/models", (context) => models(provider, context));
  app.get("/v1/models/:model{.+}", (context) => models(provider, context, context.req.param("model")));
  app.get("/_precis/account", (context) => context.json(provider.books.account()));
  app.notFound((context) => {
    const { method, path } = context.req;
    return plain(context, { status: 404, reason: "route", message: `Invalid URL (${method} ${path})` });
  });
  return app;
}

/** What was written before has this long to get out. */
const FLUSH_MS = 10;

/** The connection's end is heard from the server, and brought about there, where there is one. */
function receivedOf({ req, env }: Context<Bindings>): IncomingRequest {
  let closedMs: number | undefined;
  const { outgoing } = env ?? {};
  outgoing?.once("close", () => {
    if (!outgoing.writableFinished) closedMs = performance.now();
  });
  const breakOff = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    if (outgoing === undefined) return controller.error(new Error("the answer is cut off, as the fault setting asks"));
    await new Promise((done) => setTimeout(done, FLUSH_MS));
    outgoing.destroy();
  };
  return { request: req.raw, closedMs: () => closedMs, breakOff };
}

/** What a POST to a path asks, in which protocol. */
function askedOf(path: string) {
  if (!path.startsWith("/v1")) return undefined;
  const bare = path.startsWith("/v1/") ? path.slice("/v1".length) : path;
  for (const { name, routes } of allDefinitions) {
    const asked = routes(bare);
    if (asked !== undefined) return { name, asks: asked.asks };
  }
  return undefined;
}

/** Which vendor a request outside of the routes is meant for: what nobody else is addressed by is OpenAI's. */
function wireOf({ req }: Context<Bindings>): Wire {
  const header = (name: string): string | undefined => req.header(name);
  const others = allDefinitions.filter(({ vendor }) => vendor.name !== "openai");
  const found = others.find(
    ({ vendor, name }) => vendor.isAddressed(req.path, header) || wires[name].isKeyed?.(req.raw.headers) === true,
  );
  return wires[found?.name ?? "openai-chat"];
}

function plain(context: Context<Bindings>, refusal: Refusal): Response {
  return Response.json(wireOf(context).errorBody(refusal, "req_none"), { status: refusal.status });
}

function models(provider: ProviderContext, context: Context<Bindings>, name?: string): Response {
  const wire = wireOf(context);
  const { headers, url } = context.req.raw;
  if (bearerOf(headers) === "" && wire.keyOf(headers, new URL(url)) === "") return plain(context, wire.keyless);
  const { entry, list } = wire.models;
  const { find, names } = provider.models;
  if (name === undefined) return Response.json(list(names().map((one) => entry(provider.models, one))));
  return find(name) === undefined ? plain(context, wire.noModel(name)) : Response.json(entry(provider.models, name));
}
