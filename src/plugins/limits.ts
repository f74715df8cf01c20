/** What a plugin may take: time a call, memory, the size of an answer. Beyond any of them it is disabled. */

export interface PluginLimits {
  /** Until its module is loaded. */
  readonly startMs: number;
  readonly decideMs: number;
  /** One compaction; what models take to answer does not count. */
  readonly compactMs: number;
  /** For the answer to one call of a tool. */
  readonly toolMs: number;
  /** Originals that one call of a tool may read. */
  readonly reads: number;
  /** One transcript of the contract suite. */
  readonly checkMs: number;
  /** Waiting for other sessions that keep the plugin busy. */
  readonly queueMs: number;
  /** Of its own objects and code. Buffers lie outside it. */
  readonly memoryMb: number;
  readonly answerBytes: number;
  /** Questions to models in one compaction. */
  readonly asks: number;
  /** Compactions at once; deciding has a thread of its own. */
  readonly threads: number;
  /** Threads that may be lost to it before it is left alone for as long as the process lives. */
  readonly losses: number;
}

export const PLUGIN_LIMITS: PluginLimits = Object.freeze({
  startMs: 30_000,
  decideMs: 5_000,
  compactMs: 30_000,
  toolMs: 10_000,
  reads: 256,
  checkMs: 60_000,
  queueMs: 10_000,
  memoryMb: 512,
  answerBytes: 64 * 1024 * 1024,
  asks: 64,
  threads: 2,
  losses: 3,
});
