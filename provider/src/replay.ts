/**
 * A recorded session as answers: each request is given what the model said next in the recording. Where a request ends
 * in results, the calls they answer say where it is, so a session can be rewound or shortened on its way; else the
 * answer is the one after the last that this key was given.
 */
import { detectFormat, wireText } from "../../src/logs/detect.ts";
import { LOG_FORMATS, type LogFormat, type ReadOptions } from "../../src/logs/log.ts";
import { readLog } from "../../src/logs/read.ts";
import { PrecisError } from "../../src/core/errors.ts";
import { callsOf, contentText, type Message, type Transcript } from "../../src/core/transcript/message.ts";
import { protocols } from "../../src/protocols/index.ts";
import { parsedJson } from "./arguments.ts";
import type { Answer, Answerer, AnswerCall, ScriptedRequest } from "./answers.ts";
import { wires } from "./wires.ts";

/** Throws `unreadable_input` if the text is no session in any format known. */
export function readRecording(text: string, fileName = "", options: ReadOptions = {}): Transcript {
  const format = detectFormat(text, fileName);
  if (format === undefined)
    throw new PrecisError(`${fileName === "" ? "the recording" : fileName} is in none of the formats known`, {
      code: "unreadable_input",
      hint: "Give a session file, a request body or its messages.",
    });
  const log = LOG_FORMATS.find((name): name is LogFormat => name === format);
  if (log !== undefined) return readLog(text, log, options).transcript;
  return protocols[format as Exclude<typeof format, LogFormat>].decode(wireText(text).json).transcript;
}

/** For a turn without a word, which no vendor would take back. */
const SILENCE = "(nothing was said)";
/** Every vendor takes such an id. */
const CALL_ID = /^[a-zA-Z0-9_-]{1,40}$/;

/** What the model said, turn by turn: neighbours are one answer. */
export function recordedAnswers(messages: readonly Message[]): readonly Answer[] {
  const turns: Message[][] = [];
  messages.forEach((message, at) => {
    if (message.role !== "assistant") return;
    if (messages[at - 1]?.role === "assistant") turns.at(-1)!.push(message);
    else turns.push([message]);
  });
  const used = new Set<string>();
  const idOf = (id: string, turn: number, at: number): string => {
    const own = CALL_ID.test(id) && !used.has(id) ? id : `call_${turn}_${at}`;
    used.add(own);
    return own;
  };
  return turns.map((turn, index) => answerOf(turn, (id, at) => idOf(id, index, at)));
}

function answerOf(turn: readonly Message[], idOf: (id: string, at: number) => string): Answer {
  const parts = turn.flatMap((message) => message.parts);
  const calls = turn.flatMap(callsOf).map((call, at): AnswerCall => {
    const custom = call.custom === true;
    const given = custom || call.arguments === "" || parsedJson(call.arguments) !== undefined ? call.arguments : "{}";
    return { id: idOf(call.id, at), name: call.name, arguments: given, custom };
  });
  const thinking = parts.map((part) => (part.kind === "reasoning" ? part.text : "")).join("");
  const text = contentText(parts);
  if (thinking === "" && text === "" && calls.length === 0) return { text: SILENCE };
  return {
    ...(thinking === "" ? {} : { thinking }),
    ...(text === "" ? {} : { text }),
    ...(calls.length === 0 ? {} : { calls }),
  };
}

/** Words of the model before anybody asked: part of the first request, not an answer to it. */
export function openingEnd(messages: readonly Message[]): number {
  const asked = messages.findIndex(({ role }) => role !== "assistant");
  return asked < 0 ? messages.length : asked;
}

/** After the recording is over, says so. */
export function replayAnswerer(messages: readonly Message[]): Answerer {
  const answers = recordedAnswers(messages.slice(openingEnd(messages)));
  const turnOf = new Map(answers.flatMap(({ calls = [] }, turn) => calls.map(({ id }) => [id!, turn] as const)));
  const next = new Map<string, number>();
  const positionOf = (asked: ScriptedRequest): number => {
    const turns = wires[asked.protocol].request.answeredCalls(asked.body).flatMap((id) => turnOf.get(id) ?? []);
    return turns.length > 0 ? turns.reduce((most, turn) => Math.max(most, turn), 0) + 1 : (next.get(asked.key) ?? 0);
  };
  return {
    answer: (asked) => answers[positionOf(asked)] ?? { text: "The recording ends here." },
    delivered: (asked) => void next.set(asked.key, positionOf(asked) + 1),
  };
}
