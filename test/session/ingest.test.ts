/** Results digested as they arrive: small ones stay, originals are kept first, and a resent history goes out as before. */
import { describe, expect, it } from "vitest";
import { createMeasure } from "../../src/core/transcript/measure.ts";
import { contentText, textMessage, type Message, type Transcript } from "../../src/core/transcript/message.ts";
import { createRuntime } from "../../src/session/runtime.ts";
import { createMemoryStore } from "../../src/store/memory.ts";

const LIMIT_TOKENS = 1_000;

function read(step: number, lines: number): readonly Message[] {
  const text = Array.from({ length: lines }, (_, at) => `${at}: step ${step} looked at value_${at * 31 + step}`).join(
    "\n",
  );
  return [
    {
      role: "assistant",
      parts: [{ kind: "tool-call", id: `c${step}`, name: "read", arguments: `{"path":"f${step}.txt"}` }],
    },
    { role: "tool", parts: [{ kind: "tool-result", callId: `c${step}`, content: [{ kind: "text", text }] }] },
  ];
}

function conversation(...results: readonly number[]): Transcript {
  const messages = results.flatMap((lines, step) => read(step, lines));
  return { system: [], messages: [textMessage("user", "Find value_93 in the files."), ...messages] };
}

const textsOf = ({ messages }: Transcript): readonly string[] => messages.map(({ parts }) => contentText(parts));

describe("a limit for what arrives", () => {
  it("digests a large result at once, and leaves a small one", async () => {
    const runtime = createRuntime({ ingestLimitTokens: LIMIT_TOKENS });
    const original = conversation(20, 900);
    const { transcript } = await runtime.prepare(original);
    expect(transcript.messages[2]).toBe(original.messages[2]);
    expect(transcript.messages[4]!.origin).toBe("digest");
    expect(createMeasure().message(transcript.messages[4]!)).toBeLessThan(LIMIT_TOKENS);
    const [id] = /\br[0-9a-f]{16}\b/.exec(textsOf(transcript)[4]!)!;
    expect((await runtime.recall(id))[0]!.text).toBe(textsOf(original)[4]);
  });

  it("sends what was sent before as it was, in another process and with more behind it", async () => {
    const store = createMemoryStore();
    const first = await createRuntime({ store, ingestLimitTokens: LIMIT_TOKENS }).prepare(conversation(20, 900));
    const later = createRuntime({ store, ingestLimitTokens: LIMIT_TOKENS });
    const { transcript } = await later.prepare(conversation(20, 900, 700, 10));
    expect(textsOf(transcript).slice(0, 5)).toEqual(textsOf(first.transcript));
    const again = await later.prepare(conversation(20, 900, 700, 10, 5));
    expect(textsOf(again.transcript).slice(0, 9)).toEqual(textsOf(transcript));
  });

  it("takes nothing out that cannot be kept", async () => {
    const store = createMemoryStore();
    let fails = true;
    const broken = {
      ...store,
      putOriginals: async (...given: Parameters<typeof store.putOriginals>) => {
        if (fails) throw new Error("disk full");
        return store.putOriginals(...given);
      },
    };
    const runtime = createRuntime({ store: broken, ingestLimitTokens: LIMIT_TOKENS });
    // The very same messages: their digests are remembered by then.
    const original = conversation(900);
    await expect(runtime.prepare(original)).rejects.toThrow("disk full");
    fails = false;
    const { transcript } = await runtime.prepare(original);
    const [id] = /\br[0-9a-f]{16}\b/.exec(textsOf(transcript)[2]!)!;
    expect(await runtime.recall(id)).toHaveLength(1);
  });

  it("holds on through compactions", async () => {
    const settings = { contextLength: 12_000 };
    const runtime = createRuntime({ settings, ingestLimitTokens: LIMIT_TOKENS });
    const sizes = Array.from({ length: 36 }, (_, at) => (at % 3 === 0 ? 900 : 20));
    let compactions = 0;
    for (let turns = 1; turns <= sizes.length; turns++) {
      const { transcript, compaction } = await runtime.prepare(conversation(...sizes.slice(0, turns)));
      compactions += compaction === undefined ? 0 : 1;
      const measure = createMeasure();
      for (const message of transcript.messages)
        if (message.role === "tool") expect(measure.message(message)).toBeLessThanOrEqual(LIMIT_TOKENS);
    }
    expect(compactions).toBeGreaterThan(0);
  });

  it("is off where nobody asks for it", async () => {
    const original = conversation(900);
    expect((await createRuntime().prepare(original)).transcript).toBe(original);
  });
});
