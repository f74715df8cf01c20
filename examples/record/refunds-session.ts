/**
 * The long session: refunds a cent short, then vouchers, a change of mind, a failing load test, and a last request
 * that needs what was said at the start. The agent's words are written here; everything the tools answer is real.
 */
import { bash, edit, grep, plan, read, write, type Recorder } from "./recorder.ts";

export const REFUNDS_SYSTEM = `You are a coding agent working in a terminal on the project in /workspace/shop.
Work in small steps, run the tests after each change, and say what you found in a sentence or two before you act.
Never claim that something works before you have seen it work. Ask only when an answer would change what you do.`;

export function recordRefundsSession(session: Recorder): void {
  session.user(FIRST_REQUEST);
  findTheMissingCent(session);
  mendTheMissingCent(session);
  addVouchers(session);
  changeOfMind(session);
  session.user(LOAD_REQUEST);
  loadTest(session, [
    "[x] discounts split without losing a cent",
    "[x] vouchers, up to two",
    "[x] declined payments release their reservation",
    OPEN_ITEM,
    "[ ] tell support about S-1042: 1 cent by hand",
  ]);
  session.user(LAST_REQUEST);
}

const FIRST_REQUEST = `Customers in Germany report refunds that are one cent short. Support's example: order S-1042, code SPRING15, three books, everything sent back, 0.01 EUR missing. Find the cause and mend it where it arises, not where it shows.

Rules for the whole session, please keep to them:
- Never change a name or a signature that src/index.js exports. The mobile app and the till software pin them.
- Tests use node:test and node:assert/strict only. No new dependencies, not even for development.
- Amounts are integer cents everywhere: no float in any field, file or response.
- data/catalog.json belongs to the buying department, do not touch it.
- Commit after every finished step, one line in the imperative. Do not push.`;

const LAST_REQUEST = `Leave the reservation test as it is for now, Ines will look at it on Monday.

Before the release accounting needs one more thing: the CSV export must get one additional column "total_cents" with the plain integer, at the very end. The nine columns that are there keep their names, order and format, their import checks that. Add it with tests, run everything, commit. Then tell me whether anything you did today bent one of the rules I gave you at the start, and what exactly is still failing and why.`;

function findTheMissingCent(session: Recorder): void {
  session.agent(
    "I start with the layout, the written decisions and the state of the tests, so that I know what was true before I change anything.",
    bash("git ls-files | xargs wc -l && git log --stat --format='%h %ad %an: %s' --date=short"),
    read("README.md"),
    read("docs/decisions.md"),
  );
  session.agent(
    "Decision 2 says that what has been rounded is split with `allocate`. That is the first thing to hold against the code. First the tests as they stand.",
    bash("npm test 2>&1"),
  );
  session.agent(
    "All green, so nothing covers this case. Reading the path an amount takes: money, discounts, tax, orders, refunds.",
    read("src/money.js"),
    read("src/discounts.js"),
    read("src/tax.js"),
  );
  session.agent("", read("src/orders.js"), read("src/refunds.js"));
  session.agent(
    "Suspicion: `applyDiscount` rounds every line on its own (`percentOf(line.grossCents, …)`) and the cart's total once more (`percentOf(base, …)`). The two disagree by up to half a cent a line. A refund adds up lines, the payment used the cart's total. Before I believe it, a reproduction over every trio of books.",
    write("repro.mjs", REPRO),
    bash("node repro.mjs"),
  );
  session.agent(
    "Reproduced: of 120 trios 43 come back a cent short and 4 a cent long; only the first kind complains. Who else relies on the two sums being equal?",
    grep("discountCents|totalCents", "src"),
    grep("allocate", "."),
    bash(
      "git log -S'percentOf(line.grossCents' --format='%h %ad %an %s' --date=short -- src/discounts.js && git blame --date=short src/discounts.js | sed -n 15,35p",
    ),
  );
  session.agent(
    "Cause confirmed. It came with commit “Spread discounts over lines so that receipts can show them” (Tomas, 2026-02-10), and `allocate` has no caller at all outside its tests, against decision 2. I write the plan down.",
    plan(
      "[x] reproduce: repro.mjs over all trios of books",
      "[>] failing tests: discount lines add up; a full refund returns everything but the shipping",
      "[ ] spread the rounded total with allocate in src/discounts.js",
      "[ ] remove repro.mjs, run everything, commit",
    ),
    read("test/discounts.test.js"),
    read("test/orders.test.js"),
    read("src/catalog.js"),
    read("src/cart.js"),
  );
}

