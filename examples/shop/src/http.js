/** The HTTP API: JSON in, JSON out, errors with a stable code. */
import { createServer } from "node:http";
import { Cart } from "./cart.js";
import { ordersToCsv } from "./export.js";
import { quote } from "./orders.js";
import { refund } from "./refunds.js";

const BODY_MAX_BYTES = 64 * 1024;
const STATUS = Object.freeze({
  unknown_sku: 404,
  unknown_region: 422,
  out_of_stock: 409,
  payment_failed: 402,
  parcel_too_heavy: 422,
  empty_cart: 422,
  bad_request: 400,
  not_found: 404,
});

/** @param {{ catalog: import("./catalog.js").Catalog, orders: import("./orders.js").Orders, store: import("./store.js").EventStore, discounts: Map<string, any>, log: import("./log.js").Log }} parts */
export function createShopServer(parts) {
  return createServer(async (request, response) => {
    const started = performance.now();
    const { status, body, type = "application/json" } = await answer(parts, request).catch(failure(parts.log));
    response.writeHead(status, { "content-type": type });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
    parts.log.info("request", {
      method: request.method,
      path: request.url,
      status,
      ms: Math.round((performance.now() - started) * 10) / 10,
    });
  });
}

async function answer(parts, request) {
  const url = new URL(request.url, "http://localhost");
  const route = `${request.method} ${url.pathname.replace(/S-\d+/, ":id")}`;
  switch (route) {
    case "GET /products":
      return { status: 200, body: parts.catalog.search({ category: url.searchParams.get("category") ?? undefined }) };
    case "POST /quotes": {
      const { cart, options } = await readCheckout(parts, request);
      return { status: 200, body: quote(cart, options) };
    }
    case "POST /orders": {
      const { cart, options } = await readCheckout(parts, request);
      return { status: 201, body: await parts.orders.place(cart, options) };
    }
    case "GET /orders/:id": {
      const order = parts.orders.get(url.pathname.split("/")[2]);
      if (order === undefined) throw coded("not_found", "no such order");
      return { status: 200, body: order };
    }
    case "POST /orders/:id/refunds": {
      const order = parts.orders.get(url.pathname.split("/")[2]);
      if (order === undefined) throw coded("not_found", "no such order");
      const { skus } = await readJson(request);
      return { status: 201, body: { cents: refund(parts.store, order, skus) } };
    }
    case "GET /export.csv": {
      const ids = [...new Set(parts.store.all().map((event) => event.orderId))];
      return { status: 200, type: "text/csv", body: ordersToCsv(ids.map((id) => parts.orders.get(id))) };
    }
    default:
      throw coded("not_found", `no route ${route}`);
  }
}

async function readCheckout(parts, request) {
  const { items, region, code } = await readJson(request);
  if (!Array.isArray(items)) throw coded("bad_request", "items is a list of { sku, quantity }");
  const cart = new Cart(parts.catalog);
  for (const { sku, quantity } of items) cart.add(sku, quantity);
  const discount = code === undefined ? undefined : parts.discounts.get(code);
  if (code !== undefined && discount === undefined) throw coded("bad_request", `no discount ${code}`);
  return { cart, options: { region, discount } };
}

async function readJson(request) {
  let text = "";
  for await (const chunk of request) {
    text += chunk;
    if (text.length > BODY_MAX_BYTES) throw coded("bad_request", `a body holds at most ${BODY_MAX_BYTES} bytes`);
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw Object.assign(coded("bad_request", "the body is not JSON"), { cause });
  }
}

function failure(log) {
  return (error) => {
    const code = error instanceof RangeError ? "bad_request" : error.code;
    const status = STATUS[code] ?? 500;
    if (status === 500) log.error("unexpected", { error: error.stack });
    return {
      status,
      body: { error: { code: code ?? "internal", message: status === 500 ? "internal error" : error.message } },
    };
  };
}

function coded(code, message) {
  return Object.assign(new Error(message), { code });
}
