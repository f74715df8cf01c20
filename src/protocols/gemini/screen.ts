/**
 * The Gemini API behind a screen: parts that call a hidden tool are taken out of the events they come in, and of several
 * passages the last one ends the answer.
 */
import { type Fields, countOf, fieldsOf, isFields, lazy, listOf, parsed, textOf } from "../fields.ts";
import { objectText, elementTexts, memberText } from "../json.ts";
import { reframed, type Frame } from "../answers/frames.ts";
import {
  isWhole,
  joinedUsage,
  keep,
  type HiddenCall,
  type HiddenTools,
  type KeptEvents,
  type Passage,
  type Screen,
  type WholePassage,
  type WholeScreen,
} from "../answers/screen.ts";
import { readContent, callsTool } from "./parts.ts";

const DONE = "STOP";
const OUTPUT_KEYS = ["candidatesTokenCount", "thoughtsTokenCount"];

interface Coming {
  /** JSON texts of all parts. */
  readonly parts: KeptEvents;
  own: number;
  hidden: number;
  finish: string | undefined;
  failed: boolean;
  usage: Fields | undefined;
  readonly held: Frame[];
}

function coming(): Coming {
  const counts = { own: 0, hidden: 0, finish: undefined, failed: false, usage: undefined };
  return { parts: { texts: [], chars: 0 }, held: [], ...counts };
}

interface State {
  readonly tools: HiddenTools;
  now: Coming;
  /** A call was hidden, in this passage or an earlier one. */
  hides: boolean;
  readonly usages: Fields[];
}

export function geminiScreen(tools: HiddenTools): Screen {
  const state: State = { tools, now: coming(), hides: false, usages: [] };
  return {
    take: (frame) => take(state, frame),
    passage: () => readPassage(state.now, tools),
    release: () => state.now.held.map((frame) => writeEnd(frame, state)).join(""),
    goOn: () => {
      state.usages.push(state.now.usage ?? {});
      state.now = coming();
    },
    failure: ({ message }) =>
      reframed({ name: undefined }, JSON.stringify({ error: { code: 500, message, status: "INTERNAL" } })),
  };
}

function take(state: State, frame: Frame): string {
  const { now, tools } = state;
  const event = parsed(frame.data);
  if (!isFields(event)) return frame.raw;
  if (event["error"] !== undefined) {
    now.failed = true;
    return frame.raw;
  }
  const candidate = listOf(event["candidates"])[0];
  const content = fieldsOf(fieldsOf(candidate)["content"]);
  for (const part of listOf(content["parts"])) enter(state, part);
  for (const text of partTexts(frame.data)) keep(now.parts, text);
  now.finish = textOf(fieldsOf(candidate)["finishReason"]) ?? now.finish;
  if (isFields(event["usageMetadata"])) now.usage = event["usageMetadata"];
  if (!state.hides) return frame.raw;
  const shown = listOf(content["parts"]).filter((part) => !callsTool(part, tools));
  const ends = fieldsOf(candidate)["finishReason"] !== undefined;
  if (shown.length === 0 && !ends) return "";
  const data = JSON.stringify({
    ...event,
    candidates: [{ ...fieldsOf(candidate), content: { ...content, parts: shown } }],
  });
  const next = { ...frame, data, raw: reframed(frame, data) };
  if (!ends) return next.raw;
  now.held.push(next);
  return "";
}

function enter(state: State, part: unknown): void {
  const { now, tools } = state;
  if (callsTool(part, tools)) {
    now.hidden++;
    state.hides = true;
  } else if ("functionCall" in fieldsOf(part)) now.own++;
}

/** Parts of the first candidate as they were written. */
function partTexts(response: string): readonly string[] {
  const candidates = memberText(response, "candidates");
  const [candidate] = candidates?.startsWith("[") === true ? elementTexts(candidates) : [];
  const content = candidate === undefined ? undefined : memberText(candidate, "content");
  const parts = content?.startsWith("{") === true ? memberText(content, "parts") : undefined;
  return parts?.startsWith("[") === true ? elementTexts(parts) : [];
}

