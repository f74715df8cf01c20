/** Bounds of what an agent may ask for and is answered, named with their unit. */
export interface McpLimits {
  /** Tokens of an answer by our estimate: where none are asked for, at least and at most. */
  readonly answerTokens: number;
  readonly answerTokensMin: number;
  readonly answerTokensMax: number;
  readonly hits: number;
  readonly hitsMax: number;
  /** Characters of an id, and of the words of a search. */
  readonly idChars: number;
  readonly wordsChars: number;
  /** Messages that one call expands; the answer says where to go on. */
  readonly messages: number;
  /** Turns that one call lists. */
  readonly turns: number;
  /** Sessions that are looked through for the place of an original, and listed; the last used first. */
  readonly sessions: number;
  /** Of an original or a message, this much is read. */
  readonly originalChars: number;
  /** How long a call may take, in milliseconds. */
  readonly callMs: number;
  /** The same for a compaction, for which a model may be asked. */
  readonly compactMs: number;
  /** Characters of the topic of a compaction. */
  readonly focusChars: number;
  /** Characters of a pinned fact. */
  readonly factChars: number;
  /** Calls that wait for their turn; they are answered one after another. */
  readonly waiting: number;
  /** Of what a client writes, this much is held until it is a whole message. */
  readonly inputBytes: number;
}

const MB = 1024 * 1024;

export const MCP_LIMITS: McpLimits = Object.freeze({
  answerTokens: 4_000,
  answerTokensMin: 500,
  answerTokensMax: 16_000,
  hits: 10,
  hitsMax: 50,
  idChars: 200,
  wordsChars: 500,
  messages: 200,
  turns: 40,
  sessions: 20,
  originalChars: 4 * MB,
  callMs: 10_000,
  compactMs: 150_000,
  focusChars: 2_000,
  factChars: 1_000,
  waiting: 32,
  inputBytes: MB,
});
