/** Random checkouts against a server in this process: `node bin/load.js COUNT [FAIL_EVERY] [LEVEL]`. Same seed, same traffic. */
import { once } from "node:events";
import { createApp } from "../src/app.js";

const [count = "50", failEvery = "0", level = "info"] = process.argv.slice(2);
const { server, catalog, inventory, log } = createApp({ level, failEvery: Number(failEvery) });
server.listen(0, "127.0.0.1");
await once(server, "listening");
const base = `http://127.0.0.1:${server.address().port}`;

const random = mulberry32(20260312);
const pick = (list) => list[Math.floor(random() * list.length)];
const products = catalog.search();
const statuses = {};
for (let at = 0; at < Number(count); at += 1) {
  const items = Array.from({ length: 1 + Math.floor(random() * 4) }, () => ({
    sku: pick(products).sku,
    quantity: 1 + Math.floor(random() * 3),
  }));
  const code = random() < 0.5 ? pick(["SPRING15", "BOOKS10"]) : undefined;
  const body = JSON.stringify({ items, region: pick(["DE", "DE", "FR", "AT", "NL", "IE"]), code });
  const response = await fetch(`${base}/orders`, { method: "POST", body });
  statuses[response.status] = (statuses[response.status] ?? 0) + 1;
  await response.arrayBuffer();
}
server.close();
server.closeAllConnections();
log.info("done", { statuses, openReservations: inventory.openReservations });

function mulberry32(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
