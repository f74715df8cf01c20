/**
 * Generators shared by all tests: transcripts in the core's own form, and request bodies of each protocol together with
 * the transcript they mean. Both come from one drawn conversation, so a shape added to it reaches every test.
 */
import * as fc from "fast-check";
import type { Transcript } from "../../src/core/transcript/message.ts";
import { JSON_LAYOUTS, type JsonLayout } from "./json-text.ts";
import { transcriptOf } from "./turns-to-ir.ts";
import { bodyText, type WireName } from "./turns-to-wire.ts";
import { kits } from "./wires.ts";
import { conversations, type ConversationOptions } from "./turns.ts";

export { RUNS } from "./cases.ts";
export { WIRE_NAMES, type WireName } from "./turns-to-wire.ts";

/** Transcripts without wire slices. `{ valid: true }` leaves out orphans, broken arguments and empty messages. */
export function transcripts(options: ConversationOptions = {}): fc.Arbitrary<Transcript> {
  return conversations(options).map((conversation) => transcriptOf(conversation));
}

export interface GeneratedBody {
  readonly protocol: WireName;
  readonly text: string;
  /** What a decoder must read from it, without wire slices and block indices. */
  readonly transcript: Transcript;
}

export interface BodyOptions extends ConversationOptions {
  /** Default: any. */
  readonly layout?: JsonLayout;
  /** Only the message array, not a whole request. Default: either. */
  readonly bare?: boolean;
}

/** Bodies of one protocol in every layout a client may use. */
export function bodies(protocol: WireName, options: BodyOptions = {}): fc.Arbitrary<GeneratedBody> {
  const form = fc.record({
    seed: fc.integer(),
    layout: options.layout === undefined ? fc.constantFrom(...JSON_LAYOUTS) : fc.constant(options.layout),
    bare:
      options.bare === undefined
        ? fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) })
        : fc.constant(options.bare),
  });
  return fc.tuple(conversations(options), form).map(([conversation, shape]) => ({
    protocol,
    text: bodyText(protocol, conversation, shape),
    transcript: transcriptOf(conversation, kits[protocol].traits),
  }));
}
