/** The baselines of the measure: what anyone gets without a handoff, at the same budget. */
import { identifiersOf, tokensOf, wordsOf, type ChatMessage } from "./future-use.ts";
import type { Reader } from "./reader.ts";

export type Baseline = "tail" | "cover";
export const BASELINES: readonly Baseline[] = ["tail", "cover"];

interface Frame {
  readonly prefix: readonly ChatMessage[];
  readonly reader: Reader;
  /** Tokens in all. */
  readonly room: number;
  /** Index of the first message of the verbatim tail, and what that tail weighs. */
  readonly from: number;
  readonly spent: number;
}

/** The context that a baseline keeps of a prefix; `budget` is a share of its tokens. */
export function baselineOf(
  kind: Baseline,
  prefix: readonly ChatMessage[],
  { budget, reader }: { readonly budget: number; readonly reader: Reader },
): string {
  const room = Math.floor(budget * reader.size(prefix));
  const { from, spent } = tailOf(prefix, kind === "tail" ? room : Math.floor(room / 2), reader);
  const frame: Frame = { prefix, reader, room, from, spent };
  const tail = prefix.slice(from).map(reader.text);
  if (kind === "cover") return [...cover(frame), ...tail].join("\n");
  return `${from > 0 ? `${reader.text(prefix[from - 1]!).slice(-4 * (room - spent))}\n` : ""}${tail.join("\n")}`;
}

function tailOf(prefix: readonly ChatMessage[], room: number, reader: Reader): { from: number; spent: number } {
  let [from, spent] = [prefix.length, 0];
  while (from > 0 && spent + reader.tokens(prefix[from - 1]!) <= room) spent += reader.tokens(prefix[--from]!);
  return { from, spent };
}

function byCodePoint(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const LINE_CHARS_MAX = 4_000;
const SEGMENT_STEP_CHARS = 200;
const SEGMENT_CHARS = 220;

interface Segment {
  readonly at: number;
  readonly text: string;
  readonly ids: readonly string[];
}

function cover(frame: Frame): string[] {
  const segments = segmentsOf(frame);
  const weight = weightsOf(frame);
  const got = new Set<string>();
  const worth = (segment: Segment): number => {
    let sum = 0;
    for (const id of segment.ids) if (!got.has(id)) sum += weight.get(id)!;
    return sum / (tokensOf(segment.text) + 1);
  };
  const queue = segments.map((segment) => ({ segment, worth: worth(segment) }));
  let sum = frame.spent;
  const chosen: Segment[] = [];
  const order = (a: { segment: Segment; worth: number }, b: { segment: Segment; worth: number }): number =>
    b.worth - a.worth || a.segment.at - b.segment.at;
  queue.sort(order);
  for (let best = queue.shift(); best !== undefined; best = queue.shift()) {
    const now = worth(best.segment);
    const cost = tokensOf(best.segment.text) + 1;
    if (now === 0 || sum + cost > frame.room) continue;
    if (now < best.worth - 1e-9) {
      insert(queue, { segment: best.segment, worth: now }, order);
      continue;
    }
    sum += cost;
    for (const id of best.segment.ids) got.add(id);
    chosen.push(best.segment);
  }
  return chosen.sort((a, b) => a.at - b.at || byCodePoint(a.text, b.text)).map((segment) => segment.text);
}

function insert<Item>(sorted: Item[], item: Item, order: (a: Item, b: Item) => number): void {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (order(sorted[middle]!, item) <= 0) low = middle + 1;
    else high = middle;
  }
  sorted.splice(low, 0, item);
}

function segmentsOf({ prefix, reader, from }: Frame): Segment[] {
  const segments: Segment[] = [];
  for (const message of prefix.slice(0, from)) {
    const inMessage = reader.identifiers(message);
    for (const raw of reader.text(message).split("\n")) {
      const line = raw.trim();
      for (let start = 0; start < Math.min(line.length, LINE_CHARS_MAX); start += SEGMENT_STEP_CHARS) {
        const text = line.slice(start, start + SEGMENT_CHARS);
        const ids = [...identifiersOf(text)].filter((id) => inMessage.has(id));
        if (ids.length > 0 && wordsOf(text).size >= 2) segments.push({ at: segments.length, text, ids });
      }
    }
  }
  return segments;
}

function count(counts: Map<string, number>, id: string): void {
  counts.set(id, (counts.get(id) ?? 0) + 1);
}

function weightsOf({ prefix, reader, from }: Frame): Map<string, number> {
  const [frequency, last, pointed, asked] = [
    new Map<string, number>(),
    new Map<string, number>(),
    new Map<string, number>(),
    new Map<string, number>(),
  ];
  prefix.slice(0, from).forEach((message, at) => {
    for (const id of reader.identifiers(message)) {
      count(frequency, id);
      last.set(id, at);
      if (message.role === "user") count(asked, id);
    }
    if (message.role === "assistant") for (const id of reader.pointed(message)) count(pointed, id);
  });
  const inside = identifiersOf(prefix.slice(from).map(reader.text).join("\n"));
  const byFrequency = [0, 1, 1.6, 2];
  const weigh = (id: string, df: number): number => {
    if (df > 5) return 0.02;
    const value =
      (1 + 2 * Math.min(3, pointed.get(id) ?? 0)) *
      (1 + 1.5 * Math.min(2, asked.get(id) ?? 0)) *
      (byFrequency[df] ?? 2.2);
    const recency = 0.35 + Math.exp(-(from - last.get(id)!) / Math.max(10, 0.35 * from));
    return value * recency * (id.includes("/") ? 1.5 : 1) * (inside.has(id) ? 0.05 : 1);
  };
  return new Map(Array.from(frequency, ([id, df]) => [id, weigh(id, df)]));
}
