/** Everything wired together, with a payment provider that can be told to fail. */
import { readFileSync } from "node:fs";
import { Catalog, EventStore, Inventory, Log, Orders, createShopServer } from "./index.js";

/** @param {{ level?: string, file?: string, failEvery?: number, write?: (line: string) => void }} options */
export function createApp({ level = "info", file, failEvery = 0, write } = {}) {
  const log = new Log({ level, ...(write === undefined ? {} : { write }) });
  const catalog = Catalog.fromFile();
  const inventory = new Inventory(catalog.search().map((product) => [product.sku, product.stock]));
  const store = new EventStore({ file });
  const orders = new Orders({ store, inventory, log, pay: createPayments(failEvery) });
  const discounts = new Map(
    JSON.parse(readFileSync(new URL("../data/discounts.json", import.meta.url), "utf8")).map((one) => [one.code, one]),
  );
  return {
    catalog,
    inventory,
    store,
    orders,
    log,
    server: createShopServer({ catalog, orders, store, discounts, log }),
  };
}

/** Every n-th payment is declined; 0 declines none. */
function createPayments(failEvery) {
  let count = 0;
  return async () => {
    count += 1;
    return failEvery > 0 && count % failEvery === 0 ? { ok: false, reason: "card_declined" } : { ok: true };
  };
}