const REPRO = `import { Cart, Catalog, quote, refundCents } from "./src/index.js";
const catalog = Catalog.fromFile();
const books = catalog.search({ category: "books" }).map((product) => product.sku);
const counts = {};
for (let a = 0; a < books.length; a += 1)
  for (let b = a + 1; b < books.length; b += 1)
    for (let c = b + 1; c < books.length; c += 1) {
      const skus = [books[a], books[b], books[c]];
      const cart = skus.reduce((all, sku) => all.add(sku), new Cart(catalog));
      const order = quote(cart, { region: "DE", discount: { code: "SPRING15", percent: 15 } });
      const due = order.totalCents - order.shippingCents - order.shippingTaxCents;
      const difference = refundCents(order, skus) - due;
      counts[difference] = (counts[difference] ?? 0) + 1;
      if (difference !== 0) console.log(skus.join(" "), "due", due, "refunded", due + difference, "lines", order.lines.map((line) => line.discountCents).join("+"), "cart", order.discountCents);
    }
console.log("difference in cents -> orders", counts);
`;

function mendTheMissingCent(session: Recorder): void {
  session.agent(
    "Two tests that state the invariant, one at each end. They must fail first.",
    edit("test/discounts.test.js", `import { applyDiscount } from`, `import { applyDiscount, sumCents } from`),
    edit(
      "test/discounts.test.js",
      `  it("never makes a line negative"`,
      `${DISCOUNT_TEST}\n  it("never makes a line negative"`,
    ),
    edit(
      "test/orders.test.js",
      `  it("is never more than what was paid"`,
      `${REFUND_TEST}\n  it("is never more than what was paid"`,
    ),
    bash("node --test test/discounts.test.js test/orders.test.js 2>&1"),
  );
  session.agent(
    "Both fail for the right reason (86 !== 85 and 5292 !== 5293). The small change first: give what is left over to the last eligible line.",
    edit("src/discounts.js", OLD_SPREAD, LAST_LINE_SPREAD),
    bash("node --test test/discounts.test.js test/orders.test.js 2>&1"),
  );
  session.agent(
    "The invariant holds now, but I do not like it: with many lines the last one can collect several cents, and with a last line of 0 or 1 cent its discount exceeds its price. A quick look before I decide.",
    bash(
      `node -e 'import("./src/index.js").then(({applyDiscount})=>{const l=(c)=>({sku:"x",category:"books",grossCents:c});for(const list of [[3,3,3,3,3,3,1],[103,103,103,103,103,1],[7,7,7,7,7,7,7,0]])console.log(JSON.stringify(list),applyDiscount(list.map(l),{code:"A",percent:15}).lines.map(x=>x.discountCents).join(" "))})'`,
    ),
  );
  session.agent(
    "As feared: `[3,3,3,3,3,3,1]` gives the last line a discount of 3 on a price of 1, a negative line. Decision: no leftovers by hand, use `allocate` with the gross amounts as weights. No line gets more than its share rounded up, and it is what decision 2 asks for.",
    edit("src/discounts.js", LAST_LINE_SPREAD, ALLOCATE_SPREAD),
    edit(
      "src/discounts.js",
      `import { percentOf } from "./money.js";`,
      `import { allocate, percentOf } from "./money.js";`,
    ),
    bash("node --test 2>&1"),
  );
  session.agent(
    "One left, and it is new: `allocate` divides by the sum of the weights, so a discount code that no line is eligible for (BOOKS10 on a cart of tea towels) makes NaN. That would have gone out. `allocate` is exported, so its signature stays; an empty split of 0 cents is simply all zeros.",
    read("src/money.js", 44, 72),
    edit(
      "src/money.js",
      `  const total = weights.reduce((sum, weight) => sum + weight, 0);`,
      `  const total = weights.reduce((sum, weight) => sum + weight, 0);\n  if (total === 0 && cents !== 0) throw new RangeError(\`\${cents} cents cannot be split by weights that are all zero\`);\n  if (total === 0) return weights.map(() => 0);`,
    ),
    edit(
      "test/money.test.js",
      `  it("adds up for a thousand`,
      `  it("splits nothing among weights of zero", () => assert.deepEqual(allocate(0, [0, 0]), [0, 0]));\n  it("refuses to split something among weights of zero", () => assert.throws(() => allocate(5, [0, 0]), RangeError));\n  it("adds up for a thousand`,
    ),
    bash("node --test 2>&1"),
    bash("node repro.mjs"),
  );
  session.agent(
    "All pass and the reproduction shows a difference of 0 for all 120 trios. Old orders: their events hold the lines as they were priced then, so S-1042 itself stays a cent short; support has to pay that by hand. Cleaning up and committing.",
    bash(
      "rm repro.mjs && git diff && git add -A && git commit --quiet -m 'Split a discount over its lines without losing a cent' && git log --oneline | head -3",
    ),
    plan(
      "[x] reproduce",
      "[x] failing tests",
      "[x] spread with allocate",
      "[x] commit",
      "[ ] tell support: orders placed before the change keep their difference (S-1042: pay 1 cent by hand)",
    ),
  );
  session.agent(
    "The cause was double rounding in `src/discounts.js`: each line was rounded on its own and the cart's total once more. The total is now rounded once and split with `allocate`. Orders placed before the change keep the cents in their events, so S-1042 and its like must be settled by hand.",
  );
}

