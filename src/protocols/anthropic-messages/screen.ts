/**
 * Anthropic Messages behind a screen: a hidden `tool_use` block is left out with its deltas, later blocks are numbered as
 * if it had not been there, and of several passages the first opens the message and the last ends it.
 */
import { type Fields, countOf, fieldsOf, lazy, parsed, textOf, listOf } from "../fields.ts";
import { objectText, patchObject, elementTexts, memberText } from "../json.ts";
import { reframed, type Frame } from "../answers/frames.ts";
import { memberTexts, typeOf } from "../answers/own-answer.ts";
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

const CALLS_STOP = "tool_use";
const DONE_STOP = "end_turn";
const OUTPUT_KEYS = ["output_tokens", "server_tool_use"];
const INPUT_KEYS = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];

interface Coming {
  /** Data of the events that make blocks. */
  readonly events: KeptEvents;
  readonly hidden: Set<number>;
  /** The number under which a block is shown. */
  readonly shown: Map<number, number>;
  /** Calls of the client's own tools. */
  own: number;
  stop: string | undefined;
  over: boolean;
  failed: boolean;
  usage: Fields;
  readonly held: Frame[];
}

function coming(): Coming {
  const counts = { own: 0, stop: undefined, over: false, failed: false, usage: {} };
  return { events: { texts: [], chars: 0 }, hidden: new Set(), shown: new Map(), held: [], ...counts };
}

interface State {
  readonly tools: HiddenTools;
  now: Coming;
  blocksBefore: number;
  /** A call was hidden, in this passage or an earlier one. */
  hides: boolean;
  readonly usages: Fields[];
}

export function anthropicScreen(tools: HiddenTools): Screen {
  const state: State = { tools, now: coming(), blocksBefore: 0, hides: false, usages: [] };
  return {
    take: (frame) => take(state, frame),
    passage: () => readPassage(state.now),
    release: () => state.now.held.map((frame) => writeEnd(frame, state)).join(""),
    goOn: () => {
      state.usages.push(state.now.usage);
      state.blocksBefore += state.now.shown.size;
      state.now = coming();
    },
    failure: ({ message }) =>
      reframed({ name: "error" }, JSON.stringify({ type: "error", error: { type: "api_error", message } })),
  };
}

function take(state: State, frame: Frame): string {
  const { now } = state;
  switch (frame.data === "" ? "" : typeOf(frame)) {
    case "message_start":
      now.usage = fieldsOf(fieldsOf(fieldsOf(parsed(frame.data))["message"])["usage"]);
      return state.usages.length === 0 ? frame.raw : "";
    case "content_block_start":
      return takeBlock(state, frame, true);
    case "content_block_delta":
    case "content_block_stop":
      return takeBlock(state, frame, false);
    case "message_delta": {
      const event = fieldsOf(parsed(frame.data));
      now.stop = textOf(fieldsOf(event["delta"])["stop_reason"]) ?? now.stop;
      now.usage = { ...now.usage, ...withoutNulls(fieldsOf(event["usage"])) };
      return holdEnd(state, frame);
    }
    case "message_stop":
      now.over = true;
      return holdEnd(state, frame);
    case "error":
      now.failed = true;
      return frame.raw;
    default:
      return frame.raw;
  }
}

function takeBlock(state: State, frame: Frame, starts: boolean): string {
  const { now } = state;
  keep(now.events, frame.data);
  if (!starts && !state.hides) return frame.raw;
  const event = fieldsOf(parsed(frame.data));
  const index = countOf(event["index"]) ?? 0;
  if (starts) enter(state, index, fieldsOf(event["content_block"]));
  if (now.hidden.has(index)) return "";
  const place = now.shown.get(index);
  if (place === undefined || place === index) return frame.raw;
  return reframed(frame, patchObject(frame.data, { index: String(place) }));
}

/** A block begins: hidden, or shown under the next number. */
function enter(state: State, index: number, block: Fields): void {
  const { now, tools } = state;
  const isCall = block["type"] === CALLS_STOP;
  if (isCall && tools.has(block["name"])) {
    now.hidden.add(index);
    state.hides = true;
    return;
  }
  now.shown.set(index, state.blocksBefore + now.shown.size);
  if (isCall) now.own++;
}

function holdEnd({ now, hides }: State, frame: Frame): string {
  if (!hides) return frame.raw;
  now.held.push(frame);
  return "";
}

function withoutNulls(usage: Fields): Fields {
  return Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== null));
}

function readPassage(now: Coming): Passage {
  const complete = now.over && !now.failed;
  const answerable = complete && now.stop === CALLS_STOP;
  // A call that the end cut off is as if it had not been made.
  const all = lazy(() => {
    const blocks = isWhole(now.events) ? assembleBlocks(now.events.texts) : undefined;
    return blocks?.filter(({ index }) => answerable || !now.hidden.has(index));
  });
  const calls = answerable && now.hidden.size > 0 ? (all() ?? []).filter(({ index }) => now.hidden.has(index)) : [];
  return {
    calls: calls.map(({ text }) => readCall(text)),
    asks: calls.length > 0 && now.own === 0,
    complete,
    ended: now.over || now.failed,
    said: () => writeMessage(all()?.map(({ text }) => text)),
  };
}

function readCall(block: string): HiddenCall {
  const [id, name] = ["id", "name"].map((key) => textOf(parsed(memberText(block, key))) ?? "");
  return { id: id!, name: name!, arguments: memberText(block, "input") ?? "{}" };
}

function writeMessage(blocks: readonly string[] | undefined): readonly string[] | undefined {
  if (blocks === undefined || blocks.length === 0) return blocks;
  return [objectText({ role: '"assistant"', content: `[${blocks.join(",")}]` })];
}

