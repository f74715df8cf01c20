/** What the shop sells. The catalogue is a file that the buying department owns; this code only reads it. */
import { readFileSync } from "node:fs";

const DEFAULT_FILE = new URL("../data/catalog.json", import.meta.url);

/**
 * @typedef {{ sku: string, name: string, category: string, priceCents: number, weightGrams: number, stock: number }} Product
 */

export class Catalog {
  #bySku = new Map();

  /** @param {readonly Product[]} products */
  constructor(products) {
    for (const product of products) {
      if (this.#bySku.has(product.sku)) throw new Error(`sku ${product.sku} stands twice in the catalogue`);
      this.#bySku.set(product.sku, Object.freeze({ ...product }));
    }
  }

  /** @param {string | URL} file */
  static fromFile(file = DEFAULT_FILE) {
    return new Catalog(JSON.parse(readFileSync(file, "utf8")).products);
  }

  /** @param {string} sku @returns {Product} */
  get(sku) {
    const product = this.#bySku.get(sku);
    if (product === undefined) throw new UnknownSkuError(sku);
    return product;
  }

  /** @param {string} sku */
  has(sku) {
    return this.#bySku.has(sku);
  }

  /** @param {{ category?: string, text?: string, maxPriceCents?: number }} filter */
  search({ category, text, maxPriceCents = Infinity } = {}) {
    const needle = text?.toLowerCase();
    return [...this.#bySku.values()].filter(
      (product) =>
        (category === undefined || product.category === category) &&
        (needle === undefined || product.name.toLowerCase().includes(needle)) &&
        product.priceCents <= maxPriceCents,
    );
  }

  get size() {
    return this.#bySku.size;
  }
}

export class UnknownSkuError extends Error {
  name = "UnknownSkuError";
  code = "unknown_sku";

  /** @param {string} sku */
  constructor(sku) {
    super(`no product has the sku ${sku}`);
    this.sku = sku;
  }
}
