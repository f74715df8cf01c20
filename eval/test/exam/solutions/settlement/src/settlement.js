/** What accounting books of orders: one line an order. */

const ACCOUNTS = Object.freeze({ DE: 8400, AT: 8415, NL: 8415, FR: 8412, IE: 8420 });
const RETURNED_ACCOUNT = 8999;

export function settlementLines(orders) {
  const paid = orders.filter(({ state }) => state === "paid").toSorted((a, b) => numberOf(a) - numberOf(b));
  const lines = paid.map((order) =>
    [accountOf(order), order.orderId, order.totalCents - order.taxCents, order.taxCents, order.refundedCents].join(
      "\t",
    ),
  );
  const header = ["account", "order", "net_cents", "tax_cents", "refunded_cents"].join("\t");
  return `${[`#orders=${paid.length}`, header, ...lines].join("\n")}\n`;
}

function accountOf({ region, refundedCents, totalCents, shippingCents, shippingTaxCents }) {
  const goodsCents = totalCents - shippingCents - shippingTaxCents;
  return refundedCents > 0 && refundedCents === goodsCents ? RETURNED_ACCOUNT : ACCOUNTS[region];
}

function numberOf({ orderId }) {
  return Number(orderId.slice(2));
}