const DISCOUNT_TEST = `  it("adds up line by line to what the cart gets off", () => {
    for (let at = 0; at < 200; at += 1) {
      const lines = Array.from({ length: 1 + (at % 5) }, (_, index) => line("books", 101 + at * 17 + index * 333));
      const result = applyDiscount(lines, { code: "SPRING15", percent: 15 });
      const spread = sumCents(result.lines.map((one) => one.discountCents));
      assert.equal(spread, result.totalCents, \`\${lines.length} lines: \${lines.map((one) => one.grossCents).join(" + ")}\`);
    }
  });
  it("is nothing where no line is eligible", () => {
    const result = applyDiscount([line("home", 1995)], { code: "BOOKS10", percent: 10, categories: ["books"] });
    assert.deepEqual([result.totalCents, result.lines[0].discountCents], [0, 0]);
  });`;

const REFUND_TEST = `  it("of every line gives back everything but the shipping", () => {
    const skus = catalog.search().map((product) => product.sku);
    for (let at = 0; at + 3 <= skus.length; at += 1) {
      const some = skus.slice(at, at + 3);
      const cart = some.reduce((all, sku) => all.add(sku), new Cart(catalog));
      const order = quote(cart, { region: "DE", discount: { code: "SPRING15", percent: 15 } });
      const back = refundCents(order, some);
      assert.equal(back, order.totalCents - order.shippingCents - order.shippingTaxCents, some.join(", "));
    }
  });`;

const OLD_SPREAD = `  return {
    lines: lines.map((line) => ({
      ...line,
      discountCents: isEligible(line, discount) ? percentOf(line.grossCents, discount.percent) : 0,
    })),
    totalCents: percentOf(base, discount.percent),
  };`;

const LAST_LINE_SPREAD = `  const totalCents = percentOf(base, discount.percent);
  let left = totalCents;
  const spread = eligible.map((line, index) => {
    const share = index === eligible.length - 1 ? left : percentOf(line.grossCents, discount.percent);
    left -= share;
    return share;
  });
  return {
    lines: lines.map((line) => ({ ...line, discountCents: spread[eligible.indexOf(line)] ?? 0 })),
    totalCents,
  };`;

const ALLOCATE_SPREAD = `  const totalCents = percentOf(base, discount.percent);
  // Rounded once, then split (decision 2): rounding each line by itself made refunds differ from payments.
  const weights = lines.map((line) => (isEligible(line, discount) ? line.grossCents : 0));
  const shares = allocate(totalCents, weights);
  return {
    lines: lines.map((line, index) => ({ ...line, discountCents: shares[index] })),
    totalCents,
  };`;

