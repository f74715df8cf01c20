/**
 * One answer to a client that may take several requests to the provider: each time the model calls a tool of ours, it is
 * answered here, and the turn goes on. What was hidden is kept when the answer is over.
 */
import { estimateText } from "../../core/transcript/estimate.ts";
import { withParts, type Message } from "../../core/transcript/message.ts";
import type { Usage, EngineTool } from "../../core/engines/contract.ts";
import type { HiddenCall, Passage } from "../../protocols/answers/screen.ts";
import { isFields, parsed } from "../../protocols/fields.ts";
import { applyEdits, elementTexts } from "../../protocols/json.ts";
import { protocols } from "../../protocols/index.ts";
import { type ProtocolName } from "../../core/protocols.ts";
import {
  type RecallToolAnswer,
  answerRecallCall,
  RECALL_TOOL,
  RECALL_TOOL_DECLARATION,
} from "../../session/recall/answer.ts";
import { withTimeLimit } from "../../session/time-limit.ts";
import { resultMessage, type HiddenResult, type HiddenTurns } from "./hidden.ts";
import type { RecallLimits } from "./tool.ts";
import type { Redactor } from "../../core/redaction/redactor.ts";
import { isHostTool } from "../../session/model-tools.ts";
import type { Runtime } from "../../session/contract.ts";
import type { HistoryStore } from "../../store/store.ts";
import { RECALL_IDS } from "../../core/transcript/links.ts";

interface TurnOptions {
  readonly tenant: string;
  readonly protocol: ProtocolName;
  readonly link: string;
  readonly body: string;
  readonly tokens: number;
  /** Tokens that input and output may have together, less what is reserved for output. */
  readonly usableTokens: number;
  readonly factor: number;
  readonly hidden: HiddenTurns;
  readonly answer: AnswerCall;
  readonly limits: RecallLimits;
  readonly onCall: (call: AnsweredCall) => void;
  /** Called when what was hidden is remembered in memory alone. */
  readonly unkept: (error: unknown) => void;
}

export interface AnsweredCall {
  readonly tool: string;
  readonly found: boolean;
  readonly tokens: number;
}

export interface Turn {
  /** Takes what the model said; answers with the request to send next, or with nothing where the client's answer is over. */
  readonly heard: (passage: Passage, usage: Usage | undefined) => Promise<string | undefined>;
  /** The same request with words in place of what was recalled last; undefined where that is done already. */
  readonly withoutLast: () => string | undefined;
}

/** What is estimated may be somewhat more. */
const ROOM_SHARE = 0.9;
/** Less than this says nothing. */
const CALL_TOKENS_MIN = 60;
/** A model that asks although it was told that it is enough is told once more; then the answer is over. */
const REFUSED_PASSAGES_MAX = 2;

const SAID_ENOUGH = "That is enough for this turn: continue with what you have.";
const SAID_NO_MORE = "Nothing more can be recalled in this turn. Answer now.";
const NO_ROOM_ANSWER = "There is not enough room for this. Continue without it, or search for single words in it.";
const SAID_FAILED = "It cannot be read right now. Continue without it.";

/** What has been recalled for one answer. */
interface Ledger {
  readonly hiddenIds: Set<string>;
  calls: number;
  tokens: number;
  /** Passages with calls that came after it was enough. */
  refused: number;
}

export function createTurn(options: TurnOptions): Turn {
  const { protocol, body, hidden, tenant, link } = options;
  const said: Message[] = [];
  let last: readonly HiddenResult[] = [];
  const ledger: Ledger = { hiddenIds: new Set(), calls: 0, tokens: 0, refused: 0 };
  const keep = async (results: readonly HiddenResult[]): Promise<void> => {
    const fingerprint = hidden.fingerprintOf(said, ledger.hiddenIds);
    const messages = protocols[protocol].format(said);
    const kept = hidden.keep(tenant, link, { protocol, fingerprint, messages, results });
    await withTimeLimit(options.limits.keepWaitMs, kept.catch(options.unkept), () => undefined);
  };
  const hear: Turn["heard"] = async (passage, usage) => {
    const elements = passage.complete ? passage.said() : undefined;
    // An answer that broke off, or that cannot be sent again, is not kept: the client has what it has.
    if (elements === undefined) return undefined;
    if (elements.length > 0) {
      const { messages } = protocols[protocol].decode(`[${elements.join(",")}]`).transcript;
      for (const each of messages.map((message) => withReadableCalls(message, passage.calls))) said.push(each);
    }
    if (passage.calls.length === 0) {
      if (ledger.hiddenIds.size > 0) await keep([]);
      return undefined;
    }
    const results = await answerAll(options, ledger, { calls: passage.calls, usage });
    if (!passage.asks || ledger.refused > REFUSED_PASSAGES_MAX) {
      await keep(results);
      return undefined;
    }
    last = results;
    for (const each of results.map(resultMessage)) said.push(each);
    return continued(protocol, body, said);
  };
  return {
    heard: async (passage, usage) => {
      try {
        return await hear(passage, usage);
      } catch (error) {
        // Whatever fails here, the client has its answer.
        options.unkept(error);
        return undefined;
      }
    },
    withoutLast: () => {
      const texts = last.filter(({ text }) => text !== NO_ROOM_ANSWER);
      if (texts.length === 0) return undefined;
      said.splice(said.length - last.length);
      last = last.map(({ callId }) => ({ callId, text: NO_ROOM_ANSWER }));
      for (const each of last.map(resultMessage)) said.push(each);
      return continued(protocol, body, said);
    },
  };
}

