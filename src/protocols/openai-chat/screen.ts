/**
 * Chat Completions behind a screen: pieces of a hidden call are taken out of the chunks they come in, later calls are
 * numbered as if it had not been there, and of several passages all chunks bear the first one's head.
 */
import { type Fields, countOf, fieldsOf, isFields, listOf, parsed, textOf } from "../fields.ts";
import { patchObject, elementTexts, memberText } from "../json.ts";
import { reframed, type Frame } from "../answers/frames.ts";
import { memberTexts } from "../answers/own-answer.ts";
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

const END = "[DONE]";
const CALLS_KEY = '"tool_calls"';
/** Some servers end an answer that calls like any other. */
const CALLS_STOPS: ReadonlySet<unknown> = new Set(["tool_calls", "function_call", "stop"]);
const DONE_STOP = '"stop"';
const OUTPUT_KEYS = ["completion_tokens", "completion_tokens_details"];
/** What names an answer: the same in all of its chunks. */
const HEAD_KEYS = ["id", "created", "model", "system_fingerprint", "service_tier"];

interface Call {
  readonly id: string;
  name: string;
  hidden: boolean;
  /** Its number in what the client sees; undefined until its name says whether the client sees it. */
  place: number | undefined;
  /** Pieces that came before its name. */
  waiting: Fields[];
}

interface Coming {
  /** Data of all chunks. */
  readonly chunks: KeptEvents;
  readonly calls: Call[];
  /** By the number that the server gave. */
  readonly numbered: Map<number, Call>;
  finish: unknown;
  over: boolean;
  failed: boolean;
  usage: Fields | undefined;
  readonly held: Frame[];
}

function coming(): Coming {
  const state = { finish: undefined, over: false, failed: false, usage: undefined };
  return { chunks: { texts: [], chars: 0 }, calls: [], numbered: new Map(), held: [], ...state };
}

interface State {
  readonly tools: HiddenTools;
  now: Coming;
  /** A call was hidden, in this passage or an earlier one. */
  hides: boolean;
  head: Fields | undefined;
  readonly usages: Fields[];
}

export function chatScreen(tools: HiddenTools): Screen {
  const state: State = { tools, now: coming(), hides: false, head: undefined, usages: [] };
  return {
    take: (frame) => take(state, frame),
    passage: () => readPassage(state.now),
    release: () => state.now.held.map((frame) => writeEnd(frame, state)).join(""),
    goOn: () => {
      state.usages.push(state.now.usage ?? {});
      state.now = coming();
    },
    failure: ({ code, message }) =>
      reframed({ name: undefined }, JSON.stringify({ error: { message, type: "server_error", param: null, code } })),
  };
}

function take(state: State, frame: Frame): string {
  const { now, hides } = state;
  const { data, raw } = frame;
  if (data === "") return raw;
  if (data === END) {
    now.over = true;
    if (hides) now.held.push(frame);
    return hides ? "" : raw;
  }
  if (!hides && state.head !== undefined && !data.includes(CALLS_KEY)) {
    keep(now.chunks, data);
    return raw;
  }
  const chunk = parsed(data);
  if (!isFields(chunk)) return raw;
  state.head ??= Object.fromEntries(HEAD_KEYS.flatMap((key) => (key in chunk ? [[key, chunk[key]]] : [])));
  if (isFields(chunk["error"]) || chunk["object"] === "error") {
    now.failed = true;
    return raw;
  }
  return takeChunk(state, frame, chunk);
}

function takeChunk(state: State, frame: Frame, chunk: Fields): string {
  const { now } = state;
  keep(now.chunks, frame.data);
  const counts = isFields(chunk["usage"]);
  if (counts) now.usage = fieldsOf(chunk["usage"]);
  now.finish = readFinish(chunk) ?? now.finish;
  const shown = rewritten(state, chunk);
  if (shown === undefined) return "";
  const data = shown === chunk ? frame.data : JSON.stringify(shown);
  const raw = shown === chunk ? frame.raw : reframed(frame, data);
  const ends = now.finish !== undefined || (counts && listOf(chunk["choices"]).length === 0);
  if (!state.hides || !ends) return raw;
  now.held.push({ ...frame, raw, data });
  return "";
}

