/**
 * The tools that the gateway answers in its clients' stead, and which requests are offered them. They are last among the
 * tools, in the same bytes each time, and whether they are there follows from what a client sends throughout a session, so
 * that no prompt cache is lost.
 */
import type { EngineTool } from "../../core/engines/contract.ts";
import type { HiddenTools } from "../../protocols/answers/screen.ts";
import { fieldsOf, listOf, parsed, textOf } from "../../protocols/fields.ts";
import { memberOf } from "../../protocols/definition.ts";
import type { Decoded } from "../../protocols/protocol.ts";
import { definitions } from "../../protocols/registry.ts";

/** `on`: beside tools of the client's own. `always`: also where it has none. `off`: never. */
export const RECALL_OFFERS = ["off", "on", "always"] as const;
export type RecallOffer = (typeof RECALL_OFFERS)[number];

export interface ToolOffer {
  /** JSON text of the request's tools with ours behind them. */
  readonly tools: string;
  readonly names: HiddenTools;
}

/** Whether tools of ours can be offered to a request at all. */
export function takesTools(request: Decoded, offer: RecallOffer): boolean {
  const { recall } = definitions[request.protocol];
  if (offer === "off" || !recall.isOpen(memberOf(request))) return false;
  return ownTools(request).length > 0 || (offer === "always" && !demandsForm(request));
}

/** The request's tools with these behind them, but for those whose name the client uses itself; undefined where none is left. */
export function withTools(request: Decoded, ours: readonly EngineTool[]): ToolOffer | undefined {
  const { append } = definitions[request.protocol].tools;
  const taken = listToolNames(request);
  const offered = ours.filter(({ name }) => !taken.has(name));
  if (offered.length === 0) return undefined;
  const tools = offered.reduce(
    (text, { name, description, parameters }) =>
      append(text, { name, description, schema: parameters, strict: undefined }),
    request.transcript.tools ?? "[]",
  );
  return { tools, names: new Set(offered.map(({ name }) => name)) };
}

/** The last that were read: a session sends the same declarations with every request, and each is asked for them several times. */
let declared: { readonly tools: string; readonly list: readonly unknown[] } = { tools: "[]", list: [] };

function ownTools({ transcript: { tools = "[]" } }: Decoded): readonly unknown[] {
  if (declared.tools !== tools) declared = { tools, list: listOf(parsed(tools)) };
  return declared.list;
}

/** A client's own tool of such a name is the client's. */
function listToolNames(request: Decoded): ReadonlySet<string> {
  const { read } = definitions[request.protocol].tools;
  return new Set(
    ownTools(request)
      .map(fieldsOf)
      .flatMap((tool) => [...read(tool).map(({ name }) => name), textOf(tool["name"]) ?? ""]),
  );
}

/** An answer in a form of the client's may not be able to hold a call. */
function demandsForm(request: Decoded): boolean {
  const forms = definitions[request.protocol].recall.answerForms(memberOf(request));
  return forms.some((form) => form !== undefined && form !== null && fieldsOf(form)["type"] !== "text");
}

const MB = 1024 * 1024;

/** Bounds of recall by the model, named with their unit. */
export const RECALL_LIMITS = Object.freeze({
  /** Calls that are answered within one answer to a client; further ones are told that it is enough. */
  calls: 8,
  /** Tokens of one call's answer, and of all within one answer to a client. */
  callTokens: 4_000,
  answerTokens: 16_000,
  /** Of an original, this much is looked at; a search begins no further one after as much. */
  originalChars: 4 * MB,
  /** Originals that are searched for words: those whose ids are in the request, the first ones first. */
  searchedOriginals: 48,
  /** How long an engine takes for the answer to one call. */
  callWaitMs: 5_000,
  /** How long the end of an answer waits until what was hidden is kept. */
  keepWaitMs: 5_000,
  /** Larger events of a stream pass unread; a larger answer that is no stream passes whole. */
  eventBytes: 16 * MB,
  bodyBytes: 16 * MB,
  /** Answers whose hidden part is remembered in memory, and their characters; all of them are in the store. */
  remembered: 20_000,
  rememberedChars: 32 * MB,
});

export type RecallLimits = { readonly [Name in keyof typeof RECALL_LIMITS]: number };
