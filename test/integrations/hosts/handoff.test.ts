/** A compaction as a host gets it: one text, and the message from which on it keeps its own. */
import { describe, expect, it } from "vitest";
import { handoffFor } from "../../../src/integrations/hosts/handoff.ts";
import { piMessages, type PiMessage } from "../../../src/integrations/hosts/pi-messages.ts";
import { createRuntime } from "../../../src/session/runtime.ts";
import { depotOf, says, TURNS, WINDOW_TOKENS } from "../past-window.ts";

const runtime = () => createRuntime({ settings: { contextLength: WINDOW_TOKENS, protectFirstN: 0, note: "handoff" } });
const user = (text: string): PiMessage => ({ role: "user", content: text });

/** In each turn the agent looks something up. */
const conversation = (turns: number): PiMessage[] =>
  Array.from({ length: turns }, (_, turn) => [
    user(`Look up day ${turn}.`),
    { role: "assistant", content: [{ type: "toolCall", id: `call${turn}`, name: "lookUp", arguments: { day: turn } }] },
    {
      role: "toolResult",
      toolCallId: `call${turn}`,
      toolName: "lookUp",
      content: [{ type: "text", text: says(turn) }],
    },
    { role: "assistant", content: [{ type: "text", text: `Day ${turn} is looked up.` }] },
  ]).flat();

describe("a handoff", () => {
  it("stands in for all but the newest messages, which begin with no result", async () => {
    const messages = conversation(TURNS);
    const done = (await handoffFor(runtime(), piMessages, messages))!;
    expect(done.summary).toMatch(/^\[precis handoff 1\]/);
    expect(done.firstKept).toBeGreaterThan(messages.length / 2);
    expect(["user", "assistant"]).toContain(messages[done.firstKept]!.role);
    expect(done.tokensAfter).toBeLessThan(WINDOW_TOKENS / 2);
    expect(done.tokensBefore).toBeGreaterThan(2 * WINDOW_TOKENS);
  });

  it("keeps the live request word for word, whatever is kept beside it", async () => {
    const request = user(`Add up all orders. ${"Mind the depots. ".repeat(20)}`);
    const done = (await handoffFor(runtime(), piMessages, [request, ...conversation(TURNS).slice(1)], {
      keepNothing: true,
    }))!;
    const messages = [
      ...conversation(TURNS),
      request,
      ...conversation(20)
        .slice(1)
        .filter(({ role }) => role !== "user"),
    ];
    const second = (await handoffFor(runtime(), piMessages, messages))!;
    expect(done.firstKept).toBe(4 * TURNS);
    const shown = second.summary + JSON.stringify(messages.slice(second.firstKept));
    expect(shown).toContain(String(request.content));
  });

  it("is written anew from the originals as the conversation grows, and what it removed can be recalled", async () => {
    const own = runtime();
    await handoffFor(own, piMessages, conversation(TURNS / 2));
    const { summary } = (await handoffFor(own, piMessages, conversation(TURNS)))!;
    expect(summary.match(/\[precis handoff \d+\]/g)).toHaveLength(1);
    const [hit] = await own.recall(depotOf(3));
    expect(hit!.text).toContain(depotOf(3));
  });

  it("is none where nothing can be made smaller", async () => {
    expect(await handoffFor(runtime(), piMessages, [user("Hello.")])).toBeUndefined();
  });

  it("ends when its host does not want it any more", async () => {
    const signal = AbortSignal.abort(new Error("no more"));
    await expect(handoffFor(runtime(), piMessages, conversation(TURNS), { signal })).rejects.toThrow("no more");
  });
});
