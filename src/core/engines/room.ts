/**
 * What a window leaves for a conversation beside its fixed part (system prompt and tools), and the moments that follow
 * from that: from where on it is compacted, how small a compaction makes it, and how much one has to be worth.
 */
import type { WindowSettings } from "./settings.ts";

/** All figures in tokens. */
export interface Room {
  /** System prompt and tools, which no compaction makes smaller. */
  readonly fixedTokens: number;
  /** The window less what is reserved for the answer: a larger request is refused. */
  readonly usableTokens: number;
  /** No request should be larger: what is above is for what estimates miss. */
  readonly limitTokens: number;
  /** A conversation whose provider has counted it may wait up to here for its price. */
  readonly latestTokens: number;
}

/** No more than this share of the window is reserved for an answer, whatever a request asks for. */
const RESERVE_WINDOW_SHARE_MAX = 0.5;
/** The share of the window that Hermes' hygiene layer leaves to a conversation (Hermes Agent docs). */
export const LIMIT_USABLE_SHARE = 0.85;
const LATEST_USABLE_SHARE = 0.95;
/** Of the room between fixed part and limit, what is used before the first compaction. */
const TRIGGER_ROOM_SHARE = 0.5;
/** Of the same room, what a compaction frees. */
const STEP_ROOM_SHARE = 0.2;
/** Where the fixed part leaves next to no room below the limit, what is above it is used before anything is compacted. */
const STEP_USABLE_SHARE_MIN = 0.05;
/** Of the room between fixed part and trigger, what a result may fill: the rest is for new work. */
const RESULT_ROOM_SHARE = 0.6;

export function roomIn({ contextLength, maxOutputTokens }: WindowSettings, fixedTokens = 0): Room {
  const reserved = Math.min(maxOutputTokens, Math.floor(contextLength * RESERVE_WINDOW_SHARE_MAX));
  const usableTokens = Math.max(1, contextLength - reserved);
  const limitTokens = Math.max(1, Math.floor(LIMIT_USABLE_SHARE * usableTokens));
  const latestTokens = Math.max(1, Math.floor(LATEST_USABLE_SHARE * usableTokens));
  return { fixedTokens, usableTokens, limitTokens, latestTokens };
}

/** What a person set for a session, in tokens, and never above the limit; undefined where nobody set anything. */
function thresholdSet(
  { contextLength, sessionThreshold: set }: WindowSettings,
  { limitTokens }: Room,
): number | undefined {
  if (set === undefined) return undefined;
  return Math.floor(Math.min("share" in set ? set.share * contextLength : set.tokens, limitTokens));
}

/**
 * The moment that an engine's documents name, beside a fixed part: at least half of the room beside that is used, or as much
 * of it as that moment has used in a window without one. A large fixed part makes compactions later, not frequent.
 */
export function triggerIn(room: Room, documentedTokens: number, latestTokens = room.limitTokens): number {
  const { fixedTokens, limitTokens } = room;
  const share = Math.min(TRIGGER_ROOM_SHARE, documentedTokens / limitTokens);
  const least = fixedTokens + share * (limitTokens - fixedTokens);
  return Math.floor(Math.min(Math.max(documentedTokens, least), latestTokens));
}

/** What a compaction has to free, and by how much a conversation grows before the next one. */
export function stepIn(room: Room, triggerTokens: number): number {
  const { fixedTokens, usableTokens, limitTokens } = room;
  const free = limitTokens - fixedTokens;
  const step = Math.max(STEP_ROOM_SHARE * free, STEP_USABLE_SHARE_MIN * usableTokens);
  // Who has it compact earlier than half-way wants smaller steps, too.
  const isEarly = free > 0 && triggerTokens < Math.floor(fixedTokens + free * TRIGGER_ROOM_SHARE);
  const most = isEarly ? (1 - RESULT_ROOM_SHARE) * (triggerTokens - fixedTokens) : step;
  return Math.max(1, Math.floor(Math.min(step, most)));
}

/**
 * The most that a result may weigh for the conversation to grow by a step before the trigger is reached again; where there is
 * next to no room below the limit, before the window is full again.
 */
export function resultTokensMax(room: Room, triggerTokens: number): number {
  const { fixedTokens, usableTokens, limitTokens } = room;
  const isNarrow = STEP_ROOM_SHARE * (limitTokens - fixedTokens) < STEP_USABLE_SHARE_MIN * usableTokens;
  const until = isNarrow ? fixedTokens + (usableTokens - fixedTokens) * TRIGGER_ROOM_SHARE : triggerTokens;
  const share = fixedTokens + Math.floor(RESULT_ROOM_SHARE * (until - fixedTokens));
  return Math.max(triggerTokens - stepIn(room, triggerTokens), share);
}

/** A room with the moments that one engine has in it. */
export interface Moments {
  readonly room: Room;
  /** A person's own threshold, else the engine's. */
  readonly triggerTokens: number;
  readonly mostTokens: number;
  /** What is between the fixed part and the trigger. */
  readonly besideTokens: number;
}

export function momentsIn(settings: WindowSettings, fixedTokens: number, ownTrigger: (room: Room) => number): Moments {
  const room = roomIn(settings, fixedTokens);
  const triggerTokens = thresholdSet(settings, room) ?? ownTrigger(room);
  const besideTokens = Math.max(0, triggerTokens - fixedTokens);
  return { room, triggerTokens, mostTokens: resultTokensMax(room, triggerTokens), besideTokens };
}

/** The figures of the default engine (Zhang 2026), so that engines differ by their policy and not by this. */
const HANDOFF_WINDOW_SHARE = 0.05;
const HANDOFF_TOKENS_MAX = 12_000;

/** The most that a handoff weighs in a window, where the sources of an engine say nothing of it. */
export function handoffTokensMax(contextLength: number, fixedTokens: number): number {
  const beside = Math.max(0, contextLength - fixedTokens);
  return Math.floor(Math.min(beside * HANDOFF_WINDOW_SHARE, HANDOFF_TOKENS_MAX));
}

/** A figure that follows from the settings of an engine, for a person who wants to know what will happen. */
export interface Figure {
  /** Short and in snake case; `threshold` where it says from when on the engine compacts. */
  readonly name: string;
  readonly tokens: number;
  readonly meaning: string;
  /** The engine's own settings that it follows from, beside the window. */
  readonly from: readonly string[];
}
