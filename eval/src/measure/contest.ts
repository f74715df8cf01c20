/** Every contestant on one cut: the baselines and the engines, at each budget and at the size each policy gives. */
import { ENGINE_DEFAULTS, type EngineSettings } from "../../../src/core/engines/settings.ts";
import type { Engine } from "../../../src/core/engines/contract.ts";
import { createEngine } from "../../../src/core/engines/engines.ts";
import type { Message } from "../../../src/core/transcript/message.ts";
import { baselineOf, BASELINES } from "../recall/baselines.ts";
import { keeperOf, type KeptText } from "../recall/compactor.ts";
import { asMessage } from "../recall/conversation.ts";
import type { Cut } from "../recall/cuts.ts";
import { tokensOf } from "../recall/future-use.ts";
import type { Exam } from "../recall/exam.ts";
import type { Reader } from "../recall/reader.ts";
import type { Mark, Size } from "./plan.ts";
import { sentenceShare } from "./sentences.ts";
import type { Tally } from "./tally.ts";

/** A cut, read and ready to be marked. */
export interface PreparedCut {
  readonly cut: Cut;
  readonly reader: Reader;
  readonly exam: Exam;
  readonly tally: Tally;
  readonly messages: readonly Message[];
  /** Is shown what each contestant kept, for those who mark it with another implementation. */
  readonly witness: (mark: Mark, kept: string) => void;
}

/** The engine whose result is next to each other's, at the same size. */
const DEFAULT_ENGINE = "compressor";

export function baselineMarks(
  { cut, reader, tally, exam, witness }: PreparedCut,
  sizes: readonly (readonly [Size, number])[],
): Mark[] {
  return sizes.flatMap(([size, budget]) =>
    BASELINES.map((contestant): Mark => {
      const text = baselineOf(contestant, cut.prefix, { budget, reader });
      const counts = tally(text, () => "");
      const mark = { contestant, size, kept: tokensOf(text), total: exam.total, counts };
      witness(mark, text);
      return mark;
    }),
  );
}

export function engineOf(engine: string, contextLength = ENGINE_DEFAULTS.contextLength): Engine {
  const settings: EngineSettings = { ...ENGINE_DEFAULTS, contextLength, note: "handoff" };
  return createEngine(engine, settings);
}

/** At each budget, and at the size that its own policy gives where that ever compacts. */
export async function engineMarks(
  stand: PreparedCut,
  engine: string,
  budgets: readonly number[],
): Promise<readonly Mark[]> {
  const { exam, messages } = stand;
  const keep = keeperOf(engineOf(engine));
  const marks: Mark[] = [];
  for (const budget of budgets) {
    const kept = await keep({ messages, room: Math.floor(budget * exam.total) });
    marks.push(markOf(stand, { contestant: engine, size: budget, kept }));
  }
  const window = triggeringWindow(engine, exam.total, messages.length);
  if (window === undefined) return marks;
  const kept = await keeperOf(engineOf(engine, window))({ messages });
  const own = markOf(stand, { contestant: engine, size: "policy", kept });
  marks.push(own);
  if (engine !== DEFAULT_ENGINE) marks.push(await atSizeOf(stand, own));
  return marks;
}

/** What the default engine makes of as much room as another's policy took. */
async function atSizeOf(stand: PreparedCut, { contestant, kept }: Mark): Promise<Mark> {
  const result = await keeperOf(engineOf(DEFAULT_ENGINE))({ messages: stand.messages, room: kept });
  return markOf(stand, { contestant: DEFAULT_ENGINE, size: `as ${contestant}`, kept: result });
}

interface MarkRequest {
  readonly contestant: string;
  readonly size: Size;
  readonly kept: Pick<KeptText, "text" | "handoff" | "recallable" | "report">;
}

export function markOf({ exam, tally, witness }: PreparedCut, { contestant, size, kept }: MarkRequest): Mark {
  const { text, handoff, recallable, report } = kept;
  const mark: Mark = {
    contestant,
    size,
    kept: tokensOf(text),
    total: exam.total,
    counts: tally(text, recallable),
    ...(handoff === "" ? {} : { sentences: sentenceShare(handoff) }),
    ...(report === undefined ? { unchanged: true } : {}),
  };
  witness(mark, text);
  return mark;
}

/** Windows up to this many times the transcript, and so much more, are looked at. */
const WINDOW_FACTOR_MAX = 8;
const WINDOW_TOKENS_BEYOND = 200_000;

/**
 * The largest window in which the policy's own trigger is reached by a transcript of this size: so each engine meets it
 * at the moment at which it would have compacted. Undefined where it never would.
 */
export function triggeringWindow(name: string, tokens: number, messages: number): number | undefined {
  const triggers = (window: number): boolean => {
    const engine = engineOf(name, window);
    return engine.decide(engine.init(), { tokens, messages }).kind === "compact";
  };
  let [low, high] = [tokens, tokens * WINDOW_FACTOR_MAX + WINDOW_TOKENS_BEYOND];
  if (!triggers(low)) return undefined;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (triggers(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

export function prepareCut(
  cut: Cut,
  reader: Reader,
  rest: Pick<PreparedCut, "exam" | "tally" | "witness">,
): PreparedCut {
  return { cut, reader, ...rest, messages: cut.prefix.map(asMessage) };
}