function readPassage(now: Coming, tools: HiddenTools): Passage {
  const complete = now.finish !== undefined && !now.failed;
  const answerable = complete && now.finish === DONE && isWhole(now.parts);
  const said = lazy(() =>
    isWhole(now.parts) ? writeContent(now.parts.texts, answerable ? undefined : tools) : undefined,
  );
  const calls = answerable && now.hidden > 0 ? hiddenCalls(said() ?? [], tools) : [];
  return { calls, asks: calls.length > 0 && now.own === 0, complete, ended: complete || now.failed, said };
}

/** The content that a later request says. Pieces of one text are one part, as clients put them together. */
function writeContent(texts: readonly string[], without: HiddenTools | undefined): readonly string[] {
  const parts = joinedTexts(texts.filter((text) => without === undefined || !callsTool(parsed(text), without)));
  return parts.length === 0 ? [] : [objectText({ role: '"model"', parts: `[${parts.join(",")}]` })];
}

function joinedTexts(texts: readonly string[]): readonly string[] {
  const joined: string[] = [];
  for (const text of texts) {
    const [last, next] = [fieldsOf(parsed(joined.at(-1))), fieldsOf(parsed(text))];
    if (isBareText(last) && isBareText(next) && last["thought"] === next["thought"])
      joined[joined.length - 1] = JSON.stringify({ ...last, text: `${String(last["text"])}${String(next["text"])}` });
    else joined.push(text);
  }
  return joined;
}

function isBareText(part: Fields): boolean {
  return typeof part["text"] === "string" && Object.keys(part).every((key) => key === "text" || key === "thought");
}

/** Under the ids that the content is read with. */
function hiddenCalls([content]: readonly string[], tools: HiddenTools): readonly HiddenCall[] {
  if (content === undefined) return [];
  const [reply] = readContent([{ value: fieldsOf(parsed(content)), text: content }]);
  return reply!.parts.flatMap((part) =>
    part.kind === "tool-call" && tools.has(part.name)
      ? [{ id: part.id, name: part.name, arguments: part.arguments }]
      : [],
  );
}

function writeEnd(frame: Frame, { usages: before, now }: State): string {
  if (before.length === 0) return frame.raw;
  const event = fieldsOf(parsed(frame.data));
  return reframed(frame, JSON.stringify({ ...event, usageMetadata: totalled([...before, now.usage]) }));
}

function totalled(usages: readonly unknown[]): Fields | undefined {
  const usage = joinedUsage(usages, OUTPUT_KEYS);
  if (usage === undefined || !("totalTokenCount" in usage)) return usage;
  const counts = ["promptTokenCount", "toolUsePromptTokenCount", ...OUTPUT_KEYS];
  return { ...usage, totalTokenCount: counts.reduce((sum, key) => sum + (countOf(usage[key]) ?? 0), 0) };
}

export function geminiWhole(tools: HiddenTools): WholeScreen {
  return {
    read: (text) => {
      const [candidate] = listOf(fieldsOf(parsed(text))["candidates"]).map(fieldsOf);
      return isFields(candidate?.["content"]) ? readWhole(text, candidate, tools) : undefined;
    },
    join: (passages) => joinWhole(passages, tools),
  };
}

function readWhole(text: string, candidate: Fields, tools: HiddenTools): WholePassage {
  const parts = partTexts(text);
  const answerable = candidate["finishReason"] === DONE;
  const content = writeContent(parts, answerable ? undefined : tools);
  const calls = answerable ? hiddenCalls(content, tools) : [];
  const own = parts.filter((part) => part.includes('"functionCall"') && !callsTool(parsed(part), tools)).length;
  return { text, calls, asks: calls.length > 0 && own === 0, complete: true, ended: true, said: () => content };
}

function joinWhole(passages: readonly WholePassage[], tools: HiddenTools): string {
  const last = fieldsOf(parsed(passages.at(-1)!.text));
  const parts = passages.flatMap(({ text }) => partTexts(text)).filter((part) => !callsTool(parsed(part), tools));
  const candidate = fieldsOf(listOf(last["candidates"])[0]);
  const content = { ...fieldsOf(candidate["content"]), parts: joinedTexts(parts).map(parsed) };
  const usages = passages.map(({ text }) => fieldsOf(parsed(text))["usageMetadata"]);
  return JSON.stringify({ ...last, candidates: [{ ...candidate, content }], usageMetadata: totalled(usages) });
}