function addVouchers(session: Recorder): void {
  session.user(`Good find, and thank you for trying the last-line variant before throwing it away. Support will handle S-1042.

Next: gift coupons. A coupon is a fixed amount off the whole order, from a file data/coupons.json ({ code, cents, minimumCents }). One coupon per order, on top of a percentage code, never below zero, and only when the subtotal after the percentage reaches minimumCents. It must show in the quote and in the export stay inside "discount".`);
  session.agent(
    "A fixed amount has the same trap as the percentage: refunds add up lines, so the coupon must be split over the lines as well. I look at what prices a cart, at the HTTP layer that has to accept the code, and at the export.",
    read("src/http.js"),
    read("src/app.js"),
    read("src/export.js"),
    read("test/http.test.js"),
    read("test/export.test.js"),
  );
  session.agent(
    "Design: `quote(cart, { region, discount, coupon })`. An optional key of the options object is an addition, not a change of signature. New file `src/coupons.js` splits `min(cents, what is left)` with `allocate`, weights are what each line still costs; tax is taken after it. A coupon under its minimum is an error with a code, not silently ignored.",
    plan(
      "[>] src/coupons.js with tests",
      "[ ] quote: coupon after discount, before tax",
      "[ ] HTTP: field `coupon`",
      "[ ] export: stays inside the column discount",
      "[ ] run everything, commit",
    ),
    write(
      "data/coupons.json",
      `[\n  { "code": "GIFT10", "cents": 1000, "minimumCents": 2500 },\n  { "code": "GIFT25", "cents": 2500, "minimumCents": 5000 },\n  { "code": "SORRY5", "cents": 500, "minimumCents": 0 }\n]\n`,
    ),
    write("src/coupons.js", COUPONS),
    write("test/coupons.test.js", COUPONS_TEST),
    edit(
      "src/orders.js",
      `import { applyDiscount } from "./discounts.js";`,
      `import { applyCoupon } from "./coupons.js";\nimport { applyDiscount } from "./discounts.js";`,
    ),
    edit(
      "src/orders.js",
      `  const lines = applyTax(discounted.lines, region);`,
      `  const reduced = applyCoupon(discounted.lines, coupon);\n  const lines = applyTax(reduced.lines, region);`,
    ),
    bash("node --test 2>&1 | tail -n 60"),
  );
  session.agent(
    "`coupon is not defined`: I used it in `quote` without taking it out of the options. Careless. Mending that and the totals in one go.",
    bash("sed -n 1,50p src/orders.js"),
    edit(
      "src/orders.js",
      `export function quote(cart, { region, discount }) {`,
      `export function quote(cart, { region, discount, coupon }) {`,
    ),
    edit(
      "src/orders.js",
      `    discountCents: discounted.totalCents,`,
      `    couponCode: coupon?.code ?? null,\n    couponCents: reduced.totalCents,\n    discountCents: discounted.totalCents + reduced.totalCents,`,
    ),
    edit(
      "src/orders.js",
      `    totalCents: subtotalCents - discounted.totalCents + shipping + taxCents,`,
      `    totalCents: subtotalCents - discounted.totalCents - reduced.totalCents + shipping + taxCents,`,
    ),
    bash("node --test 2>&1 | grep -vE '^  ✔|^✔|^▶'"),
  );
  session.agent(
    "Pricing is right. Now the door: the body field `coupon`, an unknown code answers 400 like an unknown discount, a coupon under its minimum 422.",
    edit(
      "src/app.js",
      `  return {\n    catalog,`,
      `  const coupons = new Map(\n    JSON.parse(readFileSync(new URL("../data/coupons.json", import.meta.url), "utf8")).map((one) => [one.code, one]),\n  );\n  return {\n    catalog,`,
    ),
    bash("cat src/app.js | sed -n 8,40p"),
  );
  session.agent(
    "",
    edit(
      "src/app.js",
      `createShopServer({ catalog, orders, store, discounts, log })`,
      `createShopServer({ catalog, orders, store, discounts, coupons, log })`,
    ),
    edit(
      "src/http.js",
      `  const { items, region, code } = await readJson(request);`,
      `  const { items, region, code, coupon: couponCode } = await readJson(request);`,
    ),
    edit(
      "src/http.js",
      `  return { cart, options: { region, discount } };`,
      `  const coupon = couponCode === undefined ? undefined : parts.coupons.get(couponCode);\n  if (couponCode !== undefined && coupon === undefined) throw coded("bad_request", \`no coupon \${couponCode}\`);\n  return { cart, options: { region, discount, coupon } };`,
    ),
    edit("src/http.js", `  empty_cart: 422,`, `  empty_cart: 422,\n  coupon_below_minimum: 422,`),
    edit("test/http.test.js", `  it("exports orders as CSV"`, `${HTTP_COUPON_TEST}\n  it("exports orders as CSV"`),
    bash("node --test --test-reporter=tap test/http.test.js 2>&1"),
  );
  session.agent(
    "The API answers as designed. I look at one real quote with both reductions with my own eyes, to see that no float has slipped in.",
    bash(QUOTE_COMMAND),
  );
  session.agent(
    "Everything is an integer: 12801 cents of goods, SPRING15 takes 1920, GIFT10 its 1000, and `discountCents` is 2920. Full run with coverage, then the commit.",
    bash("node --test --experimental-test-coverage 2>&1 | tail -n 45"),
    bash(
      "git add -A && git commit --quiet -m 'Take gift coupons off an order, split over its lines' && git show --stat --format='%h %s' HEAD",
    ),
  );
}

