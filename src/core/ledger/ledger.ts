/**
 * The ledger: what happened, kept by code and not by a model, from the original messages. It is folded message by
 * message and remembers what it has read, so a longer conversation costs only what is new in it.
 */
import { described } from "../digest/call.ts";
import { callsOf, contentText, resultOf, type Message } from "../transcript/message.ts";
import { createPairing } from "../transcript/pairing.ts";
import { deedOf, type ClassifiedCall } from "./readers/commands.ts";
import { readResult } from "./readers/results.ts";
import { holdsRules, rulesIn } from "./readers/instructions.ts";
import { branchIn, folderIn, openFileEditedBy, renamedBranchIn } from "./readers/workspace.ts";
import { speechOf, type Speech } from "./readers/speech.ts";
import { createDialogue, type Dialogue } from "./dialogue.ts";
import type { Ledger } from "./entries.ts";
import { createWork, type Instructions, type ReadResult, type Work } from "./work.ts";
import { runOutcomeOf } from "./run-outcomes.ts";

export type * from "./entries.ts";

export interface LedgerKeeper {
  /** The ledger of a conversation. Costs what is new since the last call when that was a prefix of this one. */
  readonly ledgerOf: (messages: readonly Message[]) => Ledger;
}

export function createLedgerKeeper(): LedgerKeeper {
  const reader = createReader();
  let fold = createFold(reader);
  let ledger: Ledger | undefined;
  /** The list that was folded last, where nobody changes it any more. */
  let last: readonly Message[] | undefined;
  return {
    ledgerOf: (messages) => {
      if (messages === last && ledger !== undefined) return ledger;
      last = undefined;
      if (!fold.isPrefixOf(messages)) fold = createFold(reader);
      if (fold.length() < messages.length || ledger === undefined) {
        for (let at = fold.length(); at < messages.length; at++) fold.add(messages[at]!);
        ledger = fold.ledger();
      }
      if (Object.isFrozen(messages)) last = messages;
      return ledger;
    },
  };
}

/** Reads each message once. A result is read in the light of its call. */
interface Reader {
  readonly speech: (message: Message) => Speech;
  readonly calls: (message: Message) => readonly ClassifiedCall[];
  readonly result: (message: Message, call: ClassifiedCall) => ReadResult;
}

function createReader(): Reader {
  const speeches = new WeakMap<Message, Speech>();
  const calls = new WeakMap<Message, readonly ClassifiedCall[]>();
  const results = new WeakMap<Message, { readonly call: ClassifiedCall; readonly read: ReadResult }>();
  const deeds = (message: Message): readonly ClassifiedCall[] =>
    remembered(calls, message, () => callsOf(message).map((call) => deedOf(described(call))));
  return {
    speech: (message) => remembered(speeches, message, () => speechOf(message, deeds(message))),
    calls: deeds,
    result: (message, call) => {
      const known = results.get(message);
      if (known?.call === call) return known.read;
      const read = readOf(message, call);
      results.set(message, { call, read });
      return read;
    },
  };
}

function remembered<Value>(known: WeakMap<Message, Value>, message: Message, read: () => Value): Value {
  let value = known.get(message);
  if (value === undefined) {
    value = read();
    known.set(message, value);
  }
  return value;
}

function readOf(message: Message, call: ClassifiedCall): ReadResult {
  const result = resultOf(message);
  const text = result === undefined ? "" : contentText(result.content);
  const folder = folderIn(call, text);
  const branch = branchIn(call, text);
  const renamed = renamedBranchIn(call, text);
  const openFile = openFileEditedBy(call, text);
  const instructions = instructionsIn(call, text);
  return {
    ...readResult(call, text, result?.isError === true, (shown) => runOutcomeOf(message, shown)),
    ...(folder === undefined ? {} : { folder }),
    ...(branch === undefined ? {} : { branch }),
    ...(renamed === undefined ? {} : { renamed }),
    ...(openFile === undefined ? {} : { openFile }),
    ...(instructions === undefined ? {} : { instructions }),
  };
}

function instructionsIn(call: ClassifiedCall, text: string): Instructions | undefined {
  const path = call.action === "read" ? call.paths.find(holdsRules) : undefined;
  const rules = path === undefined ? [] : rulesIn(text);
  return rules.length === 0 ? undefined : { file: path!.slice(path!.search(/[^/\\]*$/)), rules };
}

/** A call, and its place in the work. */
interface PlacedCall {
  readonly call: ClassifiedCall;
  readonly place: number;
}

interface Fold {
  readonly length: () => number;
  readonly isPrefixOf: (messages: readonly Message[]) => boolean;
  readonly add: (message: Message) => void;
  readonly ledger: () => Ledger;
}

function createFold(reader: Reader): Fold {
  const seen: Message[] = [];
  const dialogue: Dialogue = createDialogue();
  const work: Work = createWork();
  const pairing = createPairing<PlacedCall>();
  const addCalls = (at: number, message: Message): void => {
    const ids = callsOf(message);
    reader.calls(message).forEach((call, index) => {
      pairing.ask(ids[index]!.id, at, { call, place: work.call(at, call) });
    });
  };
  const addResult = (at: number, message: Message): void => {
    const answered = pairing.answer(resultOf(message)?.callId);
    if (answered === undefined) return;
    const { call, place } = answered;
    work.result(place, call, { ...reader.result(message, call), at });
  };
  return {
    length: () => seen.length,
    isPrefixOf: (messages) => seen.length <= messages.length && seen.every((message, at) => message === messages[at]),
    add: (message) => {
      const at = seen.push(message) - 1;
      if (message.role === "tool") addResult(at, message);
      if (message.role === "assistant") addCalls(at, message);
      dialogue.hear(at, reader.speech(message));
    },
    ledger: () => Object.freeze({ ...dialogue.entries(), ...work.entries() }),
  };
}
