/** Orders as CSV for accounting. The order of the columns is part of a contract with their import. */
import { formatCents } from "./money.js";

export const COLUMNS = Object.freeze([
  "order",
  "state",
  "region",
  "lines",
  "subtotal",
  "discount",
  "shipping",
  "tax",
  "total",
]);

/** @param {readonly any[]} orders */
export function ordersToCsv(orders) {
  return [COLUMNS.join(";"), ...orders.map(row)].join("\n") + "\n";
}

function row(order) {
  const amount = (cents) => decimal(cents, order.region);
  return [
    order.orderId,
    order.state,
    order.region,
    String(order.lines.length),
    amount(order.subtotalCents),
    amount(order.discountCents),
    amount(order.shippingCents),
    amount(order.taxCents),
    amount(order.totalCents),
  ]
    .map(quoted)
    .join(";");
}

/** Decimal comma where people use one. */
function decimal(cents, region) {
  const text = formatCents(cents, "").trim().replaceAll(",", "");
  return region === "IE" ? text : text.replace(".", ",");
}

function quoted(value) {
  return /[";\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
