/**
 * The one carrier of a request to a model: it is received, then prepared, then answered, and each step adds what it found.
 * A request that cannot be read skips the preparation and goes out as it came.
 */
import type { Prepared } from "../../session/contract.ts";
import type { WindowInUse } from "../../session/timing.ts";
import type { HiddenTools } from "../../protocols/answers/screen.ts";
import type { Decoded } from "../../protocols/protocol.ts";
import type { Caching } from "../models/caching.ts";
import type { ClientRequest, HeaderLines, Treatment } from "../contract.ts";
import type { Conversation, ReadRequest } from "../conversations/conversations.ts";
import type { ModelRoute } from "./routes.ts";
import type { Destination } from "../transport/upstreams.ts";
import type { ProviderAnswer } from "./open-answer.ts";
import type { RequestRecord } from "./record.ts";

/** It asks for a model, and its provider is chosen. */
export interface ArrivingRequest {
  readonly client: ClientRequest;
  readonly record: RequestRecord;
  readonly destination: Destination;
  readonly route: ModelRoute;
}

/** Its body has arrived. */
export interface ReceivedRequest extends ArrivingRequest {
  readonly tenant: string;
  /** The body as it was sent: what goes out where nothing changes. */
  readonly raw: Buffer;
  /** The body's plain text; undefined where it goes out unread. */
  readonly text: string | undefined;
}

/** It was read, its conversation is known, and what to send is decided. */
export interface PreparedRequest extends ReceivedRequest {
  readonly reading: ReadRequest;
  /** The request with the turns that were hidden from its client; the client's own where there are none. */
  readonly withHiddenTurns: Decoded;
  readonly model: string;
  /** The address of the provider. Context windows are learned for each address. */
  readonly upstream: string;
  readonly conversation: Conversation;
  /** How its provider's cache is used, and what it costs. */
  readonly caching: Caching;
  readonly prepared: Prepared;
  /** Estimated tokens that are new since the previous request; undefined where there was none. */
  readonly newTokens: number | undefined;
  /** A compaction is worth making ahead. */
  readonly soon: boolean;
  readonly outgoing: OutgoingRequest;
  readonly revealed?: { readonly factor: number; readonly window: WindowInUse } | undefined;
  /** Its server refused it because roles do not alternate: neighbours of one role go out as one message. */
  readonly alternates?: true;
}

/** What goes out to the provider, and what was done to the client's request to get there. */
export interface OutgoingRequest {
  /** The client's own text where nothing changed. */
  readonly body: string;
  readonly treatment: Treatment;
  /** Tools of ours that the model may call. */
  readonly hiddenTools: HiddenTools;
  /** Header changes that go with the changed body. */
  readonly editHeaders?: (headers: HeaderLines) => HeaderLines;
  /** The provider is told to drop thinking that no longer fits; every request of a thread has to tell it. */
  readonly dropsThinking?: boolean;
}

/** It goes out as it came, but for what a thread of its provider needs. */
export interface UnpreparedRequest extends ReceivedRequest {
  readonly prepared?: undefined;
  /** The answer whose thread it continues. */
  readonly continues?: string;
  readonly outgoing?: Pick<OutgoingRequest, "body" | "editHeaders">;
}

export type ModelRequest = UnpreparedRequest | PreparedRequest;

/** The provider has begun to answer it. */
export type AnsweredRequest = ModelRequest & { readonly answer: ProviderAnswer };

/** Whether only its tokens are counted: nothing is decided for it, and nothing is kept. */
export function countsTokens({ route }: Pick<ReceivedRequest, "route">): boolean {
  return route.asks === "count";
}
