/** A body of more elements than are wanted is refused before any of them is built. */
import { describe, expect, it } from "vitest";
import { WIRE_NAMES } from "../support/transcripts.ts";
import { protocols } from "../../src/protocols/index.ts";
import { type ProtocolName } from "../../src/core/protocols.ts";

const bodyOf = (protocol: ProtocolName, count: number): string =>
  JSON.stringify({
    model: "m",
    [protocols[protocol].keys.messages]: Array.from({ length: count }, () => ({ role: "user", content: "a" })),
  });

describe.each(WIRE_NAMES)("%s", (name) => {
  it("is read up to the limit, and refused above it", () => {
    const { decode } = protocols[name];
    expect(decode(bodyOf(name, 10), undefined, 10).transcript.messages).toHaveLength(10);
    expect(() => decode(bodyOf(name, 11), undefined, 10)).toThrow(
      expect.objectContaining({ code: "too_many_messages" }),
    );
    expect(() => decode(bodyOf(name, 11), decode(bodyOf(name, 10)), 10)).toThrow("more than 10 messages");
    expect(decode(bodyOf(name, 11)).transcript.messages).toHaveLength(11);
  });
});
