/**
 * What a provider refuses a request for whatever its tokens are. Pictures and files: the oldest leave it before it is sent,
 * each with a mark and a recall id, and after a refusal all of them do. Halves of characters: another stands in their place.
 */
import { amend, emptyCompaction, originsIn } from "../core/compaction/revise.ts";
import { applyCompaction, type Compaction } from "../core/compaction/compaction.ts";
import { byPerson } from "../core/events/person.ts";
import { evictMediaWhere } from "../core/passes/evict-media.ts";
import { repairText } from "../core/passes/repair-text.ts";
import { exchangesOf } from "../core/transcript/exchanges.ts";
import { mediaBeyond } from "../protocols/media-limits.ts";
import { type Message, type Part, type Transcript, mediaIn } from "../core/transcript/message.ts";
import { definitions } from "../protocols/registry.ts";
import { estimatorOf, type ConversationView, type SessionContext } from "./context.ts";

/** What leaves a conversation; nothing of a protected message does. */
type Choose = (transcript: Transcript, isProtected: (at: number) => boolean) => ReadonlySet<Part>;

/**
 * The compaction, or one in place of none, without the media that the provider is known to refuse; the same where nothing
 * has to leave.
 */
export function withinMediaLimits(
  context: SessionContext,
  original: Transcript,
  compaction: Compaction | undefined,
): Compaction | undefined {
  const protocol = original.messages.find(({ wire }) => wire !== undefined)?.wire?.protocol;
  const definition = Object.values(definitions).find(({ dialect }) => dialect.name === protocol);
  const limits = definition?.mediaLimits?.(original.model, context.state.settings.contextLength);
  return without(context, { original, compaction }, (transcript, isProtected) =>
    limits === undefined ? NONE : mediaBeyond(transcript, limits, isProtected),
  );
}

const NONE: ReadonlySet<Part> = new Set();

/** After a refusal: all but what the newest exchange shows, or that as well where nothing else is left; undefined without any. */
export function withoutMedia(
  context: SessionContext,
  { original, standing }: ConversationView,
): Compaction | undefined {
  const { compaction } = standing;
  const lighter = without(context, { original, compaction }, ({ messages }, isProtected) => {
    const last = exchangesOf(messages).at(-1)?.start ?? 0;
    const free = messages.map((message, at) => (isProtected(at) ? [] : mediaIn(message)));
    const earlier = free.slice(0, last).flat();
    return new Set(earlier.length > 0 ? earlier : free.flat());
  });
  return lighter === compaction ? undefined : lighter;
}

interface Lightening {
  readonly original: Transcript;
  readonly compaction: Compaction | undefined;
}

function without(
  context: SessionContext,
  { original, compaction }: Lightening,
  choose: Choose,
): Compaction | undefined {
  const rewritten = compaction === undefined ? original : applyCompaction(original, compaction);
  const protect = (at: number): boolean => context.keepsRequests && byPerson(rewritten.messages[at]!);
  const leaving = choose(rewritten, protect);
  const estimator = estimatorOf(context);
  const passing = { measure: estimator.measure, hash: estimator.chain.hash, protect, focus: [] };
  const { messages: left, evicted } =
    leaving.size === 0
      ? { messages: rewritten.messages, evicted: [] }
      : evictMediaWhere((part) => leaving.has(part))(rewritten.messages, passing);
  const { messages } = repairText(left, passing);
  if (messages === rewritten.messages) return compaction;
  const { engine, engineState: state } = context.state;
  const standing =
    compaction ?? emptyCompaction(original, { engine: engine.name, reason: "payload", state }, estimator);
  const originOf = originsIn(standing);
  const lighter = amend(standing, original, {
    edits: editsIn(rewritten.messages, messages),
    // The live request that was repeated is where the request is.
    evicted: evicted.map((one) => ({ ...one, message: originOf(one.message) ?? 0 })),
    estimator,
  });
  return lighter === standing ? compaction : lighter;
}

function editsIn(before: readonly Message[], after: readonly Message[]): ReadonlyMap<number, Message> {
  return new Map(after.flatMap((message, at) => (message === before[at] ? [] : [[at, message] as const])));
}
