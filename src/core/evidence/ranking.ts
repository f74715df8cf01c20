/**
 * How likely the continuation asks for an identifier: a logistic model over a dozen plain facts about where it stands.
 * The one that tells most is company: a name that shares its message with few others was meant.
 */
import type { Message } from "../transcript/message.ts";
import { liveRequestOf } from "./facts/live-request.ts";
import { RARE_MESSAGES_MAX, type Entry, type Standing, type Tally } from "./tally.ts";
import { FEATURES, type Weights } from "./features.ts";
import { WEIGHTS } from "./weights.ts";
import { createWordBag, type WordBag } from "./words.ts";

/** What the features are read against: the conversation as it stands. */
export interface Scene {
  readonly tally: Tally;
  readonly request: WordBag;
  readonly replies: WordBag;
  /** Index of an entry → whether it shows a file that was edited or written. */
  readonly ofEditedFile: readonly boolean[];
}

const REPLIES_MESSAGES = 12;
const REPLY_CHARS_MAX = 8_000;
const REQUEST_CHARS_MAX = 4_000;
/** Added to the number of identifiers in a message, so that one alone in a message does not outweigh all else. */
const COMPANY_OFFSET = 2;
const COMPANY_LEAST = 1e-3;
const RECENCY_MESSAGES = 15;

export function sceneOf(messages: readonly Message[], tally: Tally, focus: readonly string[] = []): Scene {
  const request = createWordBag();
  const live = tally.entries[liveRequestOf(messages)];
  request.add(live?.reading.text.slice(0, REQUEST_CHARS_MAX) ?? "");
  for (const word of focus) request.add(word);
  const replies = createWordBag();
  for (const { message, reading } of tally.entries.slice(-REPLIES_MESSAGES))
    if (message.role === "assistant") replies.add(reading.text.slice(0, REPLY_CHARS_MAX));
  return { tally, request, replies, ofEditedFile: editedFlags(tally.entries) };
}

function editedFlags(entries: readonly Entry[]): boolean[] {
  const edited = new Set<string>();
  for (const { reading } of entries)
    for (const { action, paths } of reading.calls)
      if (action === "edit" || action === "write") for (const path of paths) edited.add(nameOf(path));
  return entries.map(({ call }) => call !== undefined && call.paths.some((path) => edited.has(nameOf(path))));
}

/** The last two components: one file is named in full here and relatively there. */
function nameOf(path: string): string {
  const parent = path.lastIndexOf("/", path.lastIndexOf("/") - 1);
  return path.slice(parent + 1);
}

/** Whether the ranking has a say: names that are everywhere need no help to be kept. */
export function isRare({ messages }: Standing): boolean {
  return messages <= RARE_MESSAGES_MAX;
}

/** The features of an identifier, into a row that is reused. */
export function featuresOf(standing: Standing, scene: Scene, row: number[]): readonly number[] {
  const { entries } = scene.tally;
  const { places } = standing;
  let [company, recent, neighbours, pointed, quoted, results, edited] = [0, 0, 99, 0, 0, 0, 0];
  for (let at = 0; at < places.length; at += 2) {
    const index = places[at]!;
    const local = places[at + 1]!;
    const { reading, message } = entries[index]!;
    const share = 1 / (reading.first.length + COMPANY_OFFSET);
    company += share;
    recent += share * Math.exp((index + 1 - entries.length) / RECENCY_MESSAGES);
    if (reading.neighbours[local]! < neighbours) neighbours = reading.neighbours[local]!;
    pointed += reading.pointed[local]!;
    quoted |= reading.quoted[local]!;
    if (message.role === "tool") results++;
    if (scene.ofEditedFile[index]!) edited++;
  }
  row[0] = Math.log(company + COMPANY_LEAST);
  row[1] = Math.log(recent + COMPANY_LEAST);
  row[2] = Math.log1p(standing.mentions);
  row[3] = Math.log1p(neighbours);
  row[4] = standing.kind === "path" ? 1 : 0;
  row[5] = entries[places[0]!]!.message.role === "assistant" ? 1 : 0;
  row[6] = pointed;
  row[7] = quoted;
  row[8] = results;
  row[9] = edited;
  row[10] = overlap(standing.words, scene.request);
  row[11] = overlap(standing.words, scene.replies);
  return row;
}

function overlap(words: readonly number[], bag: WordBag): number {
  let sum = 0;
  for (const word of words) sum += Math.log1p(bag.count(word));
  return words.length === 0 ? 0 : sum / words.length;
}

/** Probability for each identifier of the tally, by its number; 0 for those that are everywhere. */
export function probabilities(scene: Scene, weights: Weights = WEIGHTS): Float64Array {
  const { standings } = scene.tally;
  const list = FEATURES.map((feature) => weights[feature]);
  const row: number[] = [];
  const scores = new Float64Array(standings.length);
  for (let at = 0; at < standings.length; at++) {
    const standing = standings[at]!;
    if (!isRare(standing)) continue;
    const features = featuresOf(standing, scene, row);
    let logit = weights.bias;
    for (let one = 0; one < list.length; one++) logit += list[one]! * features[one]!;
    scores[at] = 1 / (1 + Math.exp(-logit));
  }
  return scores;
}
