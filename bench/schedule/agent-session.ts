/**
 * An agent's session of 120 requests, made from a seed: a person asks now and then, the model calls tools, and their
 * results are of any size, now and then a large one. It grows to a multiple of the room that its window leaves it, so
 * that a session in a small window and one in a large window have the same shape.
 */
import { estimateText } from "../../src/core/transcript/estimate.ts";
import { textMessage, type Message, type Transcript } from "../../src/core/transcript/message.ts";
import { createNames, type Names } from "../traffic/names.ts";
import { build, diff, json, listing, log, search, source, testRun } from "../traffic/outputs.ts";

export const TURNS = 120;
const ASKS_EVERY_TURNS = 10;
const LARGE_EVERY_TURNS = 20;
/** How many times its room a session grows to; less in windows so large that more takes long and shows nothing new. */
const ROOMS = 4;
const ROOMS_LARGE_WINDOW = 1.5;
const LARGE_WINDOW_ROOM_TOKENS = 400_000;
/** Of the whole growth: one of the large results. */
const LARGE_SHARES = [0.04, 0.085] as const;
/** What other results are to their mean: few are long. */
const SIZES = [0.1, 0.3, 0.3, 0.6, 1, 1, 1.6, 3];
const RESULT_TOKENS_MIN = 12;
const PROMPT_TOOLS_SHARE = 0.6;

export interface SessionPlan {
  readonly seed: number;
  /** By our estimate, as all figures here. */
  readonly fixedTokens: number;
  readonly roomTokens: number;
  readonly outputTokens: number;
}

/** One request, and the answer to it. */
export interface Turn {
  readonly request: Transcript;
  readonly answer: Message;
}

export function agentSession({ seed, fixedTokens, roomTokens, outputTokens }: SessionPlan): readonly Turn[] {
  const names = createNames(seed);
  const fixed = fixedPart(names, fixedTokens);
  const growthTokens = roomTokens * (roomTokens > LARGE_WINDOW_ROOM_TOKENS ? ROOMS_LARGE_WINDOW : ROOMS);
  const messages: Message[] = [];
  return Array.from({ length: TURNS }, (_, turn) => {
    if (turn % ASKS_EVERY_TURNS === 0) messages.push(asked(names));
    const request = { ...fixed, messages: [...messages], maxOutputTokens: outputTokens };
    const calls = (turn + 1) % ASKS_EVERY_TURNS === 0 ? [] : callsOf(names, { turn, growthTokens });
    const answer = answerWith(names, calls);
    messages.push(answer, ...calls.map(({ result }) => result));
    return { request, answer };
  });
}

function fixedPart(names: Names, tokens: number): Pick<Transcript, "system" | "tools"> {
  const toolTokens = tokens * PROMPT_TOOLS_SHARE;
  const system = [textMessage("system", `You are a coding agent. ${prose(names, tokens - toolTokens)}`)];
  if (tokens === 0) return { system };
  const input_schema = { type: "object", properties: { input: { type: "string" } } };
  return { system, tools: JSON.stringify([{ name: "bash", description: prose(names, toolTokens), input_schema }]) };
}

const PARAGRAPH_WORDS = 60;

function prose(names: Names, tokens: number): string {
  const paragraphs: string[] = [];
  for (let left = tokens; left > 0; left -= estimateText(paragraphs.at(-1)!))
    paragraphs.push(`${names.sentence(PARAGRAPH_WORDS)}. `);
  return paragraphs.join("");
}

function asked(names: Names): Message {
  const rule = names.pick(["Never change", "Always keep", "You must not rename", "Please leave alone"]);
  const text = `Now ${names.sentence(names.whole(8, 30))} in ${names.path()}. ${rule} \`${names.symbol()}\`, with at most ${names.whole(2, 900)} entries.`;
  return textMessage("user", text);
}

interface Call {
  readonly call: Message["parts"][number];
  readonly result: Message;
}

/** Mostly one; the large results come alone. */
function callsOf(names: Names, grown: { readonly turn: number; readonly growthTokens: number }): readonly Call[] {
  const { turn, growthTokens } = grown;
  const isLarge = turn % LARGE_EVERY_TURNS === LARGE_EVERY_TURNS / 2 + 1;
  const count = isLarge || names.real() < 0.8 ? 1 : names.whole(2, 3);
  return names.times(count, (at) => {
    const tokens = isLarge ? growthTokens * between(names, LARGE_SHARES) : meanTokens(growthTokens) * names.pick(SIZES);
    const { tool, input, make } = names.pick(TOOLS)(names);
    const id = `call_${turn}_${at}`;
    const content = [{ kind: "text" as const, text: sized(names, Math.max(RESULT_TOKENS_MIN, tokens), make) }];
    return {
      call: { kind: "tool-call", id, name: tool, arguments: JSON.stringify(input) },
      result: { role: "tool", parts: [{ kind: "tool-result", callId: id, content }] },
    };
  });
}

/** What is left of the growth beside the large results, shared by all others. */
function meanTokens(growthTokens: number): number {
  const larges = TURNS / LARGE_EVERY_TURNS;
  const others = (TURNS - TURNS / ASKS_EVERY_TURNS - larges) * 1.3;
  const large = (LARGE_SHARES[0] + LARGE_SHARES[1]) / 2;
  return (growthTokens * (1 - larges * large)) / others;
}

function between(names: Names, [least, most]: readonly [number, number]): number {
  return least + names.real() * (most - least);
}

function answerWith(names: Names, calls: readonly Call[]): Message {
  const text = { kind: "text" as const, text: `${names.sentence(names.whole(6, 16))}: \`${names.symbol()}\`.` };
  return { role: "assistant", parts: [text, ...calls.map(({ call }) => call)] };
}

type Make = (names: Names, units: number) => string;

interface Tool {
  readonly tool: string;
  readonly input: object;
  readonly make: Make;
}

const shell = (command: string, make: Make): Tool => ({ tool: "bash", input: { command }, make });

const TOOLS: readonly ((names: Names) => Tool)[] = [
  (names) => ({ tool: "read", input: { path: names.path() }, make: source }),
  (names) => ({ tool: "read", input: { path: names.path() }, make: source }),
  (names) => ({ tool: "grep", input: { pattern: names.symbol(), path: "src" }, make: search }),
  () => shell("npm test", testRun),
  () => shell("npm run build", build),
  (names) => shell(`tail -n 200 ${names.path()}.log`, log),
  (names) => shell(`curl -s http://localhost:3000/${names.symbol()}`, json),
  (names) => shell(`git diff ${names.path()}`, diff),
  (names) => shell(`ls -lR ${names.path()}`, listing),
];

const PROBE_UNITS = 6;

/** About that many tokens of it. */
function sized(names: Names, tokens: number, make: Make): string {
  const unitTokens = estimateText(make(names, PROBE_UNITS)) / PROBE_UNITS;
  return make(names, Math.max(tokens > 0 ? 1 : 0, Math.round(tokens / unitTokens)));
}