/** The chunk as the client sees it; undefined where nothing is left of it. */
function rewritten(state: State, chunk: Fields): Fields | undefined {
  const [choice, ...others] = listOf(chunk["choices"]).map(fieldsOf);
  const later = state.usages.length > 0;
  const next = later ? { ...chunk, ...state.head } : chunk;
  if (choice === undefined) return next;
  const { role, tool_calls: pieces, ...texts } = fieldsOf(choice["delta"]);
  const shown = shownPieces(state, listOf(pieces));
  const same = shown.length === listOf(pieces).length && shown.every((piece, at) => piece === listOf(pieces)[at]);
  if (same && !later) return chunk;
  const bare = shown.length === 0 && Object.values(texts).every((value) => value === null || value === "");
  if (bare && readFinish(chunk) === undefined && !isFields(chunk["usage"])) return undefined;
  const delta = {
    ...(role === undefined || later ? {} : { role }),
    ...texts,
    ...(shown.length === 0 ? {} : { tool_calls: shown }),
  };
  return { ...next, choices: [{ ...choice, delta }, ...others] };
}

/** Pieces of calls that the client sees, numbered for it; those whose tool is not known yet wait. */
function shownPieces(state: State, pieces: readonly unknown[]): readonly Fields[] {
  const { now, tools } = state;
  return pieces.filter(isFields).flatMap((piece) => {
    const call = callFor(now, piece);
    call.name += calledName(piece);
    if (call.name === "") {
      call.waiting.push(piece);
      return [];
    }
    const pending = [...call.waiting, piece];
    call.waiting = [];
    call.hidden ||= tools.has(call.name);
    state.hides ||= call.hidden;
    if (call.hidden) return [];
    call.place ??= now.calls.filter(({ place }) => place !== undefined).length;
    return pending.map((one) => (one["index"] === call.place ? one : { ...one, index: call.place }));
  });
}

function readFinish(chunk: Fields): unknown {
  return fieldsOf(listOf(chunk["choices"])[0])["finish_reason"] ?? undefined;
}

/** Servers number calls, mostly; some leave the number out or give all the same one, and then ids tell them apart. */
function callFor({ calls, numbered }: Coming, piece: Fields): Call {
  const index = countOf(piece["index"]);
  const id = textOf(piece["id"]) ?? "";
  const known = index === undefined ? calls.at(-1) : numbered.get(index);
  if (known !== undefined && (id === "" || known.id === id || known.id === "")) return known;
  const call: Call = { id, name: "", hidden: false, place: undefined, waiting: [] };
  calls.push(call);
  if (index !== undefined) numbered.set(index, call);
  return call;
}

function readPassage(now: Coming): Passage {
  const hidden = now.calls.filter((call) => call.hidden);
  const complete = now.finish !== undefined && !now.failed;
  const answerable = complete && CALLS_STOPS.has(now.finish) && hidden.length > 0;
  const whole = isWhole(now.chunks);
  const calls = answerable && whole ? hiddenCalls(assembleMessage(now.chunks.texts), hidden) : [];
  const without = answerable ? undefined : hidden.map(({ id }) => id);
  return {
    calls,
    asks: calls.length > 0 && hidden.length === now.calls.length,
    complete: complete || (now.over && !now.failed),
    ended: now.finish !== undefined || now.over || now.failed,
    said: () => (whole ? writeMessage(assembleMessage(now.chunks.texts, without)) : undefined),
  };
}

function hiddenCalls(message: Fields, hidden: readonly Call[]): readonly HiddenCall[] {
  const ids = new Set(hidden.map(({ id }) => id));
  return readCalls(message).filter(({ id }) => ids.has(id));
}

