/** The routes: three protocols, their model lists, and the provider's own account. */
import type { HttpBindings } from "@hono/node-server";
import { Hono, type Context } from "hono";
import { anthropicWire } from "./anthropic/wire.ts";
import { chatWire } from "./chat/wire.ts";
import type { Refusal } from "./contract.ts";
import type { House } from "./house.ts";
import { modelList } from "./model-list.ts";
import { responsesWire } from "./responses/wire.ts";
import { count, serve } from "./serve.ts";
import { keyOf, type Arrival } from "./visit.ts";
import type { Wire } from "./wire.ts";

type Bindings = { readonly Bindings: Partial<HttpBindings> };

export function createApp(house: House): Hono<Bindings> {
  const app = new Hono<Bindings>();
  app.post("/v1/chat/completions", (context) => serve(house, chatWire, arrivalOf(context)));
  app.post("/v1/responses", (context) => serve(house, responsesWire, arrivalOf(context)));
  app.post("/v1/messages", (context) => serve(house, anthropicWire, arrivalOf(context)));
  app.post("/v1/messages/count_tokens", (context) => count(house, anthropicWire, arrivalOf(context)));
  app.get("/v1/models", (context) => models(house, context));
  app.get("/v1/models/:model{.+}", (context) => models(house, context, context.req.param("model")));
  app.get("/_precis/account", (context) => context.json(house.books.account()));
  app.notFound((context) => {
    const { method, path } = context.req;
    return plain(context, { status: 404, reason: "route", message: `Invalid URL (${method} ${path})` });
  });
  return app;
}

/** What was written before has this long to get out. */
const FLUSH_MS = 10;

/** The connection's end is heard from the server, and brought about there, where there is one. */
function arrivalOf({ req, env }: Context<Bindings>): Arrival {
  let closedMs: number | undefined;
  const { outgoing } = env ?? {};
  outgoing?.once("close", () => {
    if (!outgoing.writableFinished) closedMs = performance.now();
  });
  const breakOff = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    if (outgoing === undefined) return controller.error(new Error("the answer is cut, as it was told to be"));
    await new Promise((done) => setTimeout(done, FLUSH_MS));
    outgoing.destroy();
  };
  return { request: req.raw, closedMs: () => closedMs, breakOff };
}

/** Which vendor a request outside of the three routes is meant for. */
function wireOf({ req }: Context<Bindings>): Wire {
  const anthropic = req.header("anthropic-version") ?? req.header("x-api-key");
  return anthropic === undefined && !req.path.startsWith("/v1/messages") ? chatWire : anthropicWire;
}

function plain(context: Context<Bindings>, refusal: Refusal): Response {
  return Response.json(wireOf(context).errorBody(refusal, "req_none"), { status: refusal.status });
}

function models(house: House, context: Context<Bindings>, name?: string): Response {
  const wire = wireOf(context);
  if (keyOf(context.req.raw.headers, wire) === "") return plain(context, wire.keyless);
  const list = modelList(house.models, wire.protocol, name);
  return list === undefined ? plain(context, wire.noModel(name)) : Response.json(list);
}
