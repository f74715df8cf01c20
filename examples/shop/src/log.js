/** One JSON object a line, on stdout, at or above a level. */

const LEVELS = Object.freeze({ debug: 10, info: 20, warn: 30, error: 40 });

export class Log {
  #least;
  #write;
  #now;

  /** @param {{ level?: keyof typeof LEVELS, write?: (line: string) => void, now?: () => number }} options */
  constructor({ level = "info", write = (line) => process.stdout.write(`${line}\n`), now = Date.now } = {}) {
    this.#least = LEVELS[level];
    this.#write = write;
    this.#now = now;
  }

  debug(message, fields) {
    this.#line("debug", message, fields);
  }

  info(message, fields) {
    this.#line("info", message, fields);
  }

  warn(message, fields) {
    this.#line("warn", message, fields);
  }

  error(message, fields) {
    this.#line("error", message, fields);
  }

  #line(level, message, fields = {}) {
    if (LEVELS[level] < this.#least) return;
    this.#write(JSON.stringify({ time: new Date(this.#now()).toISOString(), level, message, ...fields }));
  }
}
