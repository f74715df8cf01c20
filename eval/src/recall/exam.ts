/**
 * Marks a compacted context: which demanded identifiers it holds, and which it binds to what they were about.
 * A window counts as verbatim when the original shows the same characters around one of its own occurrences.
 */
import { callsOf, tokensOf, wordsOf, type ChatMessage } from "./future-use.ts";
import type { Cut, Demand } from "./cuts.ts";
import type { Reader } from "./reader.ts";

/** Counts over the identifiers demanded; `kept` and `total` in tokens. */
export interface Score {
  readonly need: number;
  readonly held: number;
  /** Those that the whole prefix binds: what `bound` is a share of. */
  readonly bindable: number;
  readonly bound: number;
  /** Bound, or bound in what a recall id of the context leads to. */
  readonly recallable: number;
  readonly unaided: number;
  readonly unaidedBound: number;
  readonly kept: number;
  readonly total: number;
}

export interface Exam {
  readonly demand: Demand;
  readonly total: number;
  /** `recallable`: what the recall ids in it lead to. */
  readonly score: (kept: string, recallable?: () => string) => Score;
  /** Whether the kept text binds one identifier. */
  readonly binds: (id: string, kept: string) => boolean;
  /** Those that the whole prefix binds. */
  readonly bindable: readonly string[];
}

const WINDOW_CHARS_MIN = 40;
const WINDOW_CHARS_BEYOND_ID = 24;
const WINDOW_STEP_CHARS = 4;
const TOOL_NAME_WITHIN_CHARS = 120;
const PLAIN_WORDS_MIN = 2;

export function createExam(cut: Cut, reader: Reader): Exam {
  const { prefix, demand } = cut;
  const original = flattened(prefix.map(reader.text).join("\n"));
  const tools = toolsOf(prefix, demand, reader);
  const places = new Map(Array.from(demand.keys(), (id) => [id, occurrencesOf(id, original)]));
  const binds = (id: string, kept: string): boolean =>
    wholeOccurrencesOf(id, kept).some(
      (at) =>
        nearTool(kept, id, at, tools.get(id)) || inWindow(kept, id, at, { text: original, places: places.get(id)! }),
    );
  const bindable = [...demand.keys()].filter((id) => binds(id, original));
  const total = reader.size(prefix);
  const score = (text: string, recallable = (): string => ""): Score => {
    const kept = flattened(text);
    const bound = bindable.filter((id) => binds(id, kept));
    const gone = bindable.filter((id) => !bound.includes(id));
    const behind = gone.length === 0 ? "" : flattened(recallable());
    const unaided = (ids: readonly string[]): number => ids.filter((id) => demand.get(id)).length;
    return {
      need: demand.size,
      held: [...demand.keys()].filter((id) => wholeOccurrencesOf(id, kept).length > 0).length,
      bindable: bindable.length,
      bound: bound.length,
      recallable: bound.length + gone.filter((id) => binds(id, behind)).length,
      unaided: unaided(bindable),
      unaidedBound: unaided(bound),
      kept: tokensOf(kept),
      total,
    };
  };
  return { demand, total, score, bindable, binds: (id, kept) => binds(id, flattened(kept)) };
}

/** One unit a code point, so that offsets and lengths are those of the definition. */
function flattened(text: string): string {
  return text.replace(/[\ud800-\udbff][\udc00-\udfff]/g, "\ue000");
}

/** The tools that were given or returned each identifier. */
function toolsOf(prefix: readonly ChatMessage[], demand: Demand, reader: Reader): Map<string, Set<string>> {
  const names = new Map<string, string>();
  const tools = new Map<string, Set<string>>();
  const add = (id: string, name: string): void => void (tools.get(id) ?? tools.set(id, new Set()).get(id)!).add(name);
  for (const message of prefix) {
    const wanted = [...reader.identifiers(message)].filter((id) => demand.has(id));
    for (const call of callsOf(message)) {
      names.set(call.id, call.function.name);
      for (const id of wanted) add(id, call.function.name);
    }
    if (message.role === "tool") for (const id of wanted) add(id, names.get(message.tool_call_id ?? "") ?? "");
  }
  return tools;
}

function nearTool(kept: string, id: string, at: number, tools: ReadonlySet<string> | undefined): boolean {
  if (!id.includes("/") || tools === undefined) return false;
  const near = kept.slice(Math.max(0, at - TOOL_NAME_WITHIN_CHARS), at + id.length + TOOL_NAME_WITHIN_CHARS);
  return [...tools].some((name) => name !== "" && wordAt(near, name));
}

/** Whether the name is in the text between two word borders. */
function wordAt(text: string, name: string): boolean {
  const border = (at: number): boolean => isWord(text[at - 1]) !== isWord(text[at]);
  return occurrencesOf(name, text).some((at) => border(at) && border(at + name.length));
}

interface Original {
  readonly text: string;
  /** Where the identifier is in it. */
  readonly places: readonly number[];
}

function inWindow(kept: string, id: string, at: number, original: Original): boolean {
  const width = Math.max(WINDOW_CHARS_MIN, id.length + WINDOW_CHARS_BEYOND_ID);
  for (let start = Math.max(0, at + id.length - width); start <= at; start += WINDOW_STEP_CHARS) {
    const window = kept.slice(start, start + width);
    if (window.length < width) break;
    const verbatim = original.places.some(
      (place) => original.text.startsWith(window, place - (at - start)) && place >= at - start,
    );
    if (verbatim && wordsOf(window.replaceAll(id, " ")).size >= PLAIN_WORDS_MIN) return true;
  }
  return false;
}

function occurrencesOf(part: string, text: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) found.push(at);
  return found;
}

/** Where an identifier occurs as a whole word. */
function wholeOccurrencesOf(id: string, text: string): number[] {
  const [opens, closes] = [isWord(id[0]), isWord(id.at(-1))];
  const whole = (at: number): boolean => !(opens && isWord(text[at - 1])) && !(closes && isWord(text[at + id.length]));
  return occurrencesOf(id, text).filter(whole);
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_]/u.test(character);
}
