/** The public surface. The mobile application and the till software pin every name and signature in this file. */
export { Catalog, UnknownSkuError } from "./catalog.js";
export { Cart } from "./cart.js";
export { applyDiscount } from "./discounts.js";
export { ordersToCsv, COLUMNS } from "./export.js";
export { createShopServer } from "./http.js";
export { Inventory, OutOfStockError, RESERVATION_MS } from "./inventory.js";
export { Log } from "./log.js";
export { allocate, formatCents, parseCents, percentOf, sumCents } from "./money.js";
export { EmptyCartError, Orders, PaymentFailedError, quote } from "./orders.js";
export { refund, refundCents } from "./refunds.js";
export { ParcelTooHeavyError, shippingCents } from "./shipping.js";
export { EventStore } from "./store.js";
export { REGIONS, UnknownRegionError, applyTax, rateOf } from "./tax.js";