/** A provider refuses arguments that are no object, in a call that its client has never seen. */
function withReadableCalls(message: Message, calls: readonly HiddenCall[]): Message {
  const broken = new Set(calls.filter((call) => !isFields(parsed(call.arguments))).map(({ id }) => id));
  if (broken.size === 0) return message;
  const parts = message.parts.map((part) =>
    part.kind === "tool-call" && broken.has(part.id) ? { ...part, arguments: "{}" } : part,
  );
  return withParts(message, parts);
}

interface RecallCalls {
  readonly calls: readonly HiddenCall[];
  readonly usage: Usage | undefined;
}

async function answerAll(
  options: TurnOptions,
  ledger: Ledger,
  { calls, usage }: RecallCalls,
): Promise<readonly HiddenResult[]> {
  const sentTokens = usage === undefined || usage.input === 0 ? options.tokens + ledger.tokens : usage.input;
  const saidTokens = usage === undefined || usage.output === 0 ? CALL_TOKENS_MIN : usage.output;
  let freeTokens = (options.usableTokens - sentTokens - saidTokens) * ROOM_SHARE;
  if (ledger.calls >= options.limits.calls) ledger.refused++;
  const results: HiddenResult[] = [];
  for (const call of calls) {
    ledger.hiddenIds.add(call.id);
    ledger.calls++;
    const { text, found } = await answerOne(options, ledger, { call, freeTokens });
    const tokens = Math.ceil(estimateText(text) * options.factor);
    ledger.tokens += tokens;
    freeTokens -= tokens;
    options.onCall({ tool: call.name, found, tokens });
    results.push({ callId: call.id, text });
  }
  return results;
}

async function answerOne(
  options: TurnOptions,
  ledger: Ledger,
  { call, freeTokens }: { readonly call: HiddenCall; readonly freeTokens: number },
): Promise<RecallToolAnswer> {
  const { answer, limits, factor } = options;
  if (ledger.calls > limits.calls) return { text: ledger.refused > 1 ? SAID_NO_MORE : SAID_ENOUGH, found: false };
  const left = Math.min(limits.callTokens, limits.answerTokens - ledger.tokens, freeTokens);
  if (left < CALL_TOKENS_MIN) return { text: NO_ROOM_ANSWER, found: false };
  try {
    return await answer(call, Math.floor(left / factor));
  } catch (error) {
    options.unkept(error);
    return { text: SAID_FAILED, found: false };
  }
}

/** The request with more messages at its end; everything else keeps its bytes. */
function continued(protocol: ProtocolName, body: string, said: readonly Message[]): string {
  const { list, elements } = protocols[protocol].decode(body).layout;
  const further = elementTexts(protocols[protocol].format(said)).join(",");
  const [only] = elements;
  // The input of a Responses request may be one text.
  const isText = only !== undefined && only.start === list.start;
  if (isText) {
    const asked = `{"type":"message","role":"user","content":${body.slice(list.start, list.end)}}`;
    return applyEdits(body, [{ start: list.start, end: list.end, text: `[${asked},${further}]` }]);
  }
  const at = elements.at(-1)!.end;
  return applyEdits(body, [{ start: at, end: at, text: `,${further}` }]);
}

/** Answers one call within that many tokens, by our estimate. @throws PrecisError of the store. */
type AnswerCall = (call: HiddenCall, tokensMax: number) => Promise<RecallToolAnswer>;

/** The tools of the session itself are there from the beginning. An engine with tools of its own has its own way to recall. */
export function gatewayTools(runtime: Pick<Runtime, "tools">, recallable: boolean): readonly EngineTool[] {
  const host = runtime.tools().filter(({ name }) => isHostTool(name));
  if (!recallable) return host;
  const own = runtime.tools().filter(({ name }) => !isHostTool(name));
  return [...host, ...(own.length === 0 ? [RECALL_TOOL_DECLARATION] : own)];
}

interface CallContext {
  readonly runtime: Pick<Runtime, "callTool">;
  readonly store: HistoryStore;
  readonly tenant: string;
  /** The request as it was sent: what may be recalled is named in it. */
  readonly body: string;
  readonly redact: Redactor;
  readonly limits: RecallLimits;
}

export function createCallAnswers({ runtime, store, tenant, body, redact, limits }: CallContext): AnswerCall {
  const original = (id: string) => store.getOriginal(tenant, id);
  return async (call, tokensMax) => {
    if (call.name === RECALL_TOOL) {
      const ids = [...new Set(Array.from(body.matchAll(RECALL_IDS), ([id]) => id))];
      return answerRecallCall({ original, ids, redact, limits }, call.arguments, tokensMax);
    }
    const { text, isError } = await runtime.callTool(call, { tokensMax, waitMs: limits.callWaitMs });
    return { text, found: isError !== true };
  };
}
