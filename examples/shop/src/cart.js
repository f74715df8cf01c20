/** What a customer means to buy: quantities by sku, priced at the moment they are looked at. */
import { sumCents } from "./money.js";

const QUANTITY_MAX = 99;

export class Cart {
  #catalog;
  #quantities = new Map();

  /** @param {import("./catalog.js").Catalog} catalog */
  constructor(catalog) {
    this.#catalog = catalog;
  }

  /** @param {string} sku @param {number} quantity */
  add(sku, quantity = 1) {
    assertQuantity(quantity);
    this.#catalog.get(sku);
    return this.set(sku, (this.#quantities.get(sku) ?? 0) + quantity);
  }

  /** Sets a quantity; zero removes the line. @param {string} sku @param {number} quantity */
  set(sku, quantity) {
    if (quantity === 0) {
      this.#quantities.delete(sku);
      return this;
    }
    assertQuantity(quantity);
    this.#quantities.set(sku, quantity);
    return this;
  }

  /** One line a sku, in the order in which they were added. */
  lines() {
    return [...this.#quantities].map(([sku, quantity]) => {
      const product = this.#catalog.get(sku);
      return Object.freeze({
        sku,
        name: product.name,
        category: product.category,
        quantity,
        unitCents: product.priceCents,
        grossCents: product.priceCents * quantity,
        weightGrams: product.weightGrams * quantity,
      });
    });
  }

  subtotalCents() {
    return sumCents(this.lines().map((line) => line.grossCents));
  }

  get isEmpty() {
    return this.#quantities.size === 0;
  }
}

/** @param {number} quantity */
function assertQuantity(quantity) {
  if (!Number.isInteger(quantity) || quantity < 1 || quantity > QUANTITY_MAX)
    throw new RangeError(`a quantity is a whole number from 1 to ${QUANTITY_MAX}, found ${quantity}`);
}
