/**
 * From session files to cases: sessions are tried in an order drawn from the seed, and cut where enough of a real
 * continuation is left that asks for what comes before the cut.
 */
import { hash } from "node:crypto";
import { basename } from "node:path";
import type { Message, Transcript } from "../../../src/core/transcript/message.ts";
import { sessionAt } from "../measure/session.ts";
import type { Source } from "../measure/sources.ts";
import { createDraw } from "../../../provider/src/random.ts";
import { asMessage } from "../recall/conversation.ts";
import { attemptsOf, refusalOf, type Cut, type CutOptions } from "../recall/cuts.ts";
import type { ChatMessage } from "../recall/future-use.ts";
import { createReader } from "../recall/reader.ts";
import { CASES_MAX, type Case } from "./plan.ts";
import type { RenderContext } from "./render.ts";

/** A tenth of less is no context that anyone would work from. */
const PREFIX_TOKENS_MIN = 4_000;
/** Later cuts first: they leave more to remember. Five details are asked for, so as many have to come up again. */
const EXAM_CUTS: CutOptions = { shares: [0.6, 0.4], floorTokens: PREFIX_TOKENS_MIN, repliesMin: 5, demandMin: 5 };
/** Of what happened next, the question writer sees that much. */
const CONTINUATION_TOKENS_MAX = 30_000;
const NAME_CHARS_MAX = 40;

export interface CaseRequest {
  readonly sources: readonly Source[];
  readonly cases: number;
  readonly seed: number;
  readonly context: RenderContext;
  /** What the model that writes the questions can read of one session. */
  readonly tokensMax: number;
}

export interface ChosenCases {
  readonly cases: readonly Case[];
  /** Sessions that were tried and not used, with the reason. */
  readonly refused: readonly { readonly file: string; readonly because: string }[];
}

/** One case a session, then further ones of the same sessions; the same cut of two files counts once. */
export function chooseCases(request: CaseRequest): ChosenCases {
  const found: Case[][] = [];
  const refused: { file: string; because: string }[] = [];
  const seen = new Set<string>();
  for (const source of shuffled(request.sources, createDraw(request.seed))) {
    if (found.length >= Math.min(request.cases, CASES_MAX)) break;
    const cut = casesOf(source, request);
    if (typeof cut === "string") refused.push({ file: source.name, because: cut });
    else {
      const fresh = cut.filter(({ key }) => !seen.has(key) && seen.add(key));
      if (fresh.length > 0) found.push(fresh);
    }
  }
  const rounds = found.reduce((most, { length }) => Math.max(most, length), 0);
  const inTurn = Array.from({ length: rounds }, (_, round) =>
    found.flatMap((own) => own.slice(round, round + 1)),
  ).flat();
  const cases = inTurn.slice(0, request.cases).map((one, at) => ({ ...one, name: `${numbered(at + 1)}-${one.name}` }));
  return { cases, refused };
}

function numbered(number: number): string {
  return String(number).padStart(2, "0");
}

/** The cases of one session, or why it has none. */
function casesOf(source: Source, { context, tokensMax }: CaseRequest): readonly Case[] | string {
  const session = sessionAt(source);
  if (typeof session === "string") return session;
  const attempts = [...attemptsOf(session.messages, createReader(), EXAM_CUTS)];
  const cuts = attempts.flatMap((attempt) => (attempt.kind === "cut" ? [attempt.cut] : []));
  const cases = cuts.map((cut) => caseOf(source, cut, context));
  const large = cases.filter(({ prefixTokens }) => prefixTokens >= PREFIX_TOKENS_MIN);
  const fitting = large.filter((one) => one.prefixTokens + context.measure.messages(one.rest) <= tokensMax);
  if (fitting.length > 0) return fitting;
  if (large.length > 0) return `does not fit the ${tokensMax} tokens that the model can read`;
  return cases.length > 0 ? `fewer than ${PREFIX_TOKENS_MIN} tokens before a cut` : refusalOf(attempts, EXAM_CUTS);
}

function caseOf(source: Source, { prefix, rest }: Cut, { measure }: RenderContext): Case {
  const transcript = transcriptOf(prefix);
  const next = continuationOf(rest.map(asMessage), measure);
  return {
    name: basename(source.name)
      .replace(/\.jsonl?$/, "")
      .replaceAll(/[^\w.-]+/g, "-")
      .slice(0, NAME_CHARS_MAX),
    file: source.name,
    key: hash("sha256", JSON.stringify([transcript, next])),
    prefix: transcript,
    prefixTokens: measure.transcript(transcript),
    rest: next,
  };
}

/** Messages of the chat form, with what opens them as the system prompt. */
function transcriptOf(chat: readonly ChatMessage[]): Transcript {
  const messages = chat.map(asMessage);
  const first = messages.findIndex(({ role }) => role !== "system");
  const at = first < 0 ? messages.length : first;
  return { system: messages.slice(0, at), messages: messages.slice(at) };
}

function continuationOf(rest: readonly Message[], measure: RenderContext["measure"]): readonly Message[] {
  let tokens = 0;
  const end = rest.findIndex((message) => (tokens += measure.message(message)) > CONTINUATION_TOKENS_MAX);
  return end < 0 ? rest : rest.slice(0, end);
}

/** In an order drawn with `random`. */
export function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
