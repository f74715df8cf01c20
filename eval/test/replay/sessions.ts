/** A short session for the replays: calls with large results, pauses longer than a cache lives, and a person who comes back. */
import { textMessage, type Transcript } from "../../../src/core/transcript/message.ts";
import type { Recording } from "../../src/replay/requests.ts";
import { createRegistry, type Prices } from "../../../src/models/index.ts";
import { termsOf, type ReplayTerms, type TermsQuery } from "../../src/replay/terms.ts";
import type { ProtocolName } from "../../../src/core/protocols.ts";
import { PROTOCOL_MODELS } from "../../../provider/test/models.ts";
import { filler, ran, says, talk, user } from "../../../test/support/compacting.ts";

const STEPS = 18;
export const WINDOW_TOKENS = 16_000;
const STEP_MS = 20_000;
/** Longer than five minutes and than thirty. */
const PAUSE_MS = 40 * 60_000;
const PAUSES_AT: readonly number[] = [7, 13];

const steps = Array.from({ length: STEPS }, (_, at) => [
  ...ran("read_file", { path: `src/part${at}.ts` }, filler(850 + 40 * (at % 5), `part ${at}`)),
  ...(PAUSES_AT.includes(at) ? [says(`Part ${at} is done.`), user(`Go on with part ${at + 1}.`)] : []),
]).flat();

export const transcript: Transcript = {
  ...talk(user("Tidy every part. Never touch src/public.ts."), ...steps, says("All parts are tidy.")),
  system: [textMessage("system", filler(1_400, "rule"))],
};

/** In milliseconds: each message a step after the one before, with the pauses before the person's words. */
export const timesMs: readonly number[] = transcript.messages.reduce<readonly number[]>((times, { role }, at) => {
  const before = times.at(-1) ?? 0;
  return [...times, at === 0 ? 0 : before + (role === "user" ? PAUSE_MS : STEP_MS)];
}, []);

export function recordingIn(spoken: ProtocolName): Recording {
  return { transcript, spoken, timesMs };
}

/** No thinking that is bound to what comes before it. */
const modelOf = (protocol: ProtocolName): string =>
  protocol === "anthropic-messages" ? "claude-sonnet-4-5" : PROTOCOL_MODELS[protocol];

export function termsFor(
  spoken: ProtocolName,
  { prices, ...more }: Partial<TermsQuery> & { readonly prices?: Partial<Prices> } = {},
): ReplayTerms {
  const model = modelOf(spoken);
  const query = {
    registry: createRegistry(prices === undefined ? {} : { [model]: { prices } }),
    model,
    spoken,
    windowTokens: WINDOW_TOKENS,
    tokenFactor: 1,
  };
  return termsOf({ ...query, ...more });
}
