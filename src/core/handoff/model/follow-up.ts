/**
 * Asks a model for the record behind the conversation itself: what its provider has cached of the conversation is read
 * again, and only the question is new (as Claude Code does; IA al Día 2026). Where that is too long the oldest rounds are
 * dropped, a few times; after that the conversation is described instead, as to any other model.
 */
import { exchangesOf } from "../../transcript/exchanges.ts";
import type { Measure } from "../../transcript/measure.ts";
import { contentText, textMessage, type Transcript } from "../../transcript/message.ts";
import type { Writer } from "./writer.ts";
import {
  isSpent,
  leftOf,
  NOTHING_SPENT,
  outputIn,
  plus,
  readReply,
  spentOn,
  type StagedAnswer,
  type FoldRequest,
} from "./staged-reading.ts";
import { followUpText } from "./prompt.ts";

/** How often the oldest rounds are dropped and the question asked again (Claude Code 2.1 makes three attempts). */
const DROPS_MAX = 3;
/** Kept of a conversation that was too long, where the error does not say by how much. */
const KEPT_SHARE = 0.75;
const LEFT_OUT = "[precis: the oldest messages are left out of this request]";

/** Fails with `overflow` where even the newest rounds are too long. */
export async function followUp(writer: Writer, request: FoldRequest, conversation: Transcript): Promise<StagedAnswer> {
  const { span, allowed, signal } = request;
  const { measure, redact } = span;
  const maxOutputTokens = outputIn(writer.windowTokens, request);
  const user = redact(followUpText(request));
  let roomTokens = writer.windowTokens - maxOutputTokens - measure.text(user);
  let spent = NOTHING_SPENT;
  for (let drops = 0; drops <= DROPS_MAX && !isSpent(leftOf(allowed, spent)); drops++) {
    const sent = newestWithin(conversation, roomTokens, measure);
    if (sent === undefined || (writer.followsUp === "as-sent" && sent !== conversation)) break;
    const reply = await writer.ask({ system: "", user, conversation: sent, maxOutputTokens }, signal);
    spent = plus(spent, spentOn(reply));
    if (reply.kind === "failed") {
      if (reply.failure.class !== "overflow") return { kind: "failed", failure: reply.failure, ...spent };
      const size = measure.transcript(sent);
      const gap = reply.failure.windowTokens === undefined ? 0 : reply.failure.windowTokens - maxOutputTokens;
      roomTokens = Math.floor(gap > 0 && gap < size ? gap : size * KEPT_SHARE);
      continue;
    }
    const source = sent.messages.map(({ parts }) => contentText(parts)).join("\n");
    const { objection, ...read } = readReply({ reply, source, record: "", goesOn: false }, request);
    if (objection !== undefined) return { kind: "rejected", objection, ...spent };
    return { kind: "answered", ...read, ...spent };
  }
  const message = "the conversation is too long for it, even without its oldest rounds";
  return { kind: "failed", failure: { class: "overflow", message }, ...spent };
}

/** The conversation, without its oldest rounds where it would not fit; nothing where not even its last would. */
function newestWithin(conversation: Transcript, tokens: number, measure: Measure): Transcript | undefined {
  if (measure.transcript(conversation) <= tokens) return conversation;
  const { messages } = conversation;
  const lead = textMessage("user", LEFT_OUT, "stub");
  let left = tokens - measure.transcript({ ...conversation, messages: [lead] });
  let from = messages.length;
  for (const { start, end } of exchangesOf(messages).toReversed()) {
    left -= measure.messages(messages.slice(start, end));
    if (left < 0) break;
    from = start;
  }
  return from === messages.length ? undefined : { ...conversation, messages: [lead, ...messages.slice(from)] };
}
