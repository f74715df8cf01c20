/** Takes counts of the shelves over into the inventory. */

const BOOKED_UNITS_MAX = 2;
/** Garden goods are weighed, not counted. */
const BOOKED_GARDEN_UNITS_MAX = 10;

export function applyCounts({ inventory, counts, log }) {
  const lists = { booked: [], recount: [], unknown: [] };
  for (const { sku, counted } of counts) {
    const from = inventory.onShelf(sku);
    if (from === undefined) lists.unknown.push(sku);
    else if (counted !== from) lists[isBooked({ inventory, sku, counted, from }) ? "booked" : "recount"].push(sku);
    if (!lists.booked.includes(sku)) continue;
    inventory.adjust(sku, counted - from);
    log.info("stock adjusted", { sku, from, to: counted });
  }
  for (const list of Object.values(lists)) list.sort();
  return lists;
}

function isBooked({ inventory, sku, counted, from }) {
  const reserved = from - inventory.available(sku);
  const most = sku.startsWith("G") ? BOOKED_GARDEN_UNITS_MAX : BOOKED_UNITS_MAX;
  return counted >= reserved && Math.abs(counted - from) <= most;
}
