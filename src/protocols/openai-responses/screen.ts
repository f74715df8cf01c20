/**
 * Responses behind a screen: a hidden `function_call` item is left out with its events, later events and items are numbered
 * as if it had not been there, and the last event of several passages holds the output of all of them.
 */
import { type Fields, countOf, fieldsOf, isFields, parsed, textOf } from "../fields.ts";
import { patchObject, elementTexts, memberText } from "../json.ts";
import { reframed, type Frame } from "../answers/frames.ts";
import { isFilled, memberTexts, typeOf } from "../answers/own-answer.ts";
import { kindOf } from "./read.ts";
import {
  isWhole,
  joinedUsage,
  type HiddenCall,
  type HiddenTools,
  type Passage,
  type Screen,
  type WholePassage,
  type WholeScreen,
} from "../answers/screen.ts";

const OUTPUT_KEYS = ["output_tokens", "output_tokens_details"];

interface Coming {
  /** Whole items by their number in the stream. */
  readonly items: Map<number, string>;
  chars: number;
  readonly hidden: Set<number>;
  readonly shown: Map<number, number>;
  status: string | undefined;
  failed: boolean;
  usage: unknown;
  readonly held: Frame[];
}

function coming(): Coming {
  const state = { status: undefined, failed: false, usage: undefined, chars: 0 };
  return { items: new Map(), hidden: new Set(), shown: new Map(), held: [], ...state };
}

interface State {
  readonly tools: HiddenTools;
  now: Coming;
  /** Earlier passages. */
  readonly before: Coming[];
  /** The response as it was begun, and its id: of the first passage. */
  begun: string | undefined;
  id: string | undefined;
  hides: boolean;
  /** Number of the next event, from the first hidden one on. */
  sequence: number;
}

export function responsesScreen(tools: HiddenTools): Screen {
  const state: State = { tools, now: coming(), before: [], begun: undefined, id: undefined, hides: false, sequence: 0 };
  return {
    take: (frame) => take(state, frame),
    passage: () => readPassage(state.now),
    release: () =>
      state.now.held.map((frame) => numbered(state, { ...frame, data: writeEnd(frame.data, state) })).join(""),
    goOn: () => {
      state.before.push(state.now);
      state.now = coming();
    },
    failure: ({ code, message }) => {
      const error = JSON.stringify({ code, message });
      const begun = toolless(state.begun ?? '{"object":"response","output":[]}', tools);
      const response = patchObject(begun, { status: '"failed"', error });
      const data = `{"type":"response.failed","sequence_number":${state.sequence},"response":${response}}`;
      return reframed({ name: "response.failed" }, data);
    },
  };
}

function take(state: State, frame: Frame): string {
  const { now, tools } = state;
  const type = frame.data === "" ? "" : typeOf(frame);
  switch (type) {
    case "":
      return frame.raw;
    case "response.created":
    case "response.queued":
    case "response.in_progress":
      state.begun ??= memberText(frame.data, "response");
      state.id ??= textOf(parsed(memberTexts(state.begun).get("id")));
      return state.before.length > 0 ? "" : withData(frame, withoutTool(frame.data, tools));
    case "response.output_item.added":
    case "response.output_item.done":
      return takeItem(state, frame, type);
    case "response.completed":
    case "response.incomplete":
    case "response.done":
      return takeFinal(state, frame);
    case "response.failed":
    case "response.cancelled":
    case "error":
      now.failed = true;
      return numbered(state, { ...frame, data: withoutTool(frame.data, tools) });
    default:
      return takeOther(state, frame);
  }
}

/** With the numbers that the client has; the same event until something was hidden. */
function numbered(state: State, frame: Frame, place?: number): string {
  if (!state.hides) return frame.raw;
  const counted = frame.data.includes('"sequence_number"');
  return reframed(
    frame,
    patchObject(frame.data, {
      ...(counted ? { sequence_number: String(state.sequence++) } : {}),
      ...(place === undefined ? {} : { output_index: String(place) }),
    }),
  );
}

function takeItem(state: State, frame: Frame, type: string): string {
  const { now, tools } = state;
  const event = fieldsOf(parsed(frame.data));
  const index = countOf(event["output_index"]) ?? 0;
  if (type === "response.output_item.done") {
    now.chars += frame.data.length;
    if (isWhole(now)) now.items.set(index, memberText(frame.data, "item") ?? "{}");
  }
  if (now.hidden.has(index)) return "";
  const fresh = !now.shown.has(index);
  if (fresh && isHidden(fieldsOf(event["item"]), tools)) {
    if (!state.hides) state.sequence = countOf(event["sequence_number"]) ?? 0;
    state.hides = true;
    now.hidden.add(index);
    return "";
  }
  const shownBefore = state.before.reduce((sum, { shown }) => sum + shown.size, 0);
  if (fresh) now.shown.set(index, shownBefore + now.shown.size);
  return numbered(state, frame, now.shown.get(index));
}

function takeOther(state: State, frame: Frame): string {
  const { now, hides } = state;
  if (!hides) return frame.raw;
  const index = countOf(fieldsOf(parsed(frame.data))["output_index"]);
  if (index !== undefined && now.hidden.has(index)) return "";
  return numbered(state, frame, index === undefined ? undefined : now.shown.get(index));
}

function takeFinal({ now, hides, tools }: State, frame: Frame): string {
  const response = memberTexts(memberText(frame.data, "response"));
  now.status = textOf(parsed(response.get("status")));
  now.usage = parsed(response.get("usage"));
  if (!hides) return withData(frame, withoutTool(frame.data, tools));
  now.held.push(frame);
  return "";
}

