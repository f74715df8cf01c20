/** What an engine that is not ours did wrong, in a form that crosses threads: a kind for programs, words for a person. */
import { EngineFault, type CheckName } from "./suite/fault.ts";

/** Each with what is said of it; none of it quotes the conversation. */
export const FAULTS = {
  unloadable: "its module cannot be loaded",
  threw: "it threw an error",
  hung: "it did not answer in time",
  died: "it terminated its thread",
  memory: "it exceeded its memory limit",
  too_large: "its answer exceeds the size limit",
  not_data: "its answer is not plain data",
  asked_too_often: "it exceeded its limit of model calls",
  out_of_service: "it crashed too often, and is not used again until a restart",
  busy: "it was busy with other sessions",
  broke_contract: "its answer violates the engine contract",
} as const satisfies Readonly<Record<string, string>>;

export type FaultKind = keyof typeof FAULTS;

export interface FaultData {
  readonly kind: FaultKind;
  /** One line; may quote what the engine said. */
  readonly detail: string;
  readonly check?: CheckName;
  /** Where in the plugin: file, line and column, as far as the error says. */
  readonly place?: string;
}

export class PluginFault extends Error {
  override readonly name = "PluginFault";
  readonly data: FaultData;

  constructor(data: FaultData) {
    super(`${FAULTS[data.kind]}: ${data.detail}`);
    this.data = data;
  }
}

const DETAIL_CHARS_MAX = 300;
const STACK_CHARS_MAX = 4_000;

/** Any error as data; `folder` is where the plugin's own files are, as a URL. */
export function toFaultData(error: unknown, folder?: string): FaultData {
  if (error instanceof PluginFault) return error.data;
  const place = folder === undefined ? undefined : findPlace(error, folder);
  const where = place === undefined ? {} : { place };
  if (error instanceof EngineFault)
    return { kind: "broke_contract", check: error.check, detail: oneLine(error.message), ...where };
  return { kind: "threw", detail: oneLine(describeError(error)), ...where };
}

function describeError(error: unknown): string {
  try {
    return error instanceof Error ? `${error.name}: ${error.message}` : `it threw ${String(error)}`;
  } catch {
    return "it threw something that cannot be shown";
  }
}

export function oneLine(text: string): string {
  return text.slice(0, DETAIL_CHARS_MAX).replaceAll(/\s+/g, " ");
}

function findPlace(error: unknown, folder: string): string | undefined {
  const stack = error instanceof Error && typeof error.stack === "string" ? error.stack : "";
  const line = stack
    .slice(0, STACK_CHARS_MAX)
    .split("\n")
    .find((one) => one.includes(folder));
  if (line === undefined) return undefined;
  const [, place] = /^\/?([^\s)]+)/.exec(line.slice(line.indexOf(folder) + folder.length)) ?? [];
  return place;
}

/** What a plugin may take: time a call, memory, the size of an answer. Beyond any of them it is disabled. */
export const PLUGIN_LIMITS = Object.freeze({
  /** Until its module is loaded. */
  startMs: 30_000,
  decideMs: 5_000,
  /** One compaction; what models take to answer does not count. */
  compactMs: 30_000,
  /** For the answer to one call of a tool. */
  toolMs: 10_000,
  /** Originals that one call of a tool may read. */
  reads: 256,
  /** One transcript of the contract suite. */
  checkMs: 60_000,
  /** Waiting for other sessions that keep the plugin busy. */
  queueMs: 10_000,
  /** Of its own objects and code. Buffers lie outside it. */
  memoryMb: 512,
  answerBytes: 64 * 1024 * 1024,
  /** Questions to models in one compaction. */
  asks: 64,
  /** Compactions at once; deciding has a thread of its own. */
  threads: 2,
  /** Threads that may be lost to it before it is left alone for as long as the process lives. */
  losses: 3,
});

export type PluginLimits = { readonly [Name in keyof typeof PLUGIN_LIMITS]: number };
