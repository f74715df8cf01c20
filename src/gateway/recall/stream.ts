/** A streamed answer on its way through a screen: passage after passage, as one stream. */
import type { Usage } from "../../core/engines/contract.ts";
import { splitFrames, type Frame } from "../../protocols/answers/frames.ts";
import type { Screen } from "../../protocols/answers/screen.ts";
import { PrecisError } from "../../core/errors.ts";
import type { ProviderAnswer } from "../request/open-answer.ts";
import type { Chunks } from "../request/relay.ts";
import type { Turn } from "./turn.ts";

export interface StreamOptions {
  readonly screen: Screen;
  readonly turn: Turn;
  readonly eventBytesMax: number;
  readonly resend: (body: string) => Promise<ProviderAnswer>;
  readonly further: (answer: ProviderAnswer) => void;
  /** The answer broke off after its first passage; its client has been told. */
  readonly failed: () => void;
  readonly signal: AbortSignal;
}

const ERROR_STATUS_MIN = 400;
/** Of what a provider says about an error, this much is passed on. */
const ERROR_CHARS_MAX = 2_000;

export async function* streamed(first: ProviderAnswer, streaming: StreamOptions): Chunks {
  const { screen, turn, resend, further } = streaming;
  let answer = first;
  for (let later = false; ; later = true) {
    const broken = yield* passing(answer, streaming, later);
    if (broken !== undefined) {
      yield failure(streaming, broken);
      return;
    }
    const next = await turn.heard(screen.passage(), readUsage(answer));
    if (next === undefined) break;
    try {
      answer = await continueTurn({ turn, resend, further }, next);
      if (answer.response.status >= ERROR_STATUS_MIN || !answer.streamed) {
        yield failure(streaming, await refusal(answer));
        return;
      }
    } catch (error) {
      if (streaming.signal.aborted) throw error;
      yield failure(streaming, error);
      return;
    }
    screen.goOn();
  }
  const end = screen.release();
  if (end !== "") yield Buffer.from(end);
}

/** What broke a later passage; the first one breaks as it would without us. */
async function* passing(
  { body }: ProviderAnswer,
  { screen, eventBytesMax, signal }: StreamOptions,
  later: boolean,
): AsyncGenerator<Uint8Array, unknown, undefined> {
  const splitter = splitFrames(eventBytesMax);
  const shown = (frames: readonly (Frame | string)[]): string =>
    frames.map((frame) => showFrame(screen, frame)).join("");
  try {
    for await (const chunk of body) {
      const text = shown(splitter.push(chunk));
      if (text !== "") yield Buffer.from(text);
    }
  } catch (error) {
    if (!later || signal.aborted) throw error;
    return error;
  }
  const text = shown(splitter.end());
  if (text !== "") yield Buffer.from(text);
  return later && !screen.passage().ended ? BROKEN_OFF : undefined;
}

const BROKEN_OFF = new Error("the answer ended early");

/** An event that cannot be read is the client's to find. */
function showFrame(screen: Screen, frame: Frame | string): string {
  if (typeof frame === "string") return frame;
  try {
    return screen.take(frame);
  } catch (error) {
    if (error instanceof PrecisError) return frame.raw;
    throw error;
  }
}

function readUsage({ reader: { state } }: ProviderAnswer): Usage | undefined {
  return state.usage;
}

function failure({ screen, failed }: StreamOptions, error: unknown): Uint8Array {
  failed();
  const known = error instanceof PrecisError;
  const code = known ? error.code : "upstream_broke_off";
  const message = known ? `${error.message} ${error.hint}` : (error as Error).message;
  return Buffer.from(screen.failure({ code, message }));
}

/** The provider's own words about a request that it would not go on with. */
async function refusal({ body, response: { status } }: ProviderAnswer): Promise<Error> {
  let text = "";
  for await (const chunk of body) {
    text += Buffer.from(chunk).toString();
    if (text.length > ERROR_CHARS_MAX) break;
  }
  return new Error(`the provider answered with status ${status}: ${errorMessage(text).slice(0, ERROR_CHARS_MAX)}`);
}

function errorMessage(text: string): string {
  try {
    const { error } = JSON.parse(text) as { readonly error?: { readonly message?: unknown } };
    return typeof error?.message === "string" ? error.message : text;
  } catch {
    return text;
  }
}

interface ContinuedTurn {
  readonly turn: Pick<Turn, "withoutLast">;
  readonly resend: (body: string) => Promise<ProviderAnswer>;
  readonly further: (answer: ProviderAnswer) => void;
}

/** The next request of a turn: where its provider finds it too large, once more without what was recalled last. */
export async function continueTurn({ turn, resend, further }: ContinuedTurn, body: string): Promise<ProviderAnswer> {
  const answer = await resend(body);
  further(answer);
  const smaller = answer.tooLarge ? turn.withoutLast() : undefined;
  if (smaller === undefined) return answer;
  await answer.body.return();
  const again = await resend(smaller);
  further(again);
  return again;
}
