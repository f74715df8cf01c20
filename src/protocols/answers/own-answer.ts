/** An answer that precis gives itself, in the words of a protocol: one text of the assistant, whole or as a stream. */
import type { Fields } from "../dialect.ts";

export interface OwnAnswer {
  /** Letters and digits that no other answer has. */
  readonly id: string;
  readonly model: string;
  readonly text: string;
  /** Seconds since the epoch. */
  readonly createdSeconds: number;
}

/** The request that is answered. */
export interface AnsweredForm {
  readonly member: (key: string) => unknown;
  /** Path and query. */
  readonly target: string;
}

/** The body of a response with status 200. */
export interface OwnAnswerBody {
  readonly contentType: string;
  readonly body: string;
  readonly streamed: boolean;
}

/** The same protocol's clients take it as they take an answer of their provider. */
export type WriteOwnAnswer = (answer: OwnAnswer, asked: AnsweredForm) => OwnAnswerBody;

export function wholeBody(answer: Fields | readonly Fields[]): OwnAnswerBody {
  return { contentType: "application/json", body: JSON.stringify(answer), streamed: false };
}

export interface OwnEvent {
  readonly name?: string;
  /** JSON, or a word of the protocol. */
  readonly data: Fields | string;
}

export function streamedBody(events: readonly OwnEvent[]): OwnAnswerBody {
  const lines = events.map(({ name, data }) => {
    const text = typeof data === "string" ? data : JSON.stringify(data);
    return `${name === undefined ? "" : `event: ${name}\n`}data: ${text}\n\n`;
  });
  return { contentType: "text/event-stream; charset=utf-8", body: lines.join(""), streamed: true };
}

/** For protocols whose body says whether the answer is to be streamed. */
export function asksForStream({ member }: AnsweredForm): boolean {
  return member("stream") === true;
}
