/** What an operator is told of a session while it works, as notices: one line each, with figures and without content. */
import { builtInName } from "../../core/engines/names.ts";
import type { Runtime } from "../../session/contract.ts";
import { thresholdText } from "../../session/threshold.ts";
import type { CompactionTiming, Postponement } from "../../session/timing.ts";
import type { EmitEvent, NoticeEvent } from "../contract.ts";

export function emitSessionNotices(runtime: Runtime, tenant: string, onEvent: EmitEvent): void {
  const notice = (code: NoticeEvent["code"], message: string): void =>
    onEvent({ kind: "notice", code, tenant, message });
  runtime.on("pressure", ({ tokens, ...timing }) =>
    notice("pressure", `a conversation has ${shown(tokens)} tokens and ${momentOf(timing)}`),
  );
  runtime.on("postponed", ({ tokens, by, because, ...timing }) => {
    const above = `a conversation has ${shown(tokens)} tokens, above its threshold of ${shown(timing.thresholdTokens)}`;
    const why = reasonOf({ by, because }, runtime.report().engine);
    if (by === "back_off") notice("backed_off", `${above}, and is not compacted now: ${why}`);
    else notice("postponed", `${above}, and ${waitOf(timing)}: ${why}`);
  });
  runtime.on("degraded", ({ because, report }) => {
    // A back-off has a notice of its own.
    if (report !== undefined) notice("degraded", `a compaction is poorer than it should be: ${because.join("; ")}`);
  });
  runtime.on("modelResting", ({ because }) => notice("model_resting", because));
  runtime.on("irreducible", ({ smallest, limit, because }) =>
    notice(
      "irreducible",
      `the smallest valid request has ${shown(smallest)} tokens, and the limit is ${shown(limit)}: ${because}`,
    ),
  );
  // What the engine said may quote the conversation.
  runtime.on("engineDisabled", ({ engine, because }) =>
    notice("engine_disabled", `the engine ${engine} was disabled: ${because}`),
  );
}

function momentOf({ thresholdTokens, compactsAtTokens, set }: CompactionTiming): string {
  if (compactsAtTokens === undefined) return "is not compacted automatically";
  const own = set === undefined ? "" : ` (set for this session: ${thresholdText(set)})`;
  if (compactsAtTokens <= thresholdTokens) return `is compacted at ${shown(compactsAtTokens)}${own}`;
  return `is compacted when its price is justified, at ${shown(compactsAtTokens)} at the latest; its threshold is ${shown(thresholdTokens)}${own}`;
}

function waitOf({ compactsAtTokens }: CompactionTiming): string {
  return compactsAtTokens === undefined
    ? "is not compacted"
    : `is compacted at ${shown(compactsAtTokens)} at the latest`;
}

/** An engine that is not ours may quote the conversation. */
function reasonOf({ by, because }: Postponement, engine: string): string {
  return by === "back_off" && builtInName(engine) === undefined ? `the engine ${engine} rests` : because;
}

function shown(tokens: number): string {
  return tokens.toLocaleString("en-US");
}