const COUPONS = `/** A fixed amount off the whole order, split over the lines by what they still cost, so that refunds add up. */
import { allocate, sumCents } from "./money.js";

/**
 * @typedef {{ code: string, cents: number, minimumCents: number }} Coupon
 */

/**
 * Lines whose \`discountCents\` include their share of the coupon, and what the coupon took off.
 * @param {readonly { grossCents: number, discountCents: number }[]} lines
 * @param {Coupon | undefined} coupon
 */
export function applyCoupon(lines, coupon) {
  if (coupon === undefined) return { lines, totalCents: 0 };
  const payable = lines.map((line) => line.grossCents - line.discountCents);
  const base = sumCents(payable);
  if (base < coupon.minimumCents) throw new CouponBelowMinimumError(coupon, base);
  const totalCents = Math.min(coupon.cents, base);
  const shares = allocate(totalCents, payable);
  return {
    lines: lines.map((line, index) => ({ ...line, discountCents: line.discountCents + shares[index] })),
    totalCents,
  };
}

export class CouponBelowMinimumError extends Error {
  name = "CouponBelowMinimumError";
  code = "coupon_below_minimum";

  /** @param {Coupon} coupon @param {number} base */
  constructor(coupon, base) {
    super(\`\${coupon.code} needs \${coupon.minimumCents} cents, the cart has \${base}\`);
  }
}
`;

const COUPONS_TEST = `import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Cart, Catalog, quote, refundCents, sumCents } from "../src/index.js";

const catalog = Catalog.fromFile();
const GIFT10 = { code: "GIFT10", cents: 1000, minimumCents: 2500 };
const SORRY5 = { code: "SORRY5", cents: 500, minimumCents: 0 };
const SPRING15 = { code: "SPRING15", percent: 15 };

describe("a coupon", () => {
  it("takes its amount off", () => {
    const order = quote(new Cart(catalog).add("B104"), { region: "DE", coupon: GIFT10 });
    assert.deepEqual([order.couponCode, order.couponCents, order.discountCents], ["GIFT10", 1000, 1000]);
  });
  it("comes on top of a percentage", () => {
    const cart = new Cart(catalog).add("B104").add("B103");
    const order = quote(cart, { region: "DE", discount: SPRING15, coupon: GIFT10 });
    assert.equal(order.discountCents, sumCents(order.lines.map((line) => line.discountCents)));
    assert.equal(order.couponCents, 1000);
  });
  it("never takes more than the goods cost", () => {
    const order = quote(new Cart(catalog).add("F103"), { region: "IE", coupon: { ...SORRY5, cents: 99_999 } });
    assert.equal(order.totalCents, order.shippingCents + order.shippingTaxCents);
  });
  it("is refused under its minimum, counted after the percentage", () => {
    const cart = new Cart(catalog).add("B104");
    assert.throws(() => quote(cart, { region: "DE", discount: SPRING15, coupon: { ...GIFT10, minimumCents: 2_700 } }), {
      code: "coupon_below_minimum",
    });
  });
  it("comes back whole when everything is refunded", () => {
    const cart = new Cart(catalog).add("B100").add("H102").add("F104", 3);
    const order = quote(cart, { region: "DE", discount: SPRING15, coupon: GIFT10 });
    const all = order.lines.map((line) => line.sku);
    assert.equal(refundCents(order, all), order.totalCents - order.shippingCents - order.shippingTaxCents);
  });
});
`;

const HTTP_COUPON_TEST = `  it("takes a coupon", async () => {
    const body = { items: [{ sku: "B104", quantity: 2 }], region: "DE", coupon: "GIFT10" };
    assert.equal((await (await post("/quotes", body)).json()).couponCents, 1000);
  });
  it("answers 422 to a coupon under its minimum", async () => {
    const response = await post("/quotes", { items: [{ sku: "F103", quantity: 1 }], region: "DE", coupon: "GIFT25" });
    assert.equal(response.status, 422);
    assert.equal((await response.json()).error.code, "coupon_below_minimum");
  });
  it("answers 400 to an unknown coupon", async () => {
    const response = await post("/quotes", { items: [{ sku: "F103", quantity: 1 }], region: "DE", coupon: "NOPE" });
    assert.equal(response.status, 400);
  });`;

const QUOTE_COMMAND = `node -e 'import("./src/index.js").then(({Cart,Catalog,quote})=>{const catalog=Catalog.fromFile();const cart=new Cart(catalog).add("B100").add("B104").add("H102",2).add("F104",3);console.log(JSON.stringify(quote(cart,{region:"DE",discount:{code:"SPRING15",percent:15},coupon:{code:"GIFT10",cents:1000,minimumCents:2500}}),null,2))})'`;

