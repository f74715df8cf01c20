/** Events of orders, append-only (decision 5): in memory, and in a JSON Lines file where one is named. */
import { appendFileSync, existsSync, readFileSync } from "node:fs";

export class EventStore {
  #events = [];
  #byOrder = new Map();
  #file;
  #now;

  /** @param {{ file?: string, now?: () => number }} options */
  constructor({ file, now = Date.now } = {}) {
    this.#file = file;
    this.#now = now;
    if (file !== undefined && existsSync(file)) this.#load(file);
  }

  /** @param {{ type: string, orderId: string }} event */
  append(event) {
    const stamped = Object.freeze({ at: new Date(this.#now()).toISOString(), ...event });
    if (this.#file !== undefined) appendFileSync(this.#file, `${JSON.stringify(stamped)}\n`);
    this.#remember(stamped);
  }

  /** @param {string} orderId */
  of(orderId) {
    return this.#byOrder.get(orderId) ?? [];
  }

  all() {
    return [...this.#events];
  }

  #load(file) {
    for (const line of readFileSync(file, "utf8").split("\n")) {
      if (line.trim() !== "") this.#remember(JSON.parse(line));
    }
  }

  #remember(event) {
    this.#events.push(event);
    const list = this.#byOrder.get(event.orderId) ?? [];
    list.push(event);
    this.#byOrder.set(event.orderId, list);
  }
}
