import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, describe, it } from "node:test";
import { createApp } from "../src/app.js";

describe("the HTTP API", () => {
  const { server } = createApp({ level: "error" });
  let base;

  before(async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    base = `http://127.0.0.1:${server.address().port}`;
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });

  const post = (path, body) => fetch(base + path, { method: "POST", body: JSON.stringify(body) });

  it("lists products", async () => {
    const products = await (await fetch(`${base}/products?category=food`)).json();
    assert.equal(products.length, 10);
  });
  it("quotes without reserving", async () => {
    const response = await post("/quotes", { items: [{ sku: "B100", quantity: 2 }], region: "DE", code: "SPRING15" });
    assert.equal(response.status, 200);
    assert.equal((await response.json()).discountCode, "SPRING15");
  });
  it("places, shows and refunds an order", async () => {
    const placed = await (await post("/orders", { items: [{ sku: "B101", quantity: 1 }], region: "AT" })).json();
    const shown = await (await fetch(`${base}/orders/${placed.orderId}`)).json();
    assert.equal(shown.state, "paid");
    const refunded = await post(`/orders/${placed.orderId}/refunds`, { skus: ["B101"] });
    assert.equal(refunded.status, 201);
  });
  for (const [what, body, status, code] of [
    ["an unknown sku", { items: [{ sku: "X1", quantity: 1 }], region: "DE" }, 404, "unknown_sku"],
    ["an unknown region", { items: [{ sku: "B100", quantity: 1 }], region: "US" }, 422, "unknown_region"],
    ["a bad quantity", { items: [{ sku: "B100", quantity: 0 }], region: "DE" }, 400, "bad_request"],
    ["an unknown code", { items: [{ sku: "B100", quantity: 1 }], region: "DE", code: "NOPE" }, 400, "bad_request"],
    ["no items", { region: "DE" }, 400, "bad_request"],
  ])
    it(`answers ${status} to ${what}`, async () => {
      const response = await post("/quotes", body);
      assert.equal(response.status, status);
      assert.equal((await response.json()).error.code, code);
    });
  it("exports orders as CSV", async () => {
    const text = await (await fetch(`${base}/export.csv`)).text();
    assert.match(text, /^order;state;region;lines;subtotal;discount;shipping;tax;total\n/);
  });
  it("knows what it does not serve", async () => assert.equal((await fetch(`${base}/nope`)).status, 404));
});
