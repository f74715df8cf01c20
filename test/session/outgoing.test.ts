/** Redaction of what is sent to the main model: off by default, whole where it is on. */
import { describe, expect, test } from "vitest";
import { createSession } from "../../src/index.ts";
import { MARKER } from "../../src/core/redaction/mask.ts";
import { PLANTED, survivors } from "../core/redaction/everywhere.ts";

const request = {
  model: "m",
  messages: [
    { role: "system", content: "You deploy. DB_PASSWORD=hunter2x" },
    ...PLANTED.filter((_one, at) => at % 12 === 0).flatMap(({ text }, at) => [
      { role: "user", content: text },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: `c${at}`, type: "function", function: { name: "run", arguments: JSON.stringify({ text }) } },
        ],
      },
      { role: "tool", tool_call_id: `c${at}`, content: text },
    ]),
    { role: "user", content: "Go on." },
  ],
};
const planted = PLANTED.filter((_one, at) => at % 12 === 0);

describe("what is sent", () => {
  test("is what came, where nobody asked for anything else", async () => {
    expect((await createSession().prepare(request)).request).toBe(request);
  });

  test("holds no secret in any message where redactOutgoing is on, and stays valid", async () => {
    const { request: sent } = await createSession({ redactOutgoing: true }).prepare(request);
    const messages = JSON.stringify(sent);
    expect(planted.filter(({ secret }) => survivors(secret, messages, 10).length > 0)).toEqual([]);
    expect(sent.messages[0]).toEqual({ role: "system", content: `You deploy. DB_PASSWORD=${MARKER}` });
    expect(sent.messages).toHaveLength(request.messages.length);
    expect(sent.messages.at(-1)).toEqual(request.messages.at(-1));
    for (const message of sent.messages) {
      const calls = "tool_calls" in message ? (message.tool_calls ?? []) : [];
      for (const call of calls) expect(() => JSON.parse(call.function.arguments)).not.toThrow();
    }
  });

  test("looks the same in every request, so that a cache stays warm", async () => {
    const session = createSession({ redactOutgoing: true });
    const first = JSON.stringify((await session.prepare(request)).request);
    const longer = { ...request, messages: [...request.messages, { role: "assistant", content: "Done." }] };
    const second = JSON.stringify((await session.prepare(longer)).request);
    expect(second.startsWith(first.slice(0, first.lastIndexOf("]")))).toBe(true);
  });

  test("is redacted after a compaction too, tail and all, while the client's own history is not touched", async () => {
    const session = createSession({ redactOutgoing: true });
    const before = JSON.stringify(request);
    const made = await session.compact(request, { budget: 12_000 });
    expect(made.kind).toBe("compacted");
    const sent = JSON.stringify(made.request);
    expect(planted.filter(({ secret }) => survivors(secret, sent, 10).length > 0)).toEqual([]);
    expect(JSON.stringify(request)).toBe(before);
  });
});