function withData(frame: Frame, data: string): string {
  return data === frame.data ? frame.raw : reframed(frame, data);
}

function isHidden(item: Fields, tools: HiddenTools): boolean {
  return item["type"] === "function_call" && tools.has(item["name"]);
}

/** A response repeats the request's tools. */
function withoutTool(data: string, tools: HiddenTools): string {
  if (!Array.from(tools).some((name) => data.includes(`"${String(name)}"`))) return data;
  const response = memberText(data, "response");
  return response === undefined ? data : patchObject(data, { response: toolless(response, tools) });
}

function toolless(response: string, hidden: HiddenTools): string {
  const tools = memberTexts(response).get("tools");
  if (tools?.startsWith("[") !== true) return response;
  const left = elementTexts(tools).filter((one) => !hidden.has(fieldsOf(parsed(one))["name"]));
  return patchObject(response, { tools: `[${left.join(",")}]` });
}

function readPassage(now: Coming): Passage {
  const { items, hidden, status, failed } = now;
  const complete = status !== undefined && !failed;
  const texts = Array.from(items).sort(([one], [other]) => one - other);
  const all = texts.map(([index, text]) => ({ text, hidden: hidden.has(index) }));
  const passage = itemPassage(all, { complete, answerable: status === "completed" && isWhole(now) });
  return { ...passage, ended: complete || failed, ...(isWhole(now) ? {} : { said: () => undefined }) };
}

interface Item {
  readonly text: string;
  readonly hidden: boolean;
}

function itemPassage(
  items: readonly Item[],
  { complete, answerable }: { readonly complete: boolean; readonly answerable: boolean },
): Passage {
  const calls = complete && answerable ? items.filter(({ hidden }) => hidden).map(({ text }) => readCall(text)) : [];
  const own = items.some(({ text, hidden }) => !hidden && waits(fieldsOf(parsed(text))));
  const repeated = items.filter(({ hidden }) => answerable || !hidden).map(({ text }) => text);
  return { calls, asks: calls.length > 0 && !own, complete, ended: complete, said: () => repeatable(repeated) };
}

function readCall(item: string): HiddenCall {
  const { call_id: id, name, arguments: given } = fieldsOf(parsed(item));
  return { id: textOf(id) ?? "", name: textOf(name) ?? "", arguments: textOf(given) ?? "" };
}

/** Whether the client has to answer it. */
function waits(item: Fields): boolean {
  const kind = kindOf(item);
  if (kind === "call" || kind === "custom-call" || kind === "hosted-call") return true;
  return textOf(item["type"])?.endsWith("_approval_request") === true;
}

function isLost(item: string): boolean {
  const { type, encrypted_content: content } = fieldsOf(parsed(item));
  return type === "reasoning" && typeof content !== "string";
}

/**
 * Items as a request may hold them that the provider did not keep: reasoning only with its encrypted content, and without
 * it nothing may name itself.
 */
function repeatable(items: readonly string[]): readonly string[] {
  if (!items.some(isLost)) return items;
  return items.filter((item) => !isLost(item)).map((item) => patchObject(item, { id: undefined }));
}

function writeEnd(data: string, { before, now, id, tools }: State): string {
  const passages = [...before, now];
  const response = memberText(data, "response");
  if (response === undefined) return data;
  const shown = passages.flatMap(({ items, hidden }) =>
    Array.from(items)
      .sort(([one], [other]) => one - other)
      .flatMap(([index, text]) => (hidden.has(index) ? [] : [text])),
  );
  // Some servers leave the last event's output empty: its items came one by one.
  const repeats = isFilled(memberText(response, "output")) || passages.at(-1)!.items.size === 0;
  return patchObject(data, {
    response: patchObject(toolless(response, tools), {
      ...(repeats ? { output: `[${shown.join(",")}]` } : {}),
      ...(passages.length === 1
        ? {}
        : joinedHead(
            id,
            passages.map(({ usage }) => usage),
          )),
    }),
  });
}

function joinedHead(id: string | undefined, usages: readonly unknown[]) {
  const usage = joinedUsage(usages, OUTPUT_KEYS);
  const total = (countOf(usage?.["input_tokens"]) ?? 0) + (countOf(usage?.["output_tokens"]) ?? 0);
  return {
    ...(id === undefined ? {} : { id: JSON.stringify(id) }),
    ...(usage === undefined ? {} : { usage: JSON.stringify({ ...usage, total_tokens: total }) }),
  };
}

export function responsesWhole(tools: HiddenTools): WholeScreen {
  const itemsOf = (text: string): readonly Item[] =>
    elementTexts(memberText(text, "output")!).map((item) => ({
      text: item,
      hidden: isHidden(fieldsOf(parsed(item)), tools),
    }));
  return {
    read: (text): WholePassage | undefined => {
      const members = memberTexts(text);
      if (members.get("output")?.startsWith("[") !== true || isFields(parsed(members.get("error")))) return undefined;
      const answerable = parsed(members.get("status")) === "completed";
      return { ...itemPassage(itemsOf(text), { complete: true, answerable }), text };
    },
    join: (passages) => {
      const shown = passages.flatMap(({ text }) => itemsOf(text).flatMap((item) => (item.hidden ? [] : item.text)));
      const id = textOf(parsed(memberText(passages[0]!.text, "id")));
      const usages = passages.map(({ text }) => parsed(memberText(text, "usage")));
      return patchObject(toolless(passages.at(-1)!.text, tools), {
        output: `[${shown.join(",")}]`,
        ...(passages.length === 1 ? {} : joinedHead(id, usages)),
      });
    },
  };
}
