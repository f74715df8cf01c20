/**
 * What of a conversation a result still has, decided by comparing words: a run of words in the order in which the original
 * has them is enough. It knows nothing of how handoffs are written.
 */
import { eventsOf } from "../../src/core/events/events.ts";
import { byPerson, personText } from "../../src/core/events/person.ts";
import type { Message } from "../../src/core/transcript/message.ts";

/** Names of what was kept, each with its kind in front. */
export type Kept = ReadonlySet<string>;

export interface KeptContents {
  readonly keptIn: (result: readonly Message[]) => Kept;
  readonly texts: ReadonlyMap<string, string>;
}

/** So many words in a row are a piece of a text. */
const RUN_WORDS = 5;

/** Reads a conversation once: its requests that say something, its episodes (a request with the work up to the next) and the rules of its project. */
export function createKeptContents(messages: readonly Message[]): KeptContents {
  const wanted = new Map<string, ReadonlySet<string>>();
  const texts = new Map<string, string>();
  const add = (name: string, text: string, runs: ReadonlySet<string>): void => {
    if (runs.size > 0) wanted.set(name, runs);
    texts.set(name, text);
  };
  const episodes: string[][] = [];
  messages.forEach((message, at) => {
    const text = personText(message);
    if (byPerson(message)) episodes.push([]);
    episodes.at(-1)?.push(...textsOf(message));
    if (wordsOf(text).length >= RUN_WORDS) add(`request ${at}`, text, runsOf(text));
  });
  episodes.forEach((said, at) =>
    add(`episode ${at + 1}`, said.join("\n"), new Set(said.flatMap((text) => [...runsOf(text)]))),
  );
  for (const { text, message } of eventsOf(messages).rules) add(`rule ${message} ${text}`, text, runsOf(text));
  return {
    texts,
    keptIn: (result) => {
      const present = new Set(result.flatMap(textsOf).flatMap((text) => [...runsOf(text)]));
      return new Set([...wanted].flatMap(([name, runs]) => ([...runs].some((run) => present.has(run)) ? [name] : [])));
    },
  };
}

function textsOf({ parts }: Message): readonly string[] {
  return parts.flatMap((part) => {
    if (part.kind === "text") return [part.text];
    if (part.kind === "tool-call") return [part.arguments.replaceAll(/\\[ntr"]/g, " ")];
    if (part.kind === "tool-result") return part.content.map((one) => (one.kind === "text" ? one.text : ""));
    return [];
  });
}

/** All runs of words; the whole of a text that is shorter than one. */
function runsOf(text: string): ReadonlySet<string> {
  const words = wordsOf(text.toLowerCase());
  if (words.length === 0) return new Set();
  const last = Math.max(0, words.length - RUN_WORDS);
  return new Set(Array.from({ length: last + 1 }, (_, at) => words.slice(at, at + RUN_WORDS).join(" ")));
}

const SEGMENTER = new Intl.Segmenter("zh", { granularity: "word" });

/** Words also of languages that write them without spaces: five characters of Chinese in a row stand in many texts. */
function wordsOf(text: string): readonly string[] {
  return [...SEGMENTER.segment(text)].flatMap(({ segment, isWordLike }) => (isWordLike === true ? [segment] : []));
}