function changeOfMind(session: Recorder): void {
  session.user(`Two changes after talking to marketing, sorry:
1. They are called vouchers, not coupons, everywhere: file names, fields, codes of errors, data/vouchers.json. Nothing has shipped, so no aliases.
2. Up to two vouchers may be combined on one order. The body field becomes "vouchers", a list of codes. The same code twice is an error. Each minimum is checked against the subtotal after the percentage, before any voucher.`);
  session.agent(
    "Renaming first, in one step and without touching behaviour, so that the second step shows only what is new. Where does the word stand?",
    grep("[cC]oupon|COUPON", "."),
  );
  session.agent(
    "All of these are mine to rename and none is exported from src/index.js, so the rule about pinned names is not touched. The CSV column stays “discount”.",
    plan(
      "[>] rename coupon to voucher, behaviour unchanged, commit",
      "[ ] up to two vouchers, field `vouchers`, duplicates refused, commit",
      "[ ] load test before we call it done",
    ),
    bash(
      "git mv src/coupons.js src/vouchers.js && git mv test/coupons.test.js test/vouchers.test.js && git mv data/coupons.json data/vouchers.json && grep -rlE '[cC]oupon' src test data | xargs sed -i 's/coupon/voucher/g; s/Coupon/Voucher/g' && grep -rniE coupon . --include='*.js' --include='*.json' --include='*.md' | head; node --test 2>&1 | tail -n 12",
    ),
    bash("git add -A && git commit --quiet -m 'Call coupons vouchers' && git show --stat --format='%h %s' HEAD"),
  );
  session.agent(
    "Now two vouchers. `quote` takes `vouchers` (a list) instead of `voucher`; each is split in turn over what the lines still cost, minimums are all checked against the same base.",
    write("src/vouchers.js", VOUCHERS),
    edit(
      "src/orders.js",
      `import { applyVoucher } from "./vouchers.js";`,
      `import { applyVouchers } from "./vouchers.js";`,
    ),
    edit(
      "src/orders.js",
      `export function quote(cart, { region, discount, voucher }) {`,
      `export function quote(cart, { region, discount, vouchers = [] }) {`,
    ),
    edit("src/orders.js", `applyVoucher(discounted.lines, voucher)`, `applyVouchers(discounted.lines, vouchers)`),
    edit(
      "src/orders.js",
      `    voucherCode: voucher?.code ?? null,`,
      `    voucherCodes: vouchers.map((voucher) => voucher.code),`,
    ),
    bash("node --test 2>&1 | grep -vE '^ +✔|^✔'"),
  );
  session.agent(
    "The failures are the tests and the HTTP layer that still speak of one `voucher`; I read both again before editing since the rename moved them.",
    read("test/vouchers.test.js"),
    bash("grep -n voucher src/http.js src/app.js test/http.test.js"),
  );
  session.agent(
    "",
    bash(
      `sed -i 's/voucher: GIFT10/vouchers: [GIFT10]/; s/voucher: { \\.\\.\\.SORRY5, cents: 99_999 }/vouchers: [{ ...SORRY5, cents: 99_999 }]/; s/voucher: { \\.\\.\\.GIFT10, minimumCents: 2_700 }/vouchers: [{ ...GIFT10, minimumCents: 2_700 }]/; s/order.voucherCode,/order.voucherCodes.join(),/' test/vouchers.test.js && sed -i 's/voucher: "\\([A-Z0-9]*\\)"/vouchers: ["\\1"]/' test/http.test.js`,
    ),
    edit(
      "test/vouchers.test.js",
      `  it("never takes more than the goods cost"`,
      `${TWO_VOUCHERS_TEST}\n  it("never takes more than the goods cost"`,
    ),
    edit(
      "src/http.js",
      `voucher: voucherCode } = await readJson(request);`,
      `vouchers: voucherCodes = [] } = await readJson(request);`,
    ),
    edit(
      "src/http.js",
      `  const voucher = voucherCode === undefined ? undefined : parts.vouchers.get(voucherCode);\n  if (voucherCode !== undefined && voucher === undefined) throw coded("bad_request", \`no voucher \${voucherCode}\`);\n  return { cart, options: { region, discount, voucher } };`,
      `  if (!Array.isArray(voucherCodes)) throw coded("bad_request", "vouchers is a list of codes");\n  const vouchers = voucherCodes.map((one) => {\n    const voucher = parts.vouchers.get(one);\n    if (voucher === undefined) throw coded("bad_request", \`no voucher \${one}\`);\n    return voucher;\n  });\n  return { cart, options: { region, discount, vouchers } };`,
    ),
    edit(
      "src/http.js",
      `  voucher_below_minimum: 422,`,
      `  voucher_below_minimum: 422,\n  voucher_twice: 422,\n  too_many_vouchers: 422,`,
    ),
    bash("node --test 2>&1"),
  );
  session.agent(
    "Green. The whole change once more as a reviewer would see it, then the commit.",
    bash("git diff"),
    bash("git add -A && git commit --quiet -m 'Allow two vouchers on an order' && git log --oneline"),
  );
}

