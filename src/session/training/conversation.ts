/** One conversation as a line of a data set: as it was before precis, without secrets, what precis wrote dropped or labelled. */
import { redactJson } from "../../core/redaction/json.ts";
import type { Redactor } from "../../core/redaction/redactor.ts";
import { callsOf, resultOf, withParts, type Message, type Transcript } from "../../core/transcript/message.ts";
import { protocols, type ProtocolName } from "../../protocols/index.ts";
import { exportedWithoutSecrets, ORIGIN_MEMBER, originsOf } from "../synthetic.ts";
import { restoreOriginals, type FindOriginal } from "./restore.ts";

export const TRAINING_SYNTHETIC = ["drop", "label"] as const;

export interface TrainingOptions {
  /** What becomes of what precis wrote. */
  readonly synthetic: (typeof TRAINING_SYNTHETIC)[number];
  readonly to: ProtocolName;
  readonly redact: Redactor;
  readonly find: FindOriginal;
}

export interface TrainingCounts {
  /** Messages in the line. */
  readonly messages: number;
  /** Messages, results and arguments that were put back from their originals. */
  readonly restored: number;
  /** Recall ids whose originals are not there any more: what they stood for is missing. */
  readonly missing: number;
  /** Messages that precis wrote or shortened, and that were left out. */
  readonly dropped: number;
  /** The same, where they were kept with a label. */
  readonly labelled: number;
  /** Messages in which secrets were masked. */
  readonly redacted: number;
}

export interface TrainingConversation {
  readonly body: object;
  readonly counts: TrainingCounts;
}

export async function trainingConversation(
  transcript: Transcript,
  { synthetic, to, redact, find }: TrainingOptions,
): Promise<TrainingConversation> {
  const { messages: whole, restored, missing } = await restoreOriginals(transcript.messages, find);
  // The note about handoffs in the system prompt is precis' own.
  const system = (await restoreOriginals(transcript.system, find)).messages.filter(isTheirs);
  const kept = synthetic === "drop" ? withoutSynthetic(whole) : whole;
  const safe = kept.map((message) => exportedWithoutSecrets(message, redact));
  const { tools, ...rest } = transcript;
  const body = protocols[to].encode({
    ...rest,
    system: system.map((message) => exportedWithoutSecrets(message, redact)),
    messages: safe,
    ...(tools === undefined ? {} : { tools: redactJson(tools, redact) }),
  });
  const origins = originsOf(to, safe);
  // Chat has its system prompt among the messages.
  const first = body.messages.length - protocols[to].encode({ system: [], messages: safe }).messages.length;
  const labelled = body.messages.map((message, at) => labelledAs(message, origins.get(at - first)));
  const ours = whole.filter((message) => !isTheirs(message)).length;
  return {
    body: { ...body, messages: labelled },
    counts: {
      messages: labelled.length,
      restored,
      missing: missing.length,
      dropped: synthetic === "drop" ? ours : 0,
      labelled: synthetic === "label" ? ours : 0,
      redacted: safe.filter((message, at) => message !== kept[at]).length,
    },
  };
}

function isTheirs({ origin }: Message): boolean {
  return origin === undefined;
}

/** A call goes with its shortened result, and a result with its shortened call: one without the other teaches nothing. */
function withoutSynthetic(messages: readonly Message[]): readonly Message[] {
  const gone = new Set<string>();
  for (const message of messages.filter((one) => !isTheirs(one))) {
    for (const { id } of callsOf(message)) gone.add(id);
    const result = resultOf(message);
    if (result !== undefined) gone.add(result.callId);
  }
  return messages.filter(isTheirs).flatMap((message) => {
    const parts = message.parts.filter(
      (part) =>
        !(part.kind === "tool-call" && gone.has(part.id)) && !(part.kind === "tool-result" && gone.has(part.callId)),
    );
    if (parts.length === message.parts.length) return [message];
    return parts.length === 0 ? [] : [withParts(message, parts)];
  });
}

function labelledAs(message: unknown, origin: string | undefined): unknown {
  return origin === undefined ? message : { [ORIGIN_MEMBER]: origin, ...(message as object) };
}
