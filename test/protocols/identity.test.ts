/** A body that nobody changed goes out as it came, byte for byte, and is read as what was meant. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { detectProtocol, protocols } from "../../src/protocols/index.ts";
import { bodies, RUNS, WIRE_NAMES } from "../support/transcripts.ts";
import { meaningOf } from "./meaning.ts";

describe.each(WIRE_NAMES)("%s", (name) => {
  const protocol = protocols[name];

  test("splicing the decoded transcript gives the body itself", () => {
    fc.assert(
      fc.property(bodies(name), ({ text }) => {
        const decoded = protocol.decode(text);
        expect(protocol.splice(decoded, decoded.transcript) === text).toBe(true);
        // Also when the lists are other arrays of the same messages.
        const { system, messages } = decoded.transcript;
        expect(
          protocol.splice(decoded, { ...decoded.transcript, system: [...system], messages: [...messages] }) === text,
        ).toBe(true);
      }),
      { numRuns: RUNS },
    );
  });

  test("a body is read as the conversation it was written from", () => {
    fc.assert(
      fc.property(bodies(name), ({ text, transcript }) => {
        const decoded = protocol.decode(text);
        expect(meaningOf(decoded.transcript)).toEqual(meaningOf(transcript));
      }),
      { numRuns: RUNS },
    );
  });

  test("what was decoded is frozen, and every message knows its bytes", () => {
    fc.assert(
      fc.property(bodies(name, { large: false }), ({ text }) => {
        const { transcript } = protocol.decode(text);
        for (const message of [...transcript.system, ...transcript.messages]) {
          expect(
            Object.isFrozen(message) && Object.isFrozen(message.parts) && message.parts.every(Object.isFrozen),
          ).toBe(true);
          const { wire, ...content } = message;
          expect(wire?.members).toContainEqual(content);
          expect(text.includes(message.wire!.raw)).toBe(true);
        }
      }),
      { numRuns: Math.ceil(RUNS / 5) },
    );
  });

  test("its own requests are told from the others' by their shape", () => {
    fc.assert(
      fc.property(bodies(name, { valid: true, large: false, bare: false }), ({ text, transcript }) => {
        const calls = transcript.messages.some(({ role }) => role === "tool");
        if (calls) expect(detectProtocol(text)).toBe(name);
      }),
      { numRuns: Math.ceil(RUNS / 5) },
    );
  });
});