const VOUCHERS = `/** Fixed amounts off the whole order, split over the lines by what they still cost, so that refunds add up. */
import { allocate, sumCents } from "./money.js";

const VOUCHERS_MAX = 2;

/**
 * @typedef {{ code: string, cents: number, minimumCents: number }} Voucher
 */

/**
 * Lines whose \`discountCents\` include their share of the vouchers, and what the vouchers took off.
 * @param {readonly { grossCents: number, discountCents: number }[]} lines
 * @param {readonly Voucher[]} vouchers
 */
export function applyVouchers(lines, vouchers) {
  assertCombination(vouchers);
  const base = sumCents(lines.map(payableCents));
  let reduced = lines;
  let totalCents = 0;
  for (const voucher of vouchers) {
    if (base < voucher.minimumCents)
      throw coded("voucher_below_minimum", \`\${voucher.code} needs \${voucher.minimumCents} cents, the cart has \${base}\`);
    const payable = reduced.map(payableCents);
    const off = Math.min(voucher.cents, sumCents(payable));
    const shares = allocate(off, payable);
    reduced = reduced.map((line, index) => ({ ...line, discountCents: line.discountCents + shares[index] }));
    totalCents += off;
  }
  return { lines: reduced, totalCents };
}

function payableCents(line) {
  return line.grossCents - line.discountCents;
}

function assertCombination(vouchers) {
  const codes = vouchers.map((voucher) => voucher.code);
  if (codes.length > VOUCHERS_MAX) throw coded("too_many_vouchers", \`at most \${VOUCHERS_MAX} vouchers, found \${codes.length}\`);
  const twice = codes.find((code, index) => codes.indexOf(code) !== index);
  if (twice !== undefined) throw coded("voucher_twice", \`\${twice} stands twice\`);
}

function coded(code, message) {
  return Object.assign(new Error(message), { code });
}
`;

const TWO_VOUCHERS_TEST = `  it("combines with another, and no cent is lost in a refund", () => {
    const cart = new Cart(catalog).add("B104").add("B103").add("G101", 2);
    const order = quote(cart, { region: "FR", discount: SPRING15, vouchers: [GIFT10, SORRY5] });
    assert.equal(order.voucherCents, 1500);
    const all = order.lines.map((line) => line.sku);
    assert.equal(refundCents(order, all), order.totalCents - order.shippingCents - order.shippingTaxCents);
  });
  it("is refused twice, and as a third", () => {
    const cart = new Cart(catalog).add("B104");
    assert.throws(() => quote(cart, { region: "DE", vouchers: [SORRY5, SORRY5] }), { code: "voucher_twice" });
    const three = ["A", "B", "C"].map((code) => ({ ...SORRY5, code }));
    assert.throws(() => quote(cart, { region: "DE", vouchers: three }), { code: "too_many_vouchers" });
  });`;

const LOAD_REQUEST =
  "Looks right to me. Run the load script before we release, with every seventh payment declined, and look at the log, not only at the exit status.";

const OPEN_ITEM =
  "[ ] OPEN: reservations of payments that never answer are not given back; test/orders.test.js “gives stock back when a payment never answers” fails; needs a decision about late payments";

