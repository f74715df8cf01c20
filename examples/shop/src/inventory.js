/** Stock that is reserved for a while, then committed, released or left to expire (decision 4). */

export const RESERVATION_MS = 10 * 60_000;

export class Inventory {
  #stock = new Map();
  #reservations = new Map();
  #now;
  #nextId = 1;

  /**
   * @param {Iterable<readonly [sku: string, stock: number]>} stock
   * @param {{ now?: () => number }} options
   */
  constructor(stock, { now = Date.now } = {}) {
    this.#stock = new Map(stock);
    this.#now = now;
  }

  /** Units that can be reserved now. @param {string} sku */
  available(sku) {
    let reserved = 0;
    for (const reservation of this.#reservations.values()) reserved += reservation.quantities.get(sku) ?? 0;
    return (this.#stock.get(sku) ?? 0) - reserved;
  }

  /** All or nothing. @param {readonly { sku: string, quantity: number }[]} lines @returns {string} reservation id */
  reserve(lines) {
    for (const { sku, quantity } of lines) {
      const available = this.available(sku);
      if (available < quantity) throw new OutOfStockError(sku, quantity, available);
    }
    const id = `R${this.#nextId++}`;
    const quantities = new Map(lines.map(({ sku, quantity }) => [sku, quantity]));
    this.#reservations.set(id, { quantities, expiresAt: this.#now() + RESERVATION_MS });
    return id;
  }

  /** The goods leave the shelf. @param {string} id */
  commit(id) {
    const { quantities } = this.#take(id);
    for (const [sku, quantity] of quantities) this.#stock.set(sku, this.#stock.get(sku) - quantity);
  }

  /** @param {string} id */
  release(id) {
    this.#take(id);
  }

  /** Gives back what was reserved and forgotten; says how many reservations that were. */
  expire() {
    let expired = 0;
    for (const [id, { expiresAt }] of this.#reservations) {
      if (expiresAt > this.#now()) break;
      this.#reservations.delete(id);
      expired += 1;
    }
    return expired;
  }

  get openReservations() {
    return this.#reservations.size;
  }

  #take(id) {
    const reservation = this.#reservations.get(id);
    if (reservation === undefined) throw new Error(`no open reservation ${id}`);
    this.#reservations.delete(id);
    return reservation;
  }
}

export class OutOfStockError extends Error {
  name = "OutOfStockError";
  code = "out_of_stock";

  /** @param {string} sku @param {number} wanted @param {number} available */
  constructor(sku, wanted, available) {
    super(`${wanted} of ${sku} wanted, ${available} available`);
    Object.assign(this, { sku, wanted, available });
  }
}