/** A held event as the client gets it: an answer that asked for nothing of the client is over, and counts are of all passages. */
function writeEnd(frame: Frame, { now, usages: before }: State): string {
  if (typeOf(frame) !== "message_delta") return frame.raw;
  const asked = now.hidden.size > 0 && now.own === 0 && now.stop === CALLS_STOP;
  const usages = [...before, now.usage];
  const delta = memberText(frame.data, "delta");
  return reframed(
    frame,
    patchObject(frame.data, {
      ...(asked && delta !== undefined
        ? { delta: patchObject(delta, { stop_reason: JSON.stringify(DONE_STOP) }) }
        : {}),
      ...(usages.length > 1 ? { usage: JSON.stringify(reportedInDelta(usages, frame)) } : {}),
    }),
  );
}

/** What the event says anyway, and the input, of which the client has only heard for the first passage. */
function reportedInDelta(usages: readonly Fields[], { data }: Frame): Fields {
  const reported = new Set([...Object.keys(fieldsOf(fieldsOf(parsed(data))["usage"])), ...INPUT_KEYS]);
  return Object.fromEntries(
    Object.entries(joinedUsage(usages, OUTPUT_KEYS) ?? {}).filter(([key]) => reported.has(key)),
  );
}

export function anthropicWhole(tools: HiddenTools): WholeScreen {
  return {
    read: (text) => {
      const members = memberTexts(text);
      const content = members.get("content");
      return content?.startsWith("[") === true ? readWhole(text, members, tools) : undefined;
    },
    join: (passages) => joinWhole(passages, tools),
  };
}

function readWhole(text: string, members: ReadonlyMap<string, string>, tools: HiddenTools): WholePassage {
  const answerable = parsed(members.get("stop_reason")) === CALLS_STOP;
  const blocks = elementTexts(members.get("content")!);
  const hidden = blocks.filter((block) => isHidden(block, tools));
  const calls = answerable ? hidden.map(readCall) : [];
  const own = blocks.filter((block) => blockType(block) === CALLS_STOP).length - hidden.length;
  const said = (answerable ? blocks : blocks.filter((block) => !hidden.includes(block))).filter(isVisible);
  return {
    text,
    calls,
    asks: calls.length > 0 && own === 0,
    complete: true,
    ended: true,
    said: () => writeMessage(said),
  };
}

function blockType(block: string): unknown {
  return parsed(memberText(block, "type"));
}

function isHidden(block: string, tools: HiddenTools): boolean {
  return blockType(block) === CALLS_STOP && tools.has(parsed(memberText(block, "name")));
}

function isVisible(block: string): boolean {
  return blockType(block) !== "text" || (textOf(parsed(memberText(block, "text"))) ?? "").trim() !== "";
}

function joinWhole(passages: readonly WholePassage[], tools: HiddenTools): string {
  const last = passages.at(-1)!;
  const blocks = passages.flatMap(({ text }) => elementTexts(memberText(text, "content")!));
  const usage = joinedUsage(
    passages.map(({ text }) => parsed(memberText(text, "usage"))),
    OUTPUT_KEYS,
  );
  return patchObject(last.text, {
    content: `[${blocks.filter((block) => !isHidden(block, tools)).join(",")}]`,
    ...(last.asks ? { stop_reason: JSON.stringify(DONE_STOP) } : {}),
    ...(passages.length === 1 ? {} : { id: memberText(passages[0]!.text, "id"), usage: JSON.stringify(usage) }),
  });
}

interface AssembledBlock {
  readonly index: number;
  readonly type: string;
  /** As JSON; the input of a call has the text the model wrote. */
  readonly text: string;
}

interface Growing {
  readonly fields: Record<string, unknown>;
  input: string;
}

/** Undefined where an event is of a kind that nobody here knows: the block cannot be sent again. */
function assembleBlocks(events: readonly string[]): readonly AssembledBlock[] | undefined {
  const blocks = new Map<number, Growing>();
  for (const data of events) {
    const event = fieldsOf(parsed(data));
    const index = countOf(event["index"]) ?? 0;
    if (event["type"] === "content_block_start")
      blocks.set(index, { fields: { ...fieldsOf(event["content_block"]) }, input: "" });
    const block = blocks.get(index);
    if (event["type"] !== "content_block_delta") continue;
    if (block === undefined || !grow(block, fieldsOf(event["delta"]))) return undefined;
  }
  return Array.from(blocks, ([index, block]) => assembled(index, block)).filter(({ text }) => text !== "");
}

/** False for a delta of an unknown kind. */
function grow(block: Growing, delta: Fields): boolean {
  const { fields } = block;
  switch (delta["type"]) {
    case "text_delta":
      fields["text"] = joined(fields["text"], delta["text"]);
      return true;
    case "thinking_delta":
      fields["thinking"] = joined(fields["thinking"], delta["thinking"]);
      return true;
    case "signature_delta":
      fields["signature"] = delta["signature"];
      return true;
    case "input_json_delta":
      block.input += textOf(delta["partial_json"]) ?? "";
      return true;
    case "citations_delta":
      fields["citations"] = [...listOf(fields["citations"]), delta["citation"]];
      return true;
    default:
      return false;
  }
}

function joined(before: unknown, piece: unknown): string {
  return (textOf(before) ?? "") + (textOf(piece) ?? "");
}

/** A text without a visible character is refused in a request. */
function assembled(index: number, { fields, input }: Growing): AssembledBlock {
  const type = textOf(fields["type"]) ?? "";
  if (type === "text" && (textOf(fields["text"]) ?? "").trim() === "") return { index, type, text: "" };
  const members = Object.entries(fields).map(([key, value]) => [key, JSON.stringify(value)] as const);
  const own = input === "" ? {} : { input };
  return { index, type, text: objectText({ ...Object.fromEntries(members), ...own }) };
}
