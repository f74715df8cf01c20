/** A compaction that comes from outside, out of a file or from another program: it is looked through before it is applied. */
import { PrecisError } from "../errors.ts";
import { listOf, anything, record, ShapeError } from "../shapes.ts";
import type { Transcript } from "../transcript/message.ts";
import { applyCompaction, type Compaction } from "./compaction.ts";
import { holdPlaces, appliedShape } from "./shape.ts";

const transcriptShape = record({ system: listOf(anything), messages: listOf(anything) });

/**
 * The transcript with the compaction in place of the prefix it covers; one that came back from JSON does the same.
 *
 * @throws PrecisError `bad_compaction` for one that is damaged or not of this conversation, with the place.
 */
export function applyGivenCompaction(transcript: Transcript, compaction: Compaction): Transcript {
  try {
    transcriptShape(transcript, "transcript");
    appliedShape(compaction, "compaction");
    holdPlaces(compaction, transcript.messages.length, "compaction");
    return applyCompaction(transcript, compaction);
  } catch (cause) {
    const isOurs = cause instanceof ShapeError;
    const because = isOurs ? cause.message : "it cannot be read";
    throw new PrecisError(`The compaction cannot be applied: ${because}.`, {
      code: "bad_compaction",
      place: isOurs ? cause.place : "compaction",
      hint: "Pass a compaction that this version of precis made, with the conversation that it was made from or a continuation of it.",
      ...(isOurs ? {} : { cause }),
    });
  }
}
