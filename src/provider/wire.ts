/** What the provider needs of a protocol: how a key comes, what is refused, how a prompt is rendered, how an answer is told. */
import type { ProtocolName } from "../protocols/index.ts";
import type { Fields, Incoming, Prompt, Refusal, Reply, StreamEvent, Telling } from "./contract.ts";
import type { Memory } from "./memory.ts";
import type { Sealer } from "./seals.ts";
import type { ModelTraits } from "./traits.ts";

export interface Judging {
  readonly incoming: Incoming;
  readonly model: string;
  readonly traits: ModelTraits;
  readonly sealer: Sealer;
  readonly memory: Memory;
  /** Tokens are only counted: what an answer needs may be missing. */
  readonly counting: boolean;
}

/** A request that its vendor would take. */
export interface Accepted {
  readonly prompt: Prompt;
  readonly transformations: readonly unknown[] | undefined;
  /** Signs what the answer thinks, with all that the model saw before it. */
  readonly seal: (id: string, text: string) => string;
  /** What the vendor itself answers, whatever a script says: a compaction that was asked for. */
  readonly own?: Reply;
  /** Told that the answer was given, for what later requests may refer to. */
  readonly answered: (told: unknown) => void;
}

export interface Wire {
  readonly protocol: ProtocolName;
  /** What a request without a key is told. */
  readonly keyless: Refusal;
  /** What a body that is no JSON object is told. */
  readonly notJson: (why: string) => Refusal;
  readonly judge: (judging: Judging) => Refusal | Accepted;
  readonly noModel: (name: unknown) => Refusal;
  readonly errorBody: (refusal: Refusal, requestId: string) => Fields;
  /** Undefined where the prompt and what is asked for fit. */
  readonly overflow: (prompt: Prompt, windowTokens: number) => Refusal | undefined;
  /** Headers of every answer. */
  readonly requestHeaders: (requestId: string) => Readonly<Record<string, string>>;
  readonly tell: (telling: Telling) => Fields;
  readonly stream: (telling: Telling) => Iterable<StreamEvent>;
  /** A stream that says an error after HTTP 200: before any content, or in the middle. */
  readonly streamedError: (
    refusal: Refusal,
    telling: Pick<Telling, "id" | "model" | "created">,
  ) => Iterable<StreamEvent>;
  /** Whether an overflow of a streamed request is said inside of the stream. */
  readonly streamsOverflow: boolean;
}

export function isRefusal(value: Refusal | object): value is Refusal {
  return "reason" in value && "status" in value;
}
