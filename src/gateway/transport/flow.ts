/**
 * Bytes on their way from a producer that can be paused to the one consumer that asks for them. It is where a stream
 * would and does less: a chunk that is waited for is handed over at once, and a bounded number of bytes wait.
 */

export interface Source {
  /** Called once, when the consumer first asks. */
  readonly start?: () => void;
  readonly pause: () => void;
  readonly resume: () => void;
  readonly cancel: () => void;
}

/** When this many bytes wait, the producer is asked to pause. */
const WAITING_BYTES = 64 * 1024;

type Result = IteratorResult<Uint8Array, undefined>;

interface Waiter {
  readonly resolve: (result: Result) => void;
  readonly reject: (error: Error) => void;
}

const DONE: Result = Object.freeze({ done: true, value: undefined });

/** Read once, by one reader, who asks for a chunk when the one before has come. */
export class Flow implements AsyncIterableIterator<Uint8Array, undefined> {
  readonly #source: Source;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #paused = false;
  #started = false;
  #ended = false;
  #failure: Error | undefined;
  #waiter: Waiter | undefined;

  constructor(source: Source) {
    this.#source = source;
  }

  get ended(): boolean {
    return this.#ended;
  }

  push(chunk: Uint8Array): void {
    if (this.#ended) return;
    if (this.#waiter !== undefined) {
      this.#waiter.resolve({ done: false, value: chunk });
      this.#waiter = undefined;
      return;
    }
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.length;
    if (this.#paused || this.#waitingBytes < WAITING_BYTES) return;
    this.#paused = true;
    this.#source.pause();
  }

  /** After an `error`, what was pushed before it is still handed over. */
  end(error?: Error): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#failure = error;
    if (this.#waiter === undefined) return;
    if (error === undefined) this.#waiter.resolve(DONE);
    else this.#waiter.reject(error);
    this.#waiter = undefined;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result> {
    if (this.#waiting.length > 0) return Promise.resolve({ done: false, value: this.#take() });
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#ended) return Promise.resolve(DONE);
    return new Promise((resolve, reject) => {
      this.#waiter = { resolve, reject };
      if (this.#started) return;
      this.#started = true;
      this.#source.start?.();
    });
  }

  return(): Promise<Result> {
    const early = !this.#ended;
    this.#waiting = [];
    this.end();
    this.#failure = undefined;
    if (early) this.#source.cancel();
    return Promise.resolve(DONE);
  }

  #take(): Uint8Array {
    const chunk = this.#waiting.shift()!;
    this.#waitingBytes -= chunk.length;
    if (this.#paused && this.#waiting.length === 0) {
      this.#paused = false;
      if (!this.#ended) this.#source.resume();
    }
    return chunk;
  }
}
