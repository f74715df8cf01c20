/**
 * How often recall finds all that a question about a long conversation needs, on LoCoMo (Maharana et al., ACL 2024): ten
 * dialogues, each kept as one removed span. Its licence (CC BY-NC 4.0) lets it be measured, not shipped: the file is the reader's own.
 */
import { textMessage } from "../../../src/core/transcript/message.ts";
import { createRedactor } from "../../../src/core/redaction/redactor.ts";
import { estimateText } from "../../../src/core/transcript/estimate.ts";
import { PrecisError } from "../../../src/core/errors.ts";
import { RECALL_LIMITS } from "../../../src/gateway/recall/tool.ts";
import { fieldsOf, isFields, listOf, textOf } from "../../../src/protocols/fields.ts";
import { recall } from "../../../src/session/recall/search.ts";
import { answerRecallCall } from "../../../src/session/recall/answer.ts";
import { createMemoryStore } from "../../../src/store/memory.ts";
import type { Store } from "../../../src/store/store.ts";

/** The categories of the data set by their number; the fifth has no answer in the dialogue. */
const CATEGORIES: ReadonlyMap<unknown, string> = new Map([
  [4, "single-hop"],
  [2, "temporal"],
  [1, "multi-hop"],
  [3, "open-domain"],
]);

interface Turn {
  readonly id: string;
  readonly speaker: string;
  readonly text: string;
}

interface Question {
  readonly words: string;
  readonly category: string;
  /** The texts of the turns that hold its answer. */
  readonly evidence: readonly string[];
}

interface Dialogue {
  readonly turns: readonly Turn[];
  readonly questions: readonly Question[];
}

/** How a question is answered within that many characters. */
interface Way {
  readonly name: string;
  readonly charsMax?: number;
  readonly answer: (dialogue: StoredDialogue, question: string) => Promise<string>;
}

interface StoredDialogue {
  readonly dialogue: Dialogue;
  readonly store: Store;
}

export interface LocomoRow {
  readonly way: string;
  /** Absent where tokens are the bound. */
  readonly charsMax?: number;
  /** On average. */
  readonly chars: number;
  /** By category: questions of which every turn of the evidence is in the answer, word for word. */
  readonly found: Readonly<Record<string, { readonly held: number; readonly of: number }>>;
}

const TENANT = "locomo";
const SPAN_ID = "rabcdef0123456789";
/** What the model's tool had in the release before, what textbook figures are given for, and what the tool may use. */
const ROOMS_CHARS = [1_500, 8_000] as const;
/** More places than any room holds. */
const PLACES_MAX = 200;
const TOOL_TOKENS_UNBOUNDED = 20_000;

/** @throws PrecisError `bad_locomo` for a file of another shape. */
export async function measureLocomo(json: string): Promise<readonly LocomoRow[]> {
  const dialogues = await Promise.all(dialoguesIn(json).map(stored));
  const rows: LocomoRow[] = [];
  for (const way of waysToAnswer()) rows.push(await measureWay(way, dialogues));
  return rows;
}

function waysToAnswer(): readonly Way[] {
  const within = ROOMS_CHARS.flatMap((charsMax): readonly Way[] => [
    {
      name: "recall(words)",
      charsMax,
      answer: async ({ store }, question) => {
        const hits = await recall(store, TENANT, question, { limit: PLACES_MAX });
        return fill(
          hits.map(({ text }) => text),
          charsMax,
        );
      },
    },
    {
      name: "precis_recall",
      charsMax,
      answer: async (dialogue, question) =>
        fill((await askTool(dialogue, question, TOOL_TOKENS_UNBOUNDED)).split(/(?=^── )/m), charsMax),
    },
  ]);
  const { callTokens } = RECALL_LIMITS;
  const name = `precis_recall, all of its ${callTokens} tokens`;
  return [...within, { name, answer: (dialogue, question) => askTool(dialogue, question, callTokens) }];
}

/** Whole places, in their order, as far as they fit. */
function fill(places: readonly string[], charsMax: number): string {
  let text = "";
  for (const place of places) {
    if (text.length + place.length + 1 > charsMax) break;
    text += `${place}\n`;
  }
  return text;
}

