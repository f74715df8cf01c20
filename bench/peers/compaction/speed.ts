/**
 * What a compaction costs in time, from a contestant's own messages to its own messages, everyone in turns on the same
 * transcripts. Cold: nothing of the conversation was seen before. Warm: it was compacted one exchange ago. A summarizer's
 * answer is at hand, so that the time is the library's own.
 */
import type { ChatMessage } from "../../../eval/src/recall/future-use.ts";
import { summaryAtHand } from "../extract.ts";
import { createProgress } from "../progress.ts";
import type { Compacting, Contestant, Native, Size } from "./contestant.ts";
import { medianOf } from "./pooled.ts";
import { PRECIS } from "./precis.ts";
import { longest, type Sitting } from "./sittings.ts";

/** Of the transcript's tokens: what is to be left. */
const BUDGET_SHARE = 0.2;
const SUMMARY_SHARE = 0.05;
const ROUNDS = { warmups: 3, samples: 8 };
const TRANSCRIPTS = 5;

export interface SpeedRow {
  readonly name: string;
  readonly from: string;
  /** Medians over the transcripts of the median of each, in milliseconds. */
  readonly coldMs: number;
  readonly warmMs: number;
  /** Our time as a multiple of this one's: the median over the transcripts. */
  readonly oursCold: number;
  readonly oursWarm: number;
}

export interface Speed {
  readonly rows: readonly SpeedRow[];
  readonly transcripts: readonly { readonly messages: number; readonly tokens: number }[];
}

/** Median times of one contestant on one transcript. */
interface Times {
  readonly cold: number;
  readonly warm: number;
}

export async function speed(
  ours: Contestant,
  peers: readonly Contestant[],
  sittings: readonly Sitting[],
  transcriptsMax = TRANSCRIPTS,
): Promise<Speed> {
  const courses = longestOf(sittings).slice(0, transcriptsMax);
  const progress = createProgress("speed", courses.length + 1);
  const everyone = [ours, ...peers];
  // Once untimed, so that the compiler is done with everyone.
  await timesOn(everyone, courses[0]!);
  progress.step("warm-up");
  const times = new Map(everyone.map((one) => [one, [] as Times[]]));
  for (const course of courses) {
    for (const [one, taken] of await timesOn(everyone, course)) times.get(one)!.push(taken);
    progress.step(course.file);
  }
  progress.end();
  const base = times.get(ours)!;
  const rows = [...times].map(([{ name, from }, taken]) => ({
    name,
    from,
    coldMs: medianOf(taken.map(({ cold }) => cold)),
    warmMs: medianOf(taken.map(({ warm }) => warm)),
    oursCold: medianOf(taken.map(({ cold }, at) => base[at]!.cold / cold)),
    oursWarm: medianOf(taken.map(({ warm }, at) => base[at]!.warm / warm)),
  }));
  const transcripts = courses.map(({ prefix, tokens }) => ({ messages: prefix.length, tokens }));
  return { rows, transcripts };
}

/** A conversation, and what was said after it. */
interface Course {
  readonly file: string;
  readonly prefix: readonly ChatMessage[];
  readonly rest: readonly ChatMessage[];
  readonly tokens: number;
}

/** The longest stretches, one a file, all but their last turns: about where an agent's window is full. */
function longestOf(sittings: readonly Sitting[]): readonly Course[] {
  const courses = sittings.map(({ file, cut, reader }): Course => {
    const whole = [...cut.prefix, ...cut.rest];
    const replies = [...whole.keys()].filter((at) => whole[at]!.role === "assistant");
    const at = replies.at(-(ROUNDS.warmups + ROUNDS.samples + 1)) ?? cut.prefix.length;
    const prefix = whole.slice(0, at);
    return { file, prefix, rest: whole.slice(at), tokens: reader.size(prefix) };
  });
  return longest(courses, TRANSCRIPTS);
}

async function timesOn(everyone: readonly Contestant[], course: Course): Promise<ReadonlyMap<Contestant, Times>> {
  const cold = await inTurns(everyone, (one) => coldRound(one, course));
  const warm = await inTurns(everyone, (one) => warmRound(one, course));
  return new Map(everyone.map((one) => [one, { cold: medianOf(cold.get(one)!), warm: medianOf(warm.get(one)!) }]));
}

type Round = () => Promise<number>;

/** One round of each after another, so that whatever else the machine does falls on all. */
async function inTurns(
  everyone: readonly Contestant[],
  make: (one: Contestant) => Round,
): Promise<ReadonlyMap<Contestant, readonly number[]>> {
  const rounds = everyone.map((one) => [one, make(one), [] as number[]] as const);
  for (let round = -ROUNDS.warmups; round < ROUNDS.samples; round += 1)
    for (const [, run, taken] of rounds) {
      const tookMs = await run();
      if (round >= 0) taken.push(tookMs);
    }
  return new Map(rounds.map(([one, , taken]) => [one, taken]));
}

const CONVERSATION = summaryAtHand();

function coldRound(one: Contestant, { prefix, tokens }: Course): Round {
  const size = sizeFor(one, tokens);
  return () => {
    const unseen = JSON.parse(JSON.stringify(prefix)) as readonly ChatMessage[];
    return timed(one.on(CONVERSATION), one.read(unseen), size);
  };
}

function warmRound(one: Contestant, { prefix, rest, tokens }: Course): Round {
  const size = sizeFor(one, tokens);
  const compacting = one.on(CONVERSATION);
  let native = one.read(prefix);
  let next = 0;
  return () => {
    const from = next;
    do next += 1;
    while (rest[next] !== undefined && rest[next]!.role !== "assistant");
    native = [...native, ...one.read(rest.slice(from, next))];
    return timed(compacting, native, size);
  };
}

async function timed(compacting: Compacting, native: Native, size: Size): Promise<number> {
  const { crossedMs = () => 0 } = compacting;
  const startMs = performance.now() - crossedMs();
  await compacting.compact(native, size);
  return performance.now() - crossedMs() - startMs;
}

/** The same share for all; a knob that counts messages stands as it comes. */
function sizeFor({ knob, asItComes, name }: Contestant, tokens: number): Size {
  if (knob === "messages") return asItComes;
  const summaryTokens = name === PRECIS ? 0 : Math.floor(tokens * SUMMARY_SHARE);
  return { keep: Math.floor(tokens * BUDGET_SHARE) - summaryTokens, summaryTokens };
}
