/** What is measured, and kept in bench/results/load.json. */
import type { ProfileShare } from "./profile.ts";
import type { Latency } from "./replay.ts";
import type { Used } from "./stage.ts";

/** Sessions of one shape, one after another through one gateway, and the same straight to the upstream. */
export interface ShapeFigures {
  readonly name: string;
  readonly windowTokens: number;
  readonly sessions: number;
  readonly turns: number;
  /** Of all request bodies. */
  readonly bytes: number;
  /** Of the last bodies of the sessions: what is new in them all. */
  readonly newBytes: number;
  readonly newTokens: number;
  readonly messages: number;
  readonly compactions: number;
  /** Of all turns. */
  readonly used: Used;
  readonly direct: Latency;
  readonly through: Latency;
  readonly transactions: number;
  readonly walBytes: number;
  readonly storedRows: number;
  readonly storedBytes: number;
}

/** Through so many gateways; 0 is straight to the upstream. */
export interface LoadFigures extends Latency {
  readonly gateways: number;
  readonly perSecond: number;
  /** What was asked for, where it was not as fast as it goes. */
  readonly offeredPerSecond?: number;
  readonly requests: number;
  readonly refused: number;
  readonly usedPerRequest: Used;
}

export interface NoisyFigures {
  /** Whether the other's client ran all the time, in turns at the gateway and straight to the upstream. */
  readonly clientAlways?: boolean;
  readonly limitPerMinute: number;
  readonly quietPerSecond: number;
  readonly noisyPerSecond: number;
  readonly alone: Latency;
  readonly beside: Latency;
  /** Of the 99th percentiles, the median over the rounds. */
  readonly p99Ratio: number;
  readonly quietRefused: number;
  readonly noisyAnswered: number;
  readonly noisyRefused: number;
  /** What the 429s said, at least and at most. */
  readonly retryAfterSeconds: readonly [number, number];
}

export interface PeoplePhase extends Latency {
  readonly name: string;
  readonly turns: number;
  /** Of request bodies. */
  readonly bytes: number;
  /** Answered with another status than 200, and not at all. */
  readonly refused: number;
  readonly lost: number;
  /** Answered, and not compacted or kept. */
  readonly untouched: number;
}

/** People who work at once, while a gateway and the database are killed. */
export interface PeopleFigures {
  readonly people: number;
  /** Turns by all of them, and how many times as many as in life that is. */
  readonly perSecond: number;
  readonly faster: number;
  readonly atOnce: number;
  readonly awaySeconds: number;
  /** Of the average request. */
  readonly bytes: number;
  readonly phases: readonly PeoplePhase[];
  /** Of each gateway at the end. */
  readonly residentMb: readonly number[];
  readonly storedBytesADay: number;
  readonly walBytesADay: number;
}

export interface LoadResults {
  readonly upstream: string;
  /** Of the machine, before each part. */
  readonly machineLoad: Readonly<Record<string, number>>;
  readonly shapes: readonly ShapeFigures[];
  readonly full: {
    readonly atOnce: number;
    readonly sessions: number;
    readonly bytes: number;
    readonly windowTokens: number;
    readonly rows: readonly LoadFigures[];
    readonly twoOfOne: number;
  };
  readonly paced: {
    readonly atOnce: number;
    readonly sessions: number;
    readonly bytes: number;
    readonly windowTokens: number;
    readonly rows: readonly LoadFigures[];
  };
  readonly profile: readonly ProfileShare[];
  readonly noisy: NoisyFigures;
  readonly people?: PeopleFigures;
}
