/** A first look at a session: where it can be cut, and why it cannot. */
import { PrecisError } from "../../../src/core/errors.ts";
import { reasonOf } from "../../../src/platform/system-errors.ts";
import { attemptAt, attemptsOf, EVALUATION_CUTS, type Attempt, type Cut } from "../recall/cuts.ts";
import { createReader, type Reader } from "../recall/reader.ts";
import type { Recorded } from "./recorded.ts";
import { readSession, type Session } from "./session.ts";
import { readSource, type Source } from "./sources.ts";

export interface Survey {
  readonly source: Source;
  /** Absent where the file is no session. */
  readonly session?: { readonly format: string; readonly messages: number; readonly tokens: number };
  /** A key for each cut: a cut that is in two files is examined once. */
  readonly cuts: readonly string[];
  readonly recorded: readonly string[];
  /** Why there is not one cut more, for a person. */
  readonly because?: string;
}

/** A cut, or a recorded compaction as one: its prefix is what the agent compacted. */
export interface SurveyedCut {
  readonly cut: Cut;
  readonly recorded?: Recorded;
}

/** Throws `unreadable_input` where a file that was named is no session; one in a folder is passed over. */
export function surveyOf(source: Source): Survey {
  const nothing = { source, cuts: [], recorded: [] };
  const session = sessionAt(source);
  if (typeof session === "string") return { ...nothing, because: session };
  const reader = createReader();
  const { cuts, refused } = cutsIn(session, reader);
  const recorded = recordedPlaces(session, reader).map(({ cut }) => keyOf(cut, reader));
  const { format, messages } = session;
  return {
    source,
    session: { format, messages: messages.length, tokens: reader.size(messages) },
    cuts: cuts.map((cut) => keyOf(cut, reader)),
    recorded,
    ...(cuts.length > 0 ? {} : { because: refusalOf(refused) }),
  };
}

/** The session, or why there is none. */
function sessionAt(source: Source): Session | string {
  const { name, named, path } = source;
  try {
    const session = readSession(readSource(source), path);
    if (session !== undefined) return session;
  } catch (error) {
    if (named && error instanceof PrecisError) throw error;
    return `broken: ${reasonOf(error)}`;
  }
  if (!named) return "no session in a known format";
  throw new PrecisError(`${name} is in no known format`, {
    code: "unreadable_input",
    place: name,
    hint: "Give session files, request bodies or their messages, or folders of them.",
  });
}

/** In order, as the survey counted them: cuts first, then recorded compactions. */
export function placesIn(session: Session, reader: Reader): readonly SurveyedCut[] {
  return [...cutsIn(session, reader).cuts.map((cut) => ({ cut })), ...recordedPlaces(session, reader)];
}

type Refusal = Extract<Attempt, { kind: "refused" }>;

function cutsIn({ messages }: Session, reader: Reader): { readonly cuts: Cut[]; readonly refused: Refusal[] } {
  const cuts: Cut[] = [];
  const refused: Refusal[] = [];
  for (const attempt of attemptsOf(messages, reader, EVALUATION_CUTS))
    if (attempt.kind === "cut") cuts.push(attempt.cut);
    else refused.push(attempt);
  return { cuts, refused };
}

function recordedPlaces({ recorded }: Session, reader: Reader): readonly SurveyedCut[] {
  return recorded.flatMap((one): readonly SurveyedCut[] => {
    const place = { share: 1, prefix: one.prefix, rest: one.rest };
    if (reader.size(one.prefix) < EVALUATION_CUTS.floorTokens) return [];
    const attempt = attemptAt(place, reader, EVALUATION_CUTS);
    return attempt.kind === "cut" ? [{ cut: attempt.cut, recorded: one }] : [];
  });
}

function keyOf({ prefix }: Cut, reader: Reader): string {
  return `${reader.text(prefix.at(-1)!)}${reader.size(prefix)}`;
}

/** The reason that came closest to a cut. */
function refusalOf(refused: readonly Refusal[]): string {
  const most = (by: Refusal["by"]): number | undefined => {
    const found = refused.filter((one) => one.by === by).map((one) => one.found);
    return found.length === 0 ? undefined : found.reduce((largest, one) => Math.max(largest, one), -Infinity);
  };
  const { floorTokens, repliesMin, demandMin } = EVALUATION_CUTS;
  const [demand, replies, tokens] = [most("demand"), most("replies"), most("tokens")];
  if (demand !== undefined)
    return `too little demand: ${demand} identifiers are used again after a cut, ${demandMin} are needed`;
  if (replies !== undefined) return `too short after a cut: ${replies} replies, ${repliesMin} are needed`;
  const [found, needed] = [tokens ?? 0, floorTokens].map((count) => count.toLocaleString("en-US"));
  return `too small: ${found} tokens between compactions, ${needed} are needed`;
}
