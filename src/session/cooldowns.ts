/**
 * How long a model is left alone after it failed, by what went wrong: long where a person must act, short for what
 * usually passes by itself.
 */
import type { SummaryStep } from "../core/compaction/compaction.ts";
import type { FailureClass, Resting } from "../core/handoff/model/writer.ts";

const MINUTE_MS = 60_000;

/** Zhang 2026 names the classes in section 16; the durations are ours. */
export const COOLDOWN_MS: Readonly<Record<FailureClass, number>> = {
  unconfigured: 60 * MINUTE_MS,
  authentication: 60 * MINUTE_MS,
  quota: 60 * MINUTE_MS,
  rate: 5 * MINUTE_MS,
  overflow: 10 * MINUTE_MS,
  refusal: 10 * MINUTE_MS,
  timeout: MINUTE_MS,
  network: MINUTE_MS,
  malformed: MINUTE_MS,
};
const BY_ITSELF = "it is asked again automatically";

/** What a person can do about a model that failed. */
const ADVICE: Readonly<Record<FailureClass, string>> = {
  unconfigured: "check how it is configured: its name, its `base_url`, its package",
  authentication: "check its key (`precis doctor` shows where keys are looked for)",
  quota: "check the credit or the quota of its account",
  rate: BY_ITSELF,
  overflow: "choose a model with a larger window",
  refusal: "choose another model if this happens again",
  timeout: BY_ITSELF,
  network: BY_ITSELF,
  malformed: BY_ITSELF,
};

/** A provider that asks for a longer rest than this is asked again all the same. */
const RETRY_AFTER_MS_MAX = 60 * MINUTE_MS;

/** A model at rest; `until` on the session's clock, in milliseconds. */
export interface Cooldown {
  readonly model: string;
  readonly role: Resting["role"];
  readonly class: FailureClass;
  readonly until: number;
}

/** The rests after a compaction: new ones for what failed in it, none for what worked, the others as they were. */
export function cooldownsAfter(
  rests: readonly Cooldown[],
  steps: readonly SummaryStep[],
  now: number,
): readonly Cooldown[] {
  const asked = steps.filter(({ outcome }) => outcome !== "resting");
  const before = rests.filter(({ model, until }) => until > now && !asked.some((step) => step.model === model));
  return [...before, ...asked.flatMap((step) => cooldownFor(step, now) ?? [])];
}

/** One line for a person: which model is left alone, for how long, and what to do about it. */
export function cooldownText({ role, model, class: why, until }: Cooldown, now: number): string {
  const minutes = Math.max(1, Math.ceil((until - now) / MINUTE_MS));
  const wait = minutes === 1 ? "a minute" : `${minutes} minutes`;
  return `the ${role} model ${model} failed (${why}) and is not asked for ${wait}: ${ADVICE[why]}`;
}

/** What a person can do about each model that failed in a compaction, a line for each; nothing about what passes by itself. */
export function failureAdvice(steps: readonly SummaryStep[]): readonly string[] {
  const lines = steps.flatMap(({ model, role, outcome, class: why }) => {
    if (outcome === "written" || role === "provider" || why === undefined || ADVICE[why] === BY_ITSELF) return [];
    return [`For ${model}: ${ADVICE[why]}.`];
  });
  return [...new Set(lines)];
}

function cooldownFor({ model, role, outcome, class: why, restMs }: SummaryStep, now: number): Cooldown | undefined {
  if (outcome === "written" || role === "provider" || why === undefined) return undefined;
  const asked = why === "rate" && restMs !== undefined ? Math.min(restMs, RETRY_AFTER_MS_MAX) : COOLDOWN_MS[why];
  return { model, role, class: why, until: now + asked };
}

export function coolingDownAt(rests: readonly Cooldown[], now: number): readonly Resting[] {
  return rests
    .filter(({ until }) => until > now)
    .map(({ model, role, class: why, until }) => ({ model, role, class: why, remainingMs: until - now }));
}
