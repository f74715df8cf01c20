/** The cooldowns and limits of handoffs as tables, as they are in docs/handoffs.md; a test keeps the page up to date. */
import { STAGES_MAX } from "../../src/core/handoff/model/staged-reading.ts";
import { COMPACTION_SPEND_LIMIT } from "../../src/core/handoff/model/model-handoff.ts";
import type { FailureClass } from "../../src/core/handoff/model/writer.ts";
import { COOLDOWN_MS } from "../../src/session/cooldowns.ts";
import { HANDOFF_WAIT_MS, SESSION_SPEND_LIMIT } from "../../src/session/summarizer.ts";

const MEANING: Readonly<Record<FailureClass, string>> = {
  unconfigured: "no key, no such model, or a missing package",
  authentication: "the key was refused",
  quota: "the account is out of credit",
  rate: "too many requests; the provider's retry time is respected, up to an hour",
  overflow: "the messages did not fit even in smaller stages",
  refusal: "a content filter, or an answer that declines",
  timeout: "no answer in time",
  network: "no connection, or a server's own error",
  malformed: "no valid answer, or one that says too little",
};

/** The first row is the header. */
export function cooldownRows(): readonly (readonly string[])[] {
  const classes = Object.keys(MEANING) as readonly FailureClass[];
  return [
    ["class", "what happened", "left alone for"],
    ...classes.map((one) => [one, MEANING[one], minutes(COOLDOWN_MS[one])]),
  ];
}

export function limitRows(): readonly (readonly string[])[] {
  const { calls, tokens, costUsd } = COMPACTION_SPEND_LIMIT;
  return [
    ["limit", "one compaction", "one session"],
    ["requests, retries included", String(calls), String(SESSION_SPEND_LIMIT.calls)],
    ["tokens in and out", tokens.toLocaleString("en-US"), "-"],
    ["US dollars, if the price is known", String(costUsd), String(SESSION_SPEND_LIMIT.costUsd)],
    ["stages in which messages are read", String(STAGES_MAX), "-"],
    ["total wait for all models", `${HANDOFF_WAIT_MS / 1_000} s`, "-"],
  ];
}

function minutes(ms: number): string {
  const count = ms / 60_000;
  return `${count} minute${count === 1 ? "" : "s"}`;
}