async function askTool({ store }: StoredDialogue, question: string, tokensMax: number): Promise<string> {
  const source = {
    original: (id: string) => store.getOriginal(TENANT, id),
    ids: [SPAN_ID],
    redact: createRedactor({}),
    limits: RECALL_LIMITS,
  };
  const { text } = await answerRecallCall(source, JSON.stringify({ query: question }), tokensMax);
  if (estimateText(text) > tokensMax) throw new Error("The tool answered with more than it may.");
  return text;
}

async function stored(dialogue: Dialogue): Promise<StoredDialogue> {
  const store = createMemoryStore();
  const [first] = dialogue.turns;
  const messages = dialogue.turns.map(({ speaker, text }) =>
    textMessage(speaker === first?.speaker ? "user" : "assistant", text),
  );
  const text = messages.map((message) => JSON.stringify(message)).join("\n");
  await store.putOriginals(TENANT, [{ id: SPAN_ID, kind: "span", label: `messages 1 to ${messages.length}`, text }]);
  return { dialogue, store };
}

async function measureWay(way: Way, dialogues: readonly StoredDialogue[]): Promise<LocomoRow> {
  const found: Record<string, { held: number; of: number }> = {};
  for (const category of CATEGORIES.values()) found[category] = { held: 0, of: 0 };
  let chars = 0;
  let asked = 0;
  for (const dialogue of dialogues) {
    for (const { words, category, evidence } of dialogue.dialogue.questions) {
      const answer = await way.answer(dialogue, words);
      const count = found[category]!;
      count.of++;
      if (evidence.every((turn) => answer.includes(turn))) count.held++;
      chars += answer.length;
      asked++;
    }
  }
  const bound = way.charsMax === undefined ? {} : { charsMax: way.charsMax };
  return { way: way.name, ...bound, chars: Math.round(chars / Math.max(1, asked)), found };
}

function dialoguesIn(json: string): readonly Dialogue[] {
  const dialogues = listOf(parsedOrThrow(json)).filter(isFields).map(dialogueIn);
  if (dialogues.every(({ questions }) => questions.length === 0)) throw notLocomo();
  return dialogues;
}

function parsedOrThrow(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw notLocomo();
  }
}

function notLocomo(): PrecisError {
  return new PrecisError("The file is not LoCoMo's.", {
    code: "bad_locomo",
    hint: "Pass data/locomo10.json of https://github.com/snap-research/LoCoMo.",
  });
}

function dialogueIn(sample: Readonly<Record<string, unknown>>): Dialogue {
  const conversation = fieldsOf(sample["conversation"]);
  const turns: Turn[] = [];
  for (let session = 1; `session_${session}` in conversation; session++)
    for (const turn of listOf(conversation[`session_${session}`]).map(fieldsOf)) turns.push(turnIn(turn));
  const texts = new Map(turns.map(({ id, text }) => [id, text]));
  const questions = listOf(sample["qa"])
    .map(fieldsOf)
    .flatMap((question) => {
      const category = CATEGORIES.get(question["category"]);
      const evidence = evidenceIds(question["evidence"]).map((id) => texts.get(id));
      if (category === undefined || evidence.length === 0 || evidence.includes(undefined)) return [];
      return [{ words: textOf(question["question"]) ?? "", category, evidence: evidence as readonly string[] }];
    });
  return { turns, questions };
}

function turnIn(turn: Readonly<Record<string, unknown>>): Turn {
  const speaker = textOf(turn["speaker"]) ?? "";
  const shown = textOf(turn["blip_caption"]);
  const text = `${speaker}: ${textOf(turn["text"]) ?? ""}${shown === undefined ? "" : ` [shares ${shown}]`}`;
  return { id: textOf(turn["dia_id"]) ?? "", speaker, text };
}

/** `D1:3`, or several in one text; some are written with zeros. */
function evidenceIds(evidence: unknown): readonly string[] {
  const written = listOf(evidence).flatMap((one) => [...(textOf(one) ?? "").matchAll(/D(\d+):(\d+)/g)]);
  return [...new Set(written.map(([, session, turn]) => `D${Number(session)}:${Number(turn)}`))];
}
