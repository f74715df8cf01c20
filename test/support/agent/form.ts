/** What the agent needs of a protocol: where a request goes, what it looks like, and how its answer is put together. */
import type { Fields } from "../../../src/protocols/fields.ts";

export interface Sending {
  readonly model: string;
  readonly stream: boolean;
  readonly history: readonly unknown[];
  readonly system: unknown;
  readonly tools: unknown;
  readonly maxOutputTokens: number;
}

/** The answer as it goes back with the next request, and its calls in order. */
export interface WireReply {
  readonly messages: readonly unknown[];
  readonly callIds: readonly string[];
}

/** What a protocol's stream has said so far. */
export interface StreamReading {
  readonly take: (event: Fields) => void;
  /** Undefined until the end was received. */
  readonly answer: () => Fields | undefined;
}

export interface AgentForm {
  readonly pathOf: (sending: Pick<Sending, "model" | "stream">) => string;
  readonly credentials: (key: string) => Readonly<Record<string, string>>;
  readonly bodyOf: (sending: Sending) => Fields;
  readonly readStream: () => StreamReading;
  readonly replyIn: (answer: Fields) => WireReply;
}

type Growing = Record<string, unknown>;

export function append(fields: Growing, name: string, piece: unknown): void {
  const before = fields[name];
  fields[name] = typeof before === "string" && typeof piece === "string" ? before + piece : piece;
}

/** Members that a body has only where there is something to say. */
export function optional({ stream, tools }: Pick<Sending, "stream" | "tools">): Fields {
  return { ...(stream ? { stream } : {}), ...(tools === undefined ? {} : { tools }) };
}