function readCalls(message: Fields): readonly HiddenCall[] {
  return listOf(message["tool_calls"])
    .map(fieldsOf)
    .map((call) => {
      const { name, arguments: given } = fieldsOf(call["function"]);
      return { id: textOf(call["id"]) ?? "", name: textOf(name) ?? "", arguments: textOf(given) ?? "" };
    });
}

/** A message that says nothing is none. */
function writeMessage(message: Fields): readonly string[] {
  const says = Object.entries(message).some(([key, value]) => key !== "role" && value !== null && value !== "");
  return says ? [JSON.stringify(message)] : [];
}

/** A held chunk as the client gets it. */
function writeEnd(frame: Frame, { now, usages: before }: State): string {
  const chunk = parsed(frame.data);
  if (!isFields(chunk)) return frame.raw;
  const asked = now.calls.length > 0 && now.calls.every((call) => call.hidden) && CALLS_STOPS.has(now.finish);
  const done = asked && readFinish(chunk) !== undefined;
  const counted = before.length > 0 && isFields(chunk["usage"]);
  if (!done && !counted) return frame.raw;
  const [choice, ...others] = listOf(chunk["choices"]).map(fieldsOf);
  return reframed(
    frame,
    JSON.stringify({
      ...chunk,
      ...(done ? { choices: [{ ...choice, finish_reason: "stop" }, ...others] } : {}),
      ...(counted ? { usage: totalled([...before, fieldsOf(chunk["usage"])]) } : {}),
    }),
  );
}

function totalled(usages: readonly unknown[]): Fields {
  const usage = joinedUsage(usages, OUTPUT_KEYS) ?? {};
  const sum = (countOf(usage["prompt_tokens"]) ?? 0) + (countOf(usage["completion_tokens"]) ?? 0);
  return "total_tokens" in usage ? { ...usage, total_tokens: sum } : usage;
}

export function chatWhole(tools: HiddenTools): WholeScreen {
  return {
    read: (text) => {
      const choices = memberTexts(text).get("choices");
      const [choice] = choices?.startsWith("[") === true ? elementTexts(choices) : [];
      const message = choice === undefined ? undefined : memberText(choice, "message");
      return message?.startsWith("{") === true ? readWhole(text, choice!, tools) : undefined;
    },
    join: (passages) => joinWhole(passages, tools),
  };
}

function readWhole(text: string, choice: string, tools: HiddenTools): WholePassage {
  const message = memberText(choice, "message")!;
  const all = readCalls(fieldsOf(parsed(message)));
  const hidden = all.filter(({ name }) => tools.has(name));
  const answerable = CALLS_STOPS.has(parsed(memberText(choice, "finish_reason")));
  const calls = answerable ? hidden : [];
  const said = answerable ? message : shownOnly(message, tools);
  return {
    text,
    calls,
    asks: calls.length > 0 && hidden.length === all.length,
    complete: true,
    ended: true,
    said: () => (writeMessage(fieldsOf(parsed(said))).length > 0 ? [said] : []),
  };
}

function shownOnly(message: string, tools: HiddenTools): string {
  const calls = memberText(message, "tool_calls");
  if (calls?.startsWith("[") !== true) return message;
  const shown = elementTexts(calls).filter((call) => !tools.has(calledName(fieldsOf(parsed(call)))));
  return patchObject(message, { tool_calls: shown.length === 0 ? undefined : `[${shown.join(",")}]` });
}

const JOINED_TEXTS = ["content", "refusal", "reasoning_content", "reasoning_text", "reasoning"];

