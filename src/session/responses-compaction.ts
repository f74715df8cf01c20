/**
 * The provider's own compaction as an effect for engines: OpenAI's `POST /responses/compact`. It returns the user's
 * messages and one item that only the provider can read; that item is taken as it is, byte for byte.
 */
import type { Remote } from "../core/engines/contract.ts";
import { PrecisError } from "../core/errors.ts";
import type { Transcript } from "../core/transcript/message.ts";
import { protocols } from "../protocols/index.ts";
import { elementTexts, memberText } from "../protocols/json/scan.ts";
import { unlessAborted } from "./time-limit.ts";

export interface ResponsesCompactionOptions {
  /** Where the endpoint is, for example `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  /** Authorization among them. */
  readonly headers: Readonly<Record<string, string>>;
  /** The model that compacts: the one that will read the item. */
  readonly model: string;
  readonly fetch?: typeof globalThis.fetch;
}

/** A longer answer is no compaction. */
const ANSWER_CHARS_MAX = 16_000_000;

/** Rejects with `remote_compaction_failed` where the provider does not answer with an item. */
export function responsesCompaction(options: ResponsesCompactionOptions): Remote {
  const { baseUrl, headers, model, fetch = globalThis.fetch } = options;
  const url = `${baseUrl.replace(/\/$/, "")}/responses/compact`;
  return async (transcript, signal) => {
    const answer = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: bodyOf(transcript, model),
      ...(signal === undefined ? {} : { signal }),
    });
    if (!answer.ok) throw failure(`it answered ${answer.status}`, answer.status === 429 || answer.status >= 500);
    const raw = itemIn(await answer.text());
    if (raw === undefined) throw failure("its answer contains no compaction item", false);
    return { type: "compaction", raw };
  };
}

function bodyOf(transcript: Transcript, model: string): string {
  const responses = protocols["openai-responses"];
  return responses.splice(responses.decode(JSON.stringify({ model, input: [] })), transcript);
}

function itemIn(answer: string): string | undefined {
  if (answer.length > ANSWER_CHARS_MAX || !answer.trimStart().startsWith("{")) return undefined;
  const output = memberText(answer, "output");
  if (output?.startsWith("[") !== true) return undefined;
  return elementTexts(output).findLast((item) => memberText(item, "type") === '"compaction"');
}

function failure(because: string, retryable: boolean): PrecisError {
  return new PrecisError(`The provider did not compact the conversation: ${because}.`, {
    code: "remote_compaction_failed",
    retryable,
    hint: "The engine writes the handoff itself; check the address, the key and the model of the endpoint.",
  });
}

/** The same effect, given up after so long: an agent is not kept waiting for it. */
export function withinTime(remote: Remote, waitMs: number): Remote {
  return async (transcript, signal) => {
    const deadline = AbortSignal.timeout(waitMs);
    const stop = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
    // An effect may not heed its signal.
    return unlessAborted(stop, remote(transcript, stop), () => {
      throw failure(`no answer within ${waitMs / 1_000} s`, true);
    });
  };
}
