/**
 * A recorded session as the requests that its agent sent: before each turn of the model the whole history so far, at the
 * time at which the file says that it was asked, or a stated gap after the request before.
 */
import { createMeasure } from "../../../src/core/transcript/measure.ts";
import { textMessage, type Message, type Transcript } from "../../../src/core/transcript/message.ts";
import { protocols } from "../../../src/protocols/index.ts";
import { type ProtocolName } from "../../../src/core/protocols.ts";
import { outputNeeded, roundsOf, type Round } from "../../../src/session/outlook/session.ts";
import { openingEnd } from "../../../provider/src/replay.ts";
import { estimateText } from "../../../src/core/transcript/estimate.ts";

export interface Recording {
  readonly transcript: Transcript;
  /** The protocol it was read from. */
  readonly spoken: ProtocolName;
  /** When each message was recorded, in milliseconds since the epoch. */
  readonly timesMs?: readonly (number | undefined)[];
}

export interface AgentRequest {
  readonly body: string;
  readonly atMs: number;
  /** Estimated tokens of the recorded answer, what the model thought included. */
  readonly outputTokens: number;
}

export interface ReplaySettings {
  readonly protocol: ReplayProtocol;
  readonly model: string;
  /** Between two requests, where the file does not say. */
  readonly gapMs: number;
  /** Tokens that each request reserves for its answer; what the recording says, or its longest answer needs, if not given. */
  readonly maxOutputTokens?: number | undefined;
}

export interface Requests {
  readonly count: number;
  /** Requests whose time the file does not say. */
  readonly untimed: number;
  /** From the first request to the last, in milliseconds. */
  readonly spanMs: number;
  /** Tokens that each request reserves for its answer. */
  readonly maxOutputTokens: number;
  /** One after another: each holds the whole history, so that no two are held at once. */
  readonly all: () => Generator<AgentRequest>;
}

/** A request of each protocol in which a replay is billed, without its model and tools. */
const BODIES = {
  "anthropic-messages": (messages: readonly unknown[], system: unknown, tokens: number) => {
    return { max_tokens: tokens, system, messages };
  },
  "openai-chat": (messages: readonly unknown[], _: unknown, tokens: number) => {
    return { max_completion_tokens: tokens, messages };
  },
  "openai-responses": (input: readonly unknown[], instructions: unknown, tokens: number) => {
    return { max_output_tokens: tokens, instructions, input, store: false, include: ["reasoning.encrypted_content"] };
  },
};

/** A session of Gemini is billed as one of Chat Completions. */
export type ReplayProtocol = keyof typeof BODIES;

export function requestsOf(recording: Recording, asking: ReplaySettings): Requests {
  const { protocol, model, gapMs } = asking;
  const { transcript, timesMs = [] } = recording;
  const start = openingEnd(transcript.messages);
  const opening = transcript.messages.slice(0, start);
  const rounds = roundsOf(transcript.messages.slice(start));
  const times = askedAt(rounds, timesOfMessages(transcript.messages, timesMs), gapMs);
  const maxOutputTokens = asking.maxOutputTokens ?? transcript.maxOutputTokens ?? outputNeeded(rounds);
  const measure = createMeasure();
  const fresh = (messages: readonly Message[]): readonly unknown[] =>
    protocols[protocol].encode({ system: [], messages: messages.map(bare) }, { source: recording.spoken }).messages;
  function* all(): Generator<AgentRequest> {
    const { messages, system, tools } = protocols[protocol].encode(
      { ...transcript, system: transcript.system.map(bare), messages: [] },
      { source: recording.spoken },
    );
    // Some vendors take no conversation that the model opens.
    const history = [...messages, ...(protocols[protocol].rules.opensWithUser ? [] : fresh(opening))];
    for (const [at, { said, answer }] of rounds.entries()) {
      for (const each of fresh(said)) history.push(each);
      const body = BODIES[protocol](history, system, maxOutputTokens);
      yield {
        body: JSON.stringify({ model, ...body, ...(tools === undefined ? {} : { tools }) }),
        atMs: times.atMs[at]!,
        outputTokens: measure.messages(answer),
      };
      for (const each of fresh(answer)) history.push(each);
    }
  }
  const [first = 0, last = 0] = [times.atMs[0], times.atMs.at(-1)];
  return { count: rounds.length, untimed: times.untimed, spanMs: last - first, maxOutputTokens, all };
}

/** Without the bytes it was read from: another's markers and what another protocol needs do not go out again. */
function bare({ wire: _, ...message }: Message): Message {
  return message;
}

function timesOfMessages(
  messages: readonly Message[],
  timesMs: readonly (number | undefined)[],
): ReadonlyMap<Message, number> {
  return new Map(messages.flatMap((message, at) => (timesMs[at] === undefined ? [] : [[message, timesMs[at]]])));
}

/** A request goes out when the last of what it says was said. The clock never goes back. */
function askedAt(rounds: readonly Round[], times: ReadonlyMap<Message, number>, gapMs: number) {
  const atMs: number[] = [];
  let untimed = 0;
  for (const { said, answer } of rounds) {
    const known = said.flatMap((message) => times.get(message) ?? []);
    const recordedMs =
      known.length > 0 ? known.reduce((latest, one) => Math.max(latest, one), -Infinity) : times.get(answer[0]!);
    const before = atMs.at(-1);
    if (recordedMs === undefined) untimed++;
    atMs.push(Math.max(before ?? 0, recordedMs ?? (before === undefined ? 0 : before + gapMs)));
  }
  return { atMs, untimed };
}

const RULE = "Say what you did, and which test shows it. ";
const SAMPLE_REPEATS = 100;

/** With a system prompt of about that many of our estimator's tokens in front: agents send one that their session files do not hold. */
export function withPrompt(recording: Recording, tokens: number): Recording {
  const { transcript } = recording;
  const times = Math.round((tokens * SAMPLE_REPEATS) / estimateText(RULE.repeat(SAMPLE_REPEATS)));
  const system = [textMessage("system", RULE.repeat(times)), ...transcript.system];
  return { ...recording, transcript: { ...transcript, system } };
}
