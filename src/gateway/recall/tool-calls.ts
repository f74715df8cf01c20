/** What a call of one of the gateway's tools is answered: recall from the store, an engine's own tools by the engine. */
import type { EngineTool } from "../../core/engines/contract.ts";
import type { Redactor } from "../../core/redaction/redactor.ts";
import type { HiddenCall } from "../../protocols/answers/screen.ts";
import { isHostTool } from "../../session/model-tools.ts";
import type { Runtime } from "../../session/contract.ts";
import {
  answerRecallCall,
  RECALL_TOOL,
  RECALL_TOOL_DECLARATION,
  type RecallToolAnswer,
} from "../../session/recall/tool.ts";
import type { HistoryStore } from "../../store/store.ts";
import type { RecallLimits } from "./limits.ts";
import { RECALL_IDS } from "../../core/transcript/links.ts";

/** Answers one call within that many tokens, by our estimate. @throws PrecisError of the store. */
export type AnswerCall = (call: HiddenCall, tokensMax: number) => Promise<RecallToolAnswer>;

/** The tools of the session itself are there from the beginning. An engine with tools of its own has its own way to recall. */
export function gatewayTools(runtime: Pick<Runtime, "tools">, recallable: boolean): readonly EngineTool[] {
  const host = runtime.tools().filter(({ name }) => isHostTool(name));
  if (!recallable) return host;
  const own = runtime.tools().filter(({ name }) => !isHostTool(name));
  return [...host, ...(own.length === 0 ? [RECALL_TOOL_DECLARATION] : own)];
}

export interface CallContext {
  readonly runtime: Pick<Runtime, "callTool">;
  readonly store: HistoryStore;
  readonly tenant: string;
  /** The request as it was sent: what may be recalled is named in it. */
  readonly body: string;
  readonly redact: Redactor;
  readonly limits: RecallLimits;
}

export function createCallAnswers({ runtime, store, tenant, body, redact, limits }: CallContext): AnswerCall {
  const source = {
    original: (id: string) => store.getOriginal(tenant, id),
    ids: idsIn(body),
    redact,
    limits,
  };
  return async (call, tokensMax) => {
    if (call.name === RECALL_TOOL) return answerRecallCall(source, call.arguments, tokensMax);
    const { text, isError } = await runtime.callTool(call, { tokensMax, waitMs: limits.callWaitMs });
    return { text, found: isError !== true };
  };
}

/** Ids in a text, each once, in order. */
function idsIn(text: string): readonly string[] {
  return [...new Set(Array.from(text.matchAll(RECALL_IDS), ([id]) => id))];
}
