/** The measure: what it remembers changes no figure. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { estimateText } from "../../../src/core/transcript/estimate.ts";
import { calibrated, createMeasure } from "../../../src/core/transcript/measure.ts";
import { textMessage, type Message } from "../../../src/core/transcript/message.ts";
import { RUNS } from "../../support/transcripts.ts";

/** Long texts, many of them of one length: a memory that compared less than the whole would take one for another. */
const long = fc
  .tuple(fc.constantFrom("lorem ", "a/b.ts ", "文件 x "), fc.constantFrom(600, 1_200), fc.constantFrom("end", "0x1"))
  .map(([unit, times, end]) => unit.repeat(times) + end);
const texts = fc.array(fc.oneof(long, fc.string({ maxLength: 40 })), { maxLength: 12 });

describe("a measure", () => {
  it("weighs a text as if it had weighed none before, by itself and as a message", () => {
    fc.assert(
      fc.property(texts, (some) => {
        const measure = createMeasure();
        const bare = measure.message(textMessage("user", ""));
        for (const text of some) {
          expect(measure.text(text)).toBe(estimateText(text));
          expect(measure.message(textMessage("user", text))).toBe(bare + estimateText(text));
        }
      }),
      { numRuns: RUNS },
    );
  });

  it("counts an image as it is told, in messages and results, also where it is calibrated", () => {
    const image = { kind: "image", source: { type: "url", url: "https://example.com/a.png" } } as const;
    const shown: Message = { role: "user", parts: [image] };
    const result: Message = { role: "tool", parts: [{ kind: "tool-result", callId: "c", content: [image, image] }] };
    const [plain, told] = [createMeasure(), createMeasure({ imageTokens: 600 })];
    expect(plain.message(shown) - told.message(shown)).toBe(1_000);
    expect(plain.message(result) - told.message(result)).toBe(2_000);
    const doubled = calibrated(told, 2);
    expect(doubled.message(shown)).toBe(2 * told.message(shown));
    expect(doubled.imageTokens).toBe(600);
  });
});
