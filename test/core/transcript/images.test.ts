/** What an image counts: 1,500 in the estimate of a whole transcript, 1,600 where a boundary is decided (Zhang 2026, section 9). */
import { describe, expect, it } from "vitest";
import { calibrated, createMeasure } from "../../../src/core/transcript/measure.ts";
import type { ContentPart, Message, Transcript } from "../../../src/core/transcript/message.ts";
import { protocols } from "../../../src/protocols/index.ts";

const IMAGE: ContentPart = {
  kind: "image",
  source: { type: "data", mediaType: "image/png", data: "A".repeat(1_000_000) },
};
const text = (value: string): ContentPart => ({ kind: "text", text: value });
const asked = (...parts: readonly ContentPart[]): Message => ({ role: "user", parts });
const answered = (...content: readonly ContentPart[]): Message => ({
  role: "tool",
  parts: [{ kind: "tool-result", callId: "c", content }],
});
const whole = (...messages: readonly Message[]): Transcript => ({ system: [], messages });
const measure = createMeasure();

describe("an image", () => {
  it.each([
    ["beside the words of a message", asked(text("See this."), IMAGE), asked(text("See this."))],
    ["in a tool's result", answered(text("A page."), IMAGE), answered(text("A page."))],
  ])("counts a flat price %s, whatever its bytes", (_, withImage, without) => {
    expect(measure.message(withImage) - measure.message(without)).toBe(1_600);
    expect(measure.messages([withImage]) - measure.messages([without])).toBe(1_600);
    expect(measure.transcript(whole(withImage)) - measure.transcript(whole(without))).toBe(1_500);
  });

  it("counts once for each, and under a factor as text does", () => {
    const five = Array.from({ length: 5 }, () => asked(IMAGE));
    expect(measure.messages(five) - measure.transcript(whole(...five))).toBe(500);
    const doubled = calibrated(measure, 2);
    expect(doubled.messages(five) - doubled.transcript(whole(...five))).toBe(1_000);
  });

  it.each([
    [
      "Hermes' envelope",
      { _multimodal: true, content: [{ type: "image_url", image_url: { url: "data:image/png;base64,IMAGE" } }] },
    ],
    ["MCP", [{ type: "audio", data: "IMAGE", mimeType: "audio/wav" }]],
  ])("counts a flat price within a block of an unknown kind: %s", (_, content) => {
    const body = (data: string): Transcript => {
      const messages = [{ role: "tool", tool_call_id: "c", content }];
      return protocols["openai-chat"].decode(JSON.stringify({ messages }).replace("IMAGE", data)).transcript;
    };
    const [long, short] = ["A".repeat(1_000_000), ""].map((data) => measure.transcript(body(data)));
    expect(long! - short!).toBeGreaterThan(1_500);
    expect(long! - short!).toBeLessThan(1_700);
  });

  it("counts what is stated of its model, in both", () => {
    const stated = createMeasure({ imageTokens: 300 });
    expect(stated.message(asked(IMAGE))).toBe(measure.message(asked()) + 300);
    expect(stated.transcript(whole(asked(IMAGE)))).toBe(measure.message(asked()) + 300);
  });

  it.each([
    [
      "openai-chat",
      {
        messages: [
          { role: "user", content: [{ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }] },
        ],
      },
    ],
    [
      "openai-responses",
      { input: [{ role: "user", content: [{ type: "input_image", image_url: "data:image/png;base64,AAAA" }] }] },
    ],
    [
      "anthropic-messages",
      {
        max_tokens: 1,
        messages: [
          {
            role: "user",
            content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } }],
          },
        ],
      },
    ],
  ] as const)("is one in the shape of %s", (name, body) => {
    const { transcript } = protocols[name].decode(JSON.stringify({ model: "m", ...body }));
    expect(measure.transcript(transcript) - measure.message(asked())).toBe(1_500);
    expect(measure.messages(transcript.messages) - measure.message(asked())).toBe(1_600);
  });
});
