import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wireText } from "../../src/logs/detect.ts";
import { protocols } from "../../src/protocols/index.ts";
import { bodies, RUNS, WIRE_NAMES } from "../support/transcripts.ts";

describe("plain JSON lines", () => {
  it("keep each message's bytes, big integers, spaces and escapes included", () => {
    const lines = [
      '{"role":"user" , "content":"a\\u00e9\\/"}',
      '{ "role":"assistant","content":null,"n":12345678901234567890}',
    ];
    const { json, notes } = wireText(`\uFEFF${lines[0]}\r\n\n${lines[1]}\n{"half`);
    for (const line of lines) expect(json).toContain(line);
    expect(JSON.parse(json)).toHaveLength(2);
    expect(notes).toMatchObject([{ code: "corrupt_line", line: 4 }]);
  });

  it("give the longest of several request bodies, as it was", () => {
    const short = '{"model":"m","messages":[{"role":"user","content":"title?"}]}';
    const long = '{"model":"m","messages":[{"role":"user","content":"go"}, {"role":"assistant","content":"yes"}]}';
    expect(wireText([short, long, short].join("\n"))).toMatchObject({
      json: long,
      notes: [{ code: "bodies_skipped", line: 2 }],
    });
  });

  it("are refused where no line is a message", () => {
    expect(() => wireText('{"level":"info"}\nhello')).toThrow(expect.objectContaining({ code: "unreadable_input" }));
  });

  it.each([
    '{"model":"m","input":[{"type":"x_step","n":1},{"role":"user","content":"hello"}]}',
    '{"model":"m","messages":[{"role":"assistant","x_trace":1}]}',
  ])("hold a request whose first element only its model makes known: %s", (body) => {
    expect(wireText(`${body}\n{"half`).json).toBe(body);
  });

  it.each(WIRE_NAMES)("hold any generated %s body on a line of its own, unchanged", (protocol) => {
    fc.assert(
      fc.property(bodies(protocol, { layout: "compact", bare: false }), ({ text }) => {
        const parsed = JSON.parse(text) as Record<string, unknown[] | undefined>;
        fc.pre((parsed[protocols[protocol].keys.messages] ?? []).length > 0 && !text.includes("\n"));
        expect(wireText(`${text}\n{"half`).json).toBe(text);
      }),
      { numRuns: Math.ceil(RUNS / 5) },
    );
  });
});