function joinWhole(passages: readonly WholePassage[], tools: HiddenTools): string {
  const [first, last] = [passages[0]!, passages.at(-1)!];
  const [choice, ...others] = elementTexts(memberText(last.text, "choices")!);
  const messages = passages.map(({ text }) => memberText(elementTexts(memberText(text, "choices")!)[0]!, "message")!);
  const texts = JOINED_TEXTS.flatMap((key) => {
    const said = messages.flatMap((message) => textOf(parsed(memberText(message, key))) ?? []);
    return said.length === 0 ? [] : [[key, JSON.stringify(said.join(""))] as const];
  });
  const joined = passages.length === 1 ? messages[0]! : patchObject(messages.at(-1)!, Object.fromEntries(texts));
  const message = shownOnly(joined, tools);
  const shown = patchObject(choice!, { message, ...(last.asks ? { finish_reason: DONE_STOP } : {}) });
  const usages = passages.map(({ text }) => parsed(memberText(text, "usage")));
  return patchObject(last.text, {
    choices: `[${[shown, ...others].join(",")}]`,
    ...(passages.length === 1 ? {} : { id: memberText(first.text, "id"), usage: usageText(usages) }),
  });
}

function usageText(usages: readonly unknown[]): string | undefined {
  return usages.some(isFields) ? JSON.stringify(totalled(usages)) : undefined;
}

type Growing = Record<string, unknown>;

/** The name of the tool that a call, or a piece of one, is for; empty where it is not said. */
function calledName(call: Fields): string {
  return textOf(fieldsOf(call["function"] ?? call["custom"])["name"]) ?? "";
}

/** `without`: ids of calls that are left out. */
function assembleMessage(chunks: readonly string[], without: readonly string[] = []): Fields {
  const message: Growing = { role: "assistant", content: null };
  const calls: Growing[] = [];
  const numbered = new Map<number, Growing>();
  for (const data of chunks) {
    const delta = fieldsOf(fieldsOf(listOf(fieldsOf(parsed(data))["choices"])[0])["delta"]);
    for (const [key, piece] of Object.entries(delta)) {
      if (key === "tool_calls") for (const one of listOf(piece).filter(isFields)) growCall(calls, numbered, one);
      else if (key !== "role" && piece !== null) message[key] = grown(message[key], piece);
    }
  }
  const kept = calls.filter(({ id }) => !without.includes(textOf(id) ?? ""));
  if (message["content"] === "") message["content"] = null;
  return kept.length === 0 ? message : { ...message, tool_calls: kept };
}

/** Texts grow, lists too (pieces of reasoning that servers number); of anything else the later one counts. */
function grown(before: unknown, piece: unknown): unknown {
  if (typeof before === "string" && typeof piece === "string") return before + piece;
  if (Array.isArray(before) && Array.isArray(piece))
    return piece.reduce<unknown[]>(withDetail, [...(before as unknown[])]);
  return piece;
}

function withDetail(details: unknown[], piece: unknown): unknown[] {
  const last = details.at(-1);
  const goesOn =
    isFields(last) && isFields(piece) && last["type"] === piece["type"] && last["index"] === piece["index"];
  if (!goesOn) return [...details, piece];
  const joined = Object.entries(piece).map(([key, value]) => {
    const grows = ["text", "summary", "data"].includes(key);
    return [key, grows ? grown(last[key] ?? "", value) : (value ?? last[key])] as const;
  });
  return [...details.slice(0, -1), { ...last, ...Object.fromEntries(joined) }];
}

function growCall(calls: Growing[], numbered: Map<number, Growing>, piece: Fields): void {
  const index = countOf(piece["index"]);
  const id = textOf(piece["id"]) ?? "";
  const known = index === undefined ? calls.at(-1) : numbered.get(index);
  const same = known !== undefined && (id === "" || known["id"] === id || (known["id"] ?? "") === "");
  const call: Growing = same ? known : {};
  if (!same) {
    calls.push(call);
    if (index !== undefined) numbered.set(index, call);
  }
  for (const [key, value] of Object.entries(piece)) {
    if (key === "index" || value === null) continue;
    if (key !== "function" && key !== "custom") call[key] = value === "" ? (call[key] ?? value) : value;
    else call[key] = grownTarget(fieldsOf(call[key]), fieldsOf(value));
  }
}

function grownTarget(before: Fields, piece: Fields): Fields {
  const pairs = Object.entries(piece).filter(([, value]) => value !== null);
  return { ...before, ...Object.fromEntries(pairs.map(([key, value]) => [key, grown(before[key] ?? "", value)])) };
}