/** `items` is the plan that it leaves. */
function loadTest(session: Recorder, items: readonly string[]): void {
  session.agent("", bash("node bin/load.js 110 7 debug"));
  session.agent(
    "The exit status is 0, but the last line says `openReservations` is not 0 after everything has been answered. As many are open as payments were declined, I think; counting instead of guessing.",
    bash(
      `node bin/load.js 400 7 debug > load.log; grep -c '"payment failed"' load.log; tail -n 1 load.log; grep -o '"status":[0-9]*' load.log | sort | uniq -c; grep '"level":"error"' load.log | head -n 3`,
    ),
    grep("release\\(|expire\\(|commit\\(", "src"),
    read("src/inventory.js"),
  );
  session.agent(
    "Two faults, both older than today. (1) `Orders.place` throws on a declined payment without releasing the reservation, against decision 4 (“a failed payment releases it at once”). (2) `inventory.expire()` has no caller at all, so nothing ever comes back after ten minutes either. That is why later checkouts get 409: the stock is still there. First the failing tests.",
    edit(
      "test/orders.test.js",
      `  it("is unknown until it is placed"`,
      `${RELEASE_TEST}\n  it("is unknown until it is placed"`,
    ),
    bash("node --test test/orders.test.js 2>&1 | grep -vE '^ +✔'"),
  );
  session.agent(
    "The first fails as it should, the second for the wrong reason: `RESERVATION_MS is not defined`, the test does not import it. That first, then (1), which is one line: release before the event is written.",
    edit(
      "test/orders.test.js",
      `Orders, quote, refund, refundCents } from`,
      `Orders, RESERVATION_MS, quote, refund, refundCents } from`,
    ),
    edit(
      "src/orders.js",
      `    if (!payment.ok) {\n`,
      `    if (!payment.ok) {\n      this.#inventory.release(reservation);\n`,
    ),
    bash("node --test test/orders.test.js 2>&1 | grep -vE '^ +✔' ; node bin/load.js 400 7 info | tail -n 1"),
  );
  session.agent(
    "(1) is mended: `openReservations` is 0 after 400 orders. (2) is red for the right reason now (0 !== 5): the test hangs a payment, moves the clock past RESERVATION_MS and expects the units back. Expiring inside `available()` looks tempting; trying it.",
    edit("src/inventory.js", `  available(sku) {\n`, `  available(sku) {\n    this.expire();\n`),
    bash("node --test 2>&1 | grep -vE '^ +✔|^✔|^▶'"),
  );
  session.agent(
    "Green, and still I do not trust it: what happens to a payment that answers after eleven minutes?",
    bash(LATE_PAYMENT_COMMAND),
  );
  session.agent(
    "As feared: the provider said yes, the money is taken, and `commit` throws `no open reservation R1`, so the order is never marked paid. That is worse than stock that is held too long. It needs a decision (refund a late payment, or reserve again and refund only when that fails), not a patch. I take the attempt back, keep (1), and leave the test in place, failing, so that it is not forgotten.",
    bash(
      "git checkout src/inventory.js && rm load.log && git status --short && node --test 2>&1 | grep -vE '^ +✔|^✔|^▶'",
    ),
    bash(
      "git add -A && git commit --quiet -m 'Release the reservation of a declined payment' && git log --oneline | head -n 2",
    ),
    plan(...items),
  );
  session.agent(
    "Declined payments release their stock now. One test fails on purpose: nobody calls `expire()`, so a payment that never answers holds its stock for ever. Calling it in `available()` is not safe, because a late payment would find its reservation gone after the money was taken. Somebody has to decide whether a late payment is refunded or reserved again.",
  );
}

const RELEASE_TEST = `  it("gives stock back at once when a payment is declined", async () => {
    const { orders, inventory } = shop({ pay: async () => ({ ok: false, reason: "card_declined" }) });
    const before = inventory.available("B100");
    await assert.rejects(orders.place(new Cart(catalog).add("B100", 2), { region: "DE" }));
    assert.equal(inventory.available("B100"), before);
    assert.equal(inventory.openReservations, 0);
  });
  it("gives stock back when a payment never answers", async () => {
    let now = 0;
    const inventory = new Inventory([["B100", 5]], { now: () => now });
    const orders = new Orders({ store: new EventStore(), inventory, pay: () => new Promise(() => {}), log: new Log({ level: "error" }) });
    orders.place(new Cart(catalog).add("B100", 5), { region: "DE" });
    now = RESERVATION_MS + 1;
    assert.equal(inventory.available("B100"), 5);
  });`;

const LATE_PAYMENT_COMMAND = `node -e 'import("./src/index.js").then(async ({Cart,Catalog,EventStore,Inventory,Log,Orders,RESERVATION_MS})=>{let now=0;const inventory=new Inventory([["B100",5]],{now:()=>now});const store=new EventStore({now:()=>now});const pay=async()=>{now=RESERVATION_MS+60_000;inventory.available("B100");return {ok:true}};const orders=new Orders({store,inventory,pay,log:new Log({level:"error"})});await orders.place(new Cart(Catalog.fromFile()).add("B100",2),{region:"DE"}).catch((error)=>console.log("place threw:",error.message));console.log("state:",orders.get("S-1001").state)})'`;
