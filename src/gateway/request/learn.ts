/** What an answer teaches once it is over: its usage corrects the estimates, and the next compaction may be made ahead. */
import { effectOf } from "../../core/caching/effectiveness.ts";
import type { Usage } from "../../core/engines/contract.ts";
import { addUsage } from "../../protocols/usage.ts";
import type { GatewayContext } from "./context.ts";
import type { AnsweredRequest, PreparedRequest } from "./model-request.ts";
import { isAccepted } from "./open-answer.ts";
import { learnThread } from "./learn-thread.ts";
import { emitWindowNotice } from "./window-notices.ts";

export function learnFrom(context: GatewayContext, request: AnsweredRequest): void {
  const { answer, record } = request;
  const { usage, besides } = answer.reader.state;
  // Recall may have taken more than one request to the provider, and the provider may have compacted.
  const reported = answer.spent?.() ?? usage;
  const total = reported !== undefined && besides !== undefined ? addUsage(reported, besides) : reported;
  record.usage = total;
  learnThread(context, request);
  if (request.prepared === undefined) return;
  const { caching, newTokens } = request;
  if (total !== undefined)
    record.cache = effectOf({ usage: total, newTokens, prices: caching.prices, ttl: caching.ttl });
  if (!isAccepted(answer)) return;
  if (usage !== undefined) learnUsage(context, request, { usage, total: total ?? usage });
  if (request.soon) context.compactAhead(request);
  context.watchIdle(request);
}

function learnUsage(
  context: GatewayContext,
  request: PreparedRequest,
  { usage, total }: { readonly usage: Usage; readonly total: Usage },
): void {
  const { mode, models, store, now } = context;
  const { tenant, model, conversation, reading, prepared, outgoing } = request;
  // What is only observed was not sent: the provider counted something else.
  const wasSent = mode !== "observe" || outgoing.treatment.kind === "unchanged";
  // A summary that the provider made says nothing here of what it read.
  if (wasSent && usage.input > 0) prepared.observe(usage);
  models.learnFactor(tenant, model, conversation.runtime.state().factor);
  const outputTokens = prepared.transcript.maxOutputTokens ?? 0;
  const refuted = models.answered(request, { inputTokens: usage.input, outputTokens });
  if (refuted !== undefined && mode !== "observe")
    emitWindowNotice(context, request, {
      code: "window_forgotten",
      window: models.of(tenant, model, request.upstream).window,
    });
  const link = reading.links.at(-1);
  if (link !== undefined) void store.putUsage(tenant, { ...total, link, model, at: now() }).catch(() => undefined);
}
