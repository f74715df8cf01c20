/**
 * What a turn costs in time: before every request of a recorded session everyone is given the whole history and answers
 * what is to be sent. Most turns only put in place what was made before, or delete; some compact. All take the same turn
 * of the same session one after another, so that whatever else the machine does falls on all.
 */
import type { ChatMessage } from "../../../eval/src/recall/future-use.ts";
import { summaryAtHand } from "../extract.ts";
import { createProgress } from "../progress.ts";
import type { Contestant } from "./contestant.ts";
import { stretchesOf } from "./loop.ts";
import { medianOf } from "./pooled.ts";
import { TRIGGER_TOKENS } from "./prices.ts";
import { longest, type Sitting } from "./sittings.ts";
import { ourTurns, peerTurns, type Taking, type TurnTaker } from "./turn-takers.ts";

const SESSIONS = 5;
/** Times that a session is gone through again; of each of its turns the median is taken. */
const PASSES = 3;
/** Of each session, evenly spread: the turns at which those that keep nothing are asked; others are asked at all. */
const STATELESS_TURNS = 40;
const TAIL_SHARE = 0.95;

/** Milliseconds; medians over the sessions. */
export interface TurnTimes {
  readonly medianMs: number;
  readonly meanMs: number;
  readonly p95Ms: number;
  readonly slowestMs: number;
  /** Our time as a multiple of this one's: the median over the sessions, of their medians and of their means. */
  readonly oursMedian: number;
  readonly oursMean: number;
}

export interface TurnRow {
  readonly name: string;
  readonly from: string;
  /** Of the turns at which it was asked: those in which the history was made smaller. */
  readonly madeShare: number;
  readonly native: TurnTimes;
  readonly body: TurnTimes;
}

export interface TurnSamples {
  readonly sessions: number;
  readonly passes: number;
}

export interface Turns {
  readonly rows: readonly TurnRow[];
  readonly sessions: readonly { readonly turns: number; readonly messages: number; readonly tokens: number }[];
  readonly triggerTokens: number;
  readonly statelessTurns: number;
}

export async function turns(
  peers: readonly Contestant[],
  sittings: readonly Sitting[],
  { sessions: sessionsMax, passes: passesMax }: TurnSamples = { sessions: SESSIONS, passes: PASSES },
): Promise<Turns> {
  const takers = [ourTurns(), ...peers.map((peer) => peerTurns(peer, summaryAtHand()))];
  const sessions = longestOf(sittings).slice(0, sessionsMax);
  const progress = createProgress("turns", sessions.length * passesMax + 1);
  // Once untimed, so that the compiler is done with everyone.
  await passOver(takers, sessions.at(-1)!);
  progress.step("warm-up");
  const taken: (readonly Course[])[] = [];
  for (const session of sessions) {
    const passes: (readonly Course[])[] = [];
    for (let pass = 0; pass < passesMax; pass += 1) {
      passes.push(await passOver(takers, session));
      progress.step(session.file);
    }
    taken.push(takers.map((_, at) => middleOf(passes.map((courses) => courses[at]!))));
  }
  progress.end();
  return {
    rows: takers.map((taker, at) => rowOf(taker, { courses: columnOf(taken, at), ours: columnOf(taken, 0) })),
    sessions: sessions.map(({ messages, requests, tokens }) => ({
      turns: requests.length,
      messages: messages.length,
      tokens,
    })),
    triggerTokens: TRIGGER_TOKENS,
    statelessTurns: STATELESS_TURNS,
  };
}

interface Session {
  readonly file: string;
  readonly messages: readonly ChatMessage[];
  /** How many messages came before each reply of the model. */
  readonly requests: readonly number[];
  readonly tokens: number;
}

function longestOf(sittings: readonly Sitting[]): readonly Session[] {
  const sessions = stretchesOf(sittings).map(({ file, messages, sittings: [sitting] }): Session => {
    const requests = [...messages.keys()].filter((at) => at > 0 && messages[at]!.role === "assistant");
    return { file, messages, requests, tokens: sitting!.reader.size(messages) };
  });
  return longest(sessions, SESSIONS);
}

/** One contestant's turns of one session, one figure for each at which it was asked. */
interface Course {
  readonly native: readonly number[];
  readonly body: readonly number[];
  readonly made: number;
}

/** A session from its start to its end, which nobody has seen before. */
async function passOver(takers: readonly TurnTaker[], { messages, requests }: Session): Promise<readonly Course[]> {
  const unseen = JSON.parse(JSON.stringify(messages)) as readonly ChatMessage[];
  const courses = takers.map(({ native, body, stateless }) => ({
    every: stateless ? Math.ceil(requests.length / STATELESS_TURNS) : 1,
    takes: { native: native(), body: body() },
    native: [] as number[],
    body: [] as number[],
    made: 0,
  }));
  for (const [turn, at] of requests.entries()) {
    const history = unseen.slice(0, at);
    const asked = courses.filter(({ every }) => (turn + 1) % every === 0);
    for (const course of asked) {
      const { tookMs, made } = await timed(course.takes.native, history);
      course.native.push(tookMs);
      if (made) course.made += 1;
    }
    for (const course of asked) course.body.push((await timed(course.takes.body, history)).tookMs);
  }
  return courses;
}

async function timed(take: Taking, history: readonly ChatMessage[]) {
  const turn = take(history);
  const startMs = performance.now();
  const { made, crossedMs = 0 } = await turn();
  return { tookMs: performance.now() - startMs - crossedMs, made };
}

/** Of each turn the median over the passes: a collection of garbage or another process is nobody's. */
function middleOf(passes: readonly Course[]): Course {
  const middle = (side: "native" | "body"): readonly number[] =>
    passes[0]![side].map((_, turn) => medianOf(passes.map((course) => course[side][turn]!)));
  return { native: middle("native"), body: middle("body"), made: passes[0]!.made };
}

function columnOf<Item>(rows: readonly (readonly Item[])[], at: number): readonly Item[] {
  return rows.map((row) => row[at]!);
}

interface Beside {
  readonly courses: readonly Course[];
  readonly ours: readonly Course[];
}

function rowOf({ name, from }: TurnTaker, { courses, ours }: Beside): TurnRow {
  const all = courses.reduce((sum, { native }) => sum + native.length, 0);
  const times = (side: "native" | "body"): TurnTimes =>
    timesOf(
      courses.map((course) => course[side]),
      ours.map((course) => course[side]),
    );
  return {
    name,
    from,
    madeShare: courses.reduce((sum, { made }) => sum + made, 0) / all,
    native: times("native"),
    body: times("body"),
  };
}

type Taken = readonly (readonly number[])[];
type Figure = (all: readonly number[]) => number;

function timesOf(taken: Taken, ours: Taken): TurnTimes {
  const over = (figure: Figure): number => medianOf(taken.map(figure));
  const ratio = (figure: Figure): number => medianOf(taken.map((all, at) => figure(ours[at]!) / figure(all)));
  return {
    medianMs: over(medianOf),
    meanMs: over(meanOf),
    p95Ms: over(tailOf),
    slowestMs: over((all) => Math.max(...all)),
    oursMedian: ratio(medianOf),
    oursMean: ratio(meanOf),
  };
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function tailOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * TAIL_SHARE))]!;
}
