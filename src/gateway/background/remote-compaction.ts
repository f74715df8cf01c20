/**
 * The provider's own compaction behind a conversation: `POST /responses/compact` at the upstream of its newest request, with
 * the credential that request came with. As with a model asked in place, both are held in memory for one job alone.
 */
import type { Remote } from "../../core/engines/contract.ts";
import { lookUp, type Registry } from "../../models/registry/registry.ts";
import { askCompaction, COMPACT_ANSWER_CHARS_MAX, unavailableRemote } from "../../session/responses-compaction.ts";
import { sendBehind } from "./in-place.ts";
import type { PreparedRequest, ReceivedRequest } from "../request/model-request.ts";
import type { Sender } from "../transport/send.ts";

export interface RemoteCompaction {
  /** Whether the provider of such a request is asked. */
  readonly isFor: (request: Pick<ReceivedRequest, "route" | "destination">) => boolean;
  readonly behind: (request: PreparedRequest) => Remote | undefined;
}

export interface RemoteParts {
  readonly sender: Sender;
  readonly registry: Registry;
  readonly now: () => number;
}

/** An upstream without the endpoint is asked again after so long. */
const WITHOUT_ENDPOINT_MS = 60 * 60_000;
/** No such route, not by this method, or not implemented. */
const NO_ENDPOINT: ReadonlySet<number> = new Set([404, 405, 501]);

const RESPONSES_PATH = /\/responses(?=\?|$)/;

function asksForResponse({ route, destination }: Pick<ReceivedRequest, "route" | "destination">): boolean {
  return route.protocol === "openai-responses" && route.asks === "answer" && RESPONSES_PATH.test(destination.path);
}

export function createRemoteCompaction({ sender, registry, now }: RemoteParts): RemoteCompaction {
  /** Upstreams without the endpoint, by their address, and until when that is believed. */
  const without = new Map<string, number>();
  return {
    isFor: asksForResponse,
    behind: (request) => {
      if (!asksForResponse(request)) return undefined;
      const { destination, model, upstream, outgoing } = request;
      if ((without.get(upstream) ?? 0) > now()) return unavailableRemote(NOT_SERVED);
      return askCompaction({
        model,
        prices: lookUp(registry, model)?.prices,
        request: () => outgoing.body,
        send: sendBehind(sender, request, {
          path: destination.path.replace(RESPONSES_PATH, "/responses/compact"),
          bytesMax: COMPACT_ANSWER_CHARS_MAX,
          onStatus: (status) => {
            if (NO_ENDPOINT.has(status)) without.set(upstream, now() + WITHOUT_ENDPOINT_MS);
          },
        }),
      });
    },
  };
}

const NOT_SERVED = "the upstream does not serve /responses/compact";
