/** A history that a client sends again has the links it had, whatever the client changes about it that says the same. */
import { hash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createChain } from "../../../src/core/transcript/links.ts";
import { protocols } from "../../../src/protocols/index.ts";
import { type ProtocolName } from "../../../src/core/protocols.ts";
import { OTHER_HISTORIES, SHAPES } from "./shapes.ts";

const chain = createChain((text) => hash("sha256", text));

function linksOf(protocol: ProtocolName, body: unknown): readonly string[] {
  return chain.linksOf(protocols[protocol].decode(JSON.stringify(body)).transcript.messages);
}

describe("the links of what was sent before", () => {
  it.each(SHAPES)("stay: $what", ({ protocol, earlier, later }) => {
    expect(JSON.stringify(earlier)).not.toBe(JSON.stringify(later));
    const [before, after] = [linksOf(protocol, earlier), linksOf(protocol, later)];
    expect(before.length).toBeGreaterThan(0);
    expect(after.slice(0, before.length)).toEqual(before);
  });

  it.each(OTHER_HISTORIES)("change: $what", ({ protocol, earlier, later }) => {
    const [before, after] = [linksOf(protocol, earlier), linksOf(protocol, later)];
    expect(after.slice(0, before.length)).not.toEqual(before);
    expect(after[0]).toBe(before[0]);
  });
});
