/**
 * How likely the continuation asks for an identifier: a logistic model over ten plain facts about where it stands.
 * Company tells most: a name that shares its message with few others was meant. How long ago it was named is not among
 * them: with recency the ranking does worse on repositories that it has not seen.
 */
import type { Message } from "../transcript/message.ts";
import { liveRequestOf } from "./facts/live-request.ts";
import { RARE_MESSAGES_MAX, type Entry, type Standing, type Tally } from "./tally.ts";
import { FEATURES, type Fixed, type Weights } from "./features.ts";
import { WEIGHTS } from "./weights.ts";
import { createWordBag, type WordBag } from "./words.ts";

/** What the features are read against: the conversation as it stands. */
export interface Scene {
  readonly tally: Tally;
  readonly request: WordBag;
  readonly replies: WordBag;
  /** Index of an entry → whether it shows a file that was edited or written. */
  readonly ofEditedFile: readonly boolean[];
  /** How many files were: what was worked out with another number of them is stale. */
  readonly editedFiles: number;
}

const REPLIES_MESSAGES = 12;
const REPLY_CHARS_MAX = 8_000;
const REQUEST_CHARS_MAX = 4_000;
/** Added to the number of identifiers in a message, so that one alone in a message does not outweigh all else. */
const COMPANY_OFFSET = 2;
const COMPANY_LEAST = 1e-3;
const REQUEST = FEATURES.indexOf("wordsOfRequest");
const REPLIES = FEATURES.indexOf("wordsOfRecentReplies");

export function sceneOf(messages: readonly Message[], tally: Tally, focus: readonly string[] = []): Scene {
  const request = createWordBag();
  const live = tally.entries[liveRequestOf(messages)];
  request.add(live?.reading.text.slice(0, REQUEST_CHARS_MAX) ?? "");
  for (const word of focus) request.add(word);
  const replies = createWordBag();
  for (const { message, reading } of tally.entries.slice(-REPLIES_MESSAGES))
    if (message.role === "assistant") replies.add(reading.text.slice(0, REPLY_CHARS_MAX));
  const edited = editedBy(tally.entries);
  const ofEditedFile = tally.entries.map(({ call }) => call?.paths.some((path) => edited.has(nameOf(path))) ?? false);
  return { tally, request, replies, ofEditedFile, editedFiles: edited.size };
}

function editedBy(entries: readonly Entry[]): ReadonlySet<string> {
  const edited = new Set<string>();
  for (const { reading } of entries)
    for (const { action, paths } of reading.calls)
      if (action === "edit" || action === "write") for (const path of paths) edited.add(nameOf(path));
  return edited;
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

/** The features of an identifier; the row is overwritten by the next call for it. */
export function featuresOf(standing: Standing, scene: Scene): readonly number[] {
  let { fixed } = standing;
  const stale = fixed === undefined || fixed.messages !== standing.messages || fixed.editedFiles !== scene.editedFiles;
  if (stale) standing.fixed = fixed = fixedOf(standing, scene);
  const { row } = fixed!;
  row[REQUEST] = overlap(standing.words, scene.request);
  row[REPLIES] = overlap(standing.words, scene.replies);
  return row;
}

function fixedOf(standing: Standing, { tally, ofEditedFile, editedFiles }: Scene): Fixed {
  const { entries } = tally;
  const { places, messages } = standing;
  let [company, neighbours, pointed, quoted, results, edited] = [0, Infinity, 0, 0, 0, 0];
  for (let place = 0; place < places.length; place += 2) {
    const index = places[place]!;
    const local = places[place + 1]!;
    const { reading, message } = entries[index]!;
    company += 1 / (reading.first.length + COMPANY_OFFSET);
    if (reading.neighbours[local]! < neighbours) neighbours = reading.neighbours[local]!;
    pointed += reading.pointed[local]!;
    quoted |= reading.quoted[local]!;
    if (message.role === "tool") results++;
    if (ofEditedFile[index]!) edited++;
  }
  const row = [Math.log(company + COMPANY_LEAST), Math.log1p(neighbours)];
  row.push(standing.kind === "path" ? 1 : 0, entries[places[0]!]!.message.role === "assistant" ? 1 : 0);
  row.push(pointed, quoted, results, edited, 0, 0);
  return { messages, editedFiles, row };
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
  const scores = new Float64Array(standings.length);
  for (let at = 0; at < standings.length; at++) {
    const standing = standings[at]!;
    if (!isRare(standing)) continue;
    const features = featuresOf(standing, scene);
    let logit = weights.bias;
    for (let one = 0; one < list.length; one++) logit += list[one]! * features[one]!;
    scores[at] = 1 / (1 + Math.exp(-logit));
  }
  return scores;
}
