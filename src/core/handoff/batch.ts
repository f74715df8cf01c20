/**
 * Work that is done one thing at a time: of a list that somebody wrote (bookings, tickets, hosts), which things a call
 * has changed, which none has, and what was last seen of those.
 */
import type { CallAction } from "../digest/tool-names.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { callsOf, contentText, type Message } from "../transcript/message.ts";
import { opensWithHandoff } from "./marks.ts";
import { callKindOf } from "./record/calls.ts";
import type { CompletedEntry } from "./record/context.ts";
import { leavesOf, parsed, type Leaves } from "./record/effects.ts";
import { callsDone } from "./record/episodes.ts";

export interface Batch {
  readonly tool: string;
  readonly done: readonly string[];
  readonly open: readonly OpenItem[];
}

export interface OpenItem {
  readonly name: string;
  /** The values last shown of it that tell it from the others or that the call needs; empty where none were shown. */
  readonly facts: string;
}

const OF_SAME_LIST = "; of the same list not yet for ";
const BATCH = new RegExp(`^(\\S+) is done for (.+?)${OF_SAME_LIST}(.+)$`);
const OPEN = /^Open: (\S+) \(/;

/** A batch in words: where it is, and then each open thing with what is known of it. */
export function batchTexts({ tool, done, open }: Batch): readonly string[] {
  const things = open.filter(({ facts }) => facts !== "").map(({ name, facts }) => `Open: ${name} (${facts})`);
  return [
    standing(
      tool,
      done,
      open.map(({ name }) => name),
    ),
    ...things,
  ];
}

function standing(tool: string, done: readonly string[], open: readonly string[]): string {
  return `${tool} is done for ${done.join(", ")}${OF_SAME_LIST}${open.join(", ")}`;
}

/** What words of a batch are about, so that newer ones take the place of older; nothing where the text is something else. */
export function batchKey(text: string): string | undefined {
  const [, tool] = BATCH.exec(text) ?? [];
  if (tool !== undefined) return `batch ${tool}`;
  const [, name] = OPEN.exec(text) ?? [];
  return name === undefined ? undefined : `open ${name}`;
}

/** The words of an earlier handoff, now that more calls were made; nothing where what they say is done. */
export function batchText(text: string, { actions }: Ledger): string | undefined {
  const isDone = (name: string, by?: string): boolean =>
    actions.some(
      ({ tool, action, ok, target }) =>
        !LOOKS.has(action) && ok !== false && tool === (by ?? tool) && target.split(/[\s=]+/).includes(name),
    );
  const [, thing] = OPEN.exec(text) ?? [];
  if (thing !== undefined) return isDone(thing) ? undefined : text;
  const [, tool, done, names] = BATCH.exec(text) ?? [];
  if (tool === undefined || done === undefined || names === undefined) return text;
  const all = names.split(", ");
  const open = all.filter((name) => !isDone(name, tool));
  return open.length === 0 ? undefined : standing(tool, [done, ...all.filter((name) => isDone(name, tool))], open);
}

/** Fewer are no list. */
const DONE_MIN = 2;
const OPEN_MAX = 12;
const ACTIONS_READ_MAX = 400;
const TEXT_CHARS_READ_MAX = 20_000;
const NAME_CHARS_MAX = 60;

/** The list that the newest changing calls work on; nothing where there is none or all of it is done. */
export function openBatch(messages: readonly Message[], ledger: Ledger): Batch | undefined {
  if (!mayHaveBatch(messages, ledger)) return undefined;
  const from = ledger.actions.at(-ACTIONS_READ_MAX)?.message ?? 0;
  const calls = callsDone({ messages, ledger, from, until: messages.length });
  const newest = calls.findLast((call) => changesItems(call));
  if (newest === undefined) return undefined;
  const sameTool = calls.filter((call) => changesItems(call) && call.call.name === newest.call.name);
  for (const key of keysOf(newest)) {
    const done = new Set(sameTool.flatMap((call) => valueOf(call, key) ?? []));
    const list = done.size < DONE_MIN ? [] : listWith(done, messages, newest.message);
    const open = list.filter((item) => !done.has(item));
    if (open.length === 0 || open.length > OPEN_MAX) continue;
    const facts = factsOf(open, calls, sameTool);
    return {
      tool: newest.call.name,
      done: list.filter((item) => done.has(item)),
      open: open.map((name) => ({ name, facts: facts.get(name) ?? "" })),
    };
  }
  return undefined;
}

/** What such calls change, if anything, is not named by one argument. */
const LOOKS: ReadonlySet<CallAction> = new Set(["read", "run", "search", "list", "fetch", "plan", "delegate", "ask"]);

/** Cheap to say without the results: two calls of one tool that may change things. */
function mayHaveBatch(messages: readonly Message[], { actions }: Ledger): boolean {
  const seen = new Set<string>();
  const from = actions.at(-ACTIONS_READ_MAX)?.message ?? 0;
  let place = 0;
  for (let at = actions.findIndex(({ message }) => message >= from); at >= 0 && at < actions.length; at++) {
    const action = actions[at]!;
    place = actions[at - 1]?.message === action.message ? place + 1 : 0;
    if (LOOKS.has(action.action) || action.ok === false) continue;
    const call = callsOf(messages[action.message]!)[place];
    if (call === undefined || callKindOf({ action, call }) !== "changed") continue;
    if (seen.has(action.tool)) return true;
    seen.add(action.tool);
  }
  return false;
}

function changesItems(call: CompletedEntry): boolean {
  const { action, ok } = call.action;
  return !LOOKS.has(action) && ok !== false && call.answered >= 0 && callKindOf(call) === "changed";
}

function argumentsOf({ call }: CompletedEntry): Readonly<Record<string, unknown>> {
  return parsed(call.arguments) ?? {};
}

/** The arguments that can name a thing, as the call has them. */
function keysOf(call: CompletedEntry): readonly string[] {
  return Object.keys(argumentsOf(call)).filter((key) => valueOf(call, key) !== undefined);
}

function valueOf(call: CompletedEntry, key: string): string | undefined {
  const value = argumentsOf(call)[key];
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && text.length <= NAME_CHARS_MAX && /^\S+$/.test(text) ? text : undefined;
}

const NAME = String.raw`[\x60*"']{0,3}[\p{L}\p{N}_][\p{L}\p{N}_.:/#@-]{0,59}[\x60*"']{0,3}`;
const IN_LINE = new RegExp(`${NAME}(?:(?:,? (?:and|or) |, ?|; ?)${NAME}){1,60}`, "gu");
const BULLET = new RegExp(String.raw`^[ \t]{0,8}(?:[-*•+]|\d{1,3}[.)])[ \t]+(${NAME})`, "u");
const ITEM = new RegExp(NAME, "gu");

/** The newest list in words of either side, before the last call, that has at least two of these; what is unlike them is left out. */
function listWith(done: ReadonlySet<string>, messages: readonly Message[], before: number): readonly string[] {
  const shapes = new Set([...done].map(shapeOf));
  for (let at = before; at >= 0; at--) {
    const message = messages[at]!;
    if (message.role !== "user" && message.role !== "assistant") continue;
    for (const names of listsOf(message)) {
      const items = [...new Set(names.map((name) => name.replace(/^[`*"']+|[`*"'.:]+$/g, "")))];
      if (items.filter((item) => done.has(item)).length >= DONE_MIN)
        return items.filter((item) => done.has(item) || shapes.has(shapeOf(item)));
    }
  }
  return [];
}

type Lists = readonly (readonly string[])[];

/** Those of messages that were read: with every compaction the same are looked through. */
const listsKnown = new WeakMap<Message, Lists>();

function listsOf(message: Message): Lists {
  let lists = listsKnown.get(message);
  if (lists === undefined) {
    const text = contentText(message.parts).slice(0, TEXT_CHARS_READ_MAX);
    listsKnown.set(message, (lists = opensWithHandoff(text) ? [] : listsIn(text)));
  }
  return lists;
}

/** Names with commas between them, and the first name of each line that has a bullet or a number. */
function listsIn(text: string): Lists {
  const lists = Array.from(text.matchAll(IN_LINE), ([list]): readonly string[] => list.match(ITEM) ?? []);
  let bullets: string[] = [];
  for (const line of text.split("\n")) {
    const name = BULLET.exec(line)?.[1];
    if (name !== undefined) bullets.push(name);
    else if (line.trim() !== "" && bullets.length > 0) {
      lists.push(bullets);
      bullets = [];
    }
  }
  return [...lists, bullets];
}

/** Names of things of one kind are mostly alike: with or without figures and capitals, with the same marks. */
function shapeOf(name: string): string {
  return [/\d/.test(name), /\p{Lu}/u.test(name), ...new Set(name.match(/[^\p{L}\p{N}]/gu) ?? [])].join(" ");
}

const OWN_FACTS_MAX = 2;
const NEEDED_FACTS_MAX = 6;

/** Of what was last shown of each: its first values that tell it from the others, and those under the names of the arguments. */
function factsOf(
  names: readonly string[],
  calls: readonly CompletedEntry[],
  changing: readonly CompletedEntry[],
): ReadonlyMap<string, string> {
  const shown = new Map<string, Leaves>();
  for (const name of names) {
    const call = calls.findLast(({ result }) => result.includes(`"${name}"`) && showsItem(result, name));
    if (call !== undefined) shown.set(name, leavesOf(parsed(call.result)!));
  }
  const needed = new Set([...leavesOf(argumentsOf(changing.at(-1)!)).keys()].map(lastKey));
  const same = sameArguments(changing);
  const differs = (path: string): boolean => new Set([...shown.values()].map((leaves) => leaves.get(path))).size > 1;
  return new Map(
    Array.from(shown, ([name, leaves]) => {
      const has = same.filter(([key, value]) => leaves.get(key) === value);
      if (has.length > 0) return [name, has.map(([key, value]) => `${key} is ${value} already`).join(", ")];
      const own = [...leaves].filter(([path, value]) => isOwn(path) && value !== name && !needed.has(path));
      const telling = own.filter(([path]) => differs(path)).slice(0, OWN_FACTS_MAX);
      const byKey = Map.groupBy(
        [...leaves].filter(([path, value]) => value !== name && needed.has(lastKey(path))),
        ([path]) => lastKey(path),
      );
      const needs = Array.from(byKey, ([key, places]) => [key, valuesText(places.map(([, value]) => value))]);
      return [name, [...telling, ...needs.slice(0, NEEDED_FACTS_MAX)].map((fact) => fact.join(" ")).join(", ")];
    }),
  );
}

/** The plain arguments that every call gives the same value: what is to become of each thing. */
function sameArguments(calls: readonly CompletedEntry[]): readonly (readonly [string, string])[] {
  const all = calls.map((call) => leavesOf(argumentsOf(call)));
  return [...all[0]!].filter(([key, value]) => isOwn(key) && all.every((leaves) => leaves.get(key) === value));
}

function isOwn(path: string): boolean {
  return !path.includes(".") && !path.includes("[");
}

function valuesText(values: readonly string[]): string {
  return [...(new Set(values).size === 1 ? values.slice(0, 1) : values)].join(" | ");
}

function showsItem(result: string, name: string): boolean {
  const value = parsed(result);
  return value !== undefined && Object.values(value).includes(name);
}

function lastKey(path: string): string {
  return /[^.[\]]+$/.exec(path.replace(/\[\d+\]/g, ""))?.[0] ?? path;
}
