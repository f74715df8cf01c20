/** Bounds of recall by the model, named with their unit. */
export interface RecallLimits {
  /** Calls that are answered within one answer to a client; further ones are told that it is enough. */
  readonly calls: number;
  /** Tokens of one call's answer, and of all within one answer to a client. */
  readonly callTokens: number;
  readonly answerTokens: number;
  /** Of an original, this much is looked at; a search begins no further one after as much. */
  readonly originalChars: number;
  /** Originals that are searched for words: those whose ids are in the request, the first ones first. */
  readonly searchedOriginals: number;
  /** How long the end of an answer waits until what was hidden is kept. */
  readonly keepWaitMs: number;
  /** Larger events of a stream pass unread; a larger answer that is no stream passes whole. */
  readonly eventBytes: number;
  readonly bodyBytes: number;
  /** Answers whose hidden part is remembered in memory, and their characters; all of them are in the store. */
  readonly remembered: number;
  readonly rememberedChars: number;
}

const MB = 1024 * 1024;

export const RECALL_LIMITS: RecallLimits = Object.freeze({
  calls: 8,
  callTokens: 4_000,
  answerTokens: 16_000,
  originalChars: 4 * MB,
  searchedOriginals: 48,
  keepWaitMs: 5_000,
  eventBytes: 16 * MB,
  bodyBytes: 16 * MB,
  remembered: 20_000,
  rememberedChars: 32 * MB,
});
