/**
 * A recorded session lived again from the agent's side: it sends what was said, takes the answer as it comes, and goes on
 * with the results that the recording has, to any server of one of the protocols, until the end or until it is refused.
 */
import { callsOf, resultOf, withParts, type Message, type Transcript } from "../../../src/core/transcript/message.ts";
import { protocols } from "../../../src/protocols/index.ts";
import { type ProtocolName } from "../../../src/core/protocols.ts";
import { fieldsOf, isFields, textOf, type Fields } from "../../../src/protocols/fields.ts";
import { ask, type AgentRequest } from "./asking.ts";
import { outputNeeded, roundsOf } from "../../../src/session/outlook/session.ts";
import { openingEnd } from "../../../provider/src/replay.ts";
import { agentForms } from "./forms.ts";

export interface AgentOptions {
  /** Of the server, without `/v1`. */
  readonly url: string;
  readonly protocol: ProtocolName;
  readonly model: string;
  readonly recording: Transcript;
  readonly key?: string;
  /** What the longest recorded answer needs, by default. */
  readonly maxOutputTokens?: number;
  /** Answers are asked for as streams and put together from their events. A function is asked turn by turn. */
  readonly stream?: boolean | ((turn: number) => boolean);
  /** Laid over every body: thinking, cache markers… */
  readonly body?: Fields;
  readonly headers?: Readonly<Record<string, string>>;
  /** Turn by turn, the body as it goes out: an agent that writes its messages in a form of its own. As it is, by default. */
  readonly rewrite?: (body: string, turn: number) => string;
  /** Called with each answer. */
  readonly onTurn?: (turn: AgentTurn) => void;
}

export interface AgentTurn {
  readonly index: number;
  readonly status: number;
  readonly headers: Headers;
  /** The parsed answer; of a stream, put together. `{ error }` where there is none. */
  readonly answer: Fields;
  /** The body that was sent. */
  readonly sent: string;
}

export interface AgentRun {
  /** Turns of the model in the recording. */
  readonly turns: number;
  readonly answered: number;
  /** What ended the session early; its status is 200 where a stream said so. */
  readonly refusal?: { readonly turn: number; readonly status: number; readonly message: string };
}

/** Replays a recorded session against a provider, as the agent that it was recorded from would. */
export async function replayAsAgent(options: AgentOptions): Promise<AgentRun> {
  const { url, protocol, model, recording, key = "agent", headers = {}, body = {}, stream = false } = options;
  const { rewrite = (text: string) => text } = options;
  const start = openingEnd(recording.messages);
  const rounds = roundsOf(recording.messages.slice(start));
  const { messages: opening, system, tools } = protocols[protocol].encode({ ...recording, messages: [] });
  const history: unknown[] = [...opening];
  const agentForm = agentForms[protocol];
  // Some vendors take no conversation that the model opens.
  if (!protocols[protocol].rules.opensWithUser)
    for (const each of encoded(recording.messages.slice(0, start), new Map(), protocol)) history.push(each);
  const { maxOutputTokens = outputNeeded(rounds) } = options;
  let issued = new Map<string, string>();
  for (const [index, round] of rounds.entries()) {
    for (const each of encoded(round.said, issued, protocol)) history.push(each);
    const streamed = typeof stream === "boolean" ? stream : stream(index);
    const to = { url, form: agentForm, key, headers, body, rewrite: (text: string) => rewrite(text, index) };
    const asked = await ask(to, { model, stream: streamed, history, system, tools, maxOutputTokens });
    options.onTurn?.({ index, ...asked });
    const message = refusalIn(asked);
    if (message !== undefined)
      return { turns: rounds.length, answered: index, refusal: { turn: index, status: asked.status, message } };
    const reply = agentForm.replyIn(asked.answer);
    for (const each of reply.messages) history.push(each);
    const calls = round.answer.flatMap(callsOf).map(({ id }) => id);
    issued = new Map(calls.map((id, at) => [id, reply.callIds[at] ?? id]));
  }
  return { turns: rounds.length, answered: rounds.length };
}

/** Results answer the calls as this server named them. */
function encoded(
  said: readonly Message[],
  issued: ReadonlyMap<string, string>,
  protocol: ProtocolName,
): readonly unknown[] {
  const renamed = said.map((message) => {
    const result = resultOf(message);
    const callId = result === undefined ? undefined : issued.get(result.callId);
    return result === undefined || callId === undefined ? message : withParts(message, [{ ...result, callId }]);
  });
  return protocols[protocol].encode({ system: [], messages: renamed.map(({ wire: _, ...message }) => message) })
    .messages;
}

const WINDOW_STOP = "model_context_window_exceeded";

/** Said by a status, in a stream that began well, or by how an answer ended that is none. */
function refusalIn({ status, answer }: AgentRequest): string | undefined {
  if (answer["stop_reason"] === WINDOW_STOP) return WINDOW_STOP;
  if (status === 200 && !isFields(answer["error"])) return undefined;
  return textOf(fieldsOf(answer["error"])["message"]) ?? JSON.stringify(answer);
}
