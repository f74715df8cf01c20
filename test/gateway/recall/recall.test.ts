/** What a compaction took away comes back through the recall tool, in one answer in which the client sees nothing of it. */
import { describe, expect, it } from "vitest";
import { RECALL_TOOL } from "../../../src/gateway/recall/tool.ts";
import { PROTOCOLS } from "../support/asking.ts";
import { stand } from "../support/standing.ts";
import { agentOf } from "./support/agents.ts";
import {
  lastTold,
  listIn,
  listText,
  longSession,
  recallCall,
  scripted,
  VALUE,
  WINDOW_TOKENS,
} from "./support/scene.ts";

const CASES = PROTOCOLS.flatMap((protocol) => [true, false].map((stream) => ({ protocol, stream })));

/** Markers wander; without them a request's beginning is compared byte for byte. */
const GATEWAY = { contextLength: WINDOW_TOKENS, recall: { offer: "on" as const }, caching: { enabled: false } };
const PROVIDER = { every: { windowTokens: WINDOW_TOKENS } };

describe.each(CASES)("$protocol, streamed $stream", ({ protocol, stream }) => {
  it("fetches a value alone, and puts the hidden exchange back from then on", async () => {
    const script = scripted(
      { text: "Let me look. ", calls: [recallCall()] },
      (asked) => ({ text: lastTold(asked).includes(VALUE) ? `They like ${VALUE}.` : "I do not know." }),
      { text: "You are welcome." },
    );
    const { provider, url, events } = await stand({ provider: { ...PROVIDER, script }, gateway: GATEWAY });
    const agent = agentOf({ url, protocol, history: longSession(), stream });
    agent.says("What does the harbour keeper like?");
    const said = await agent.ask();
    expect(said.text.replace("Let me look. ", "")).toBe(`They like ${VALUE}.`);
    expect(said.calls).toEqual([]);
    const [first, second] = provider.requests.map(({ body }) => body);
    expect(first).not.toContain(VALUE);
    expect(first).toContain(RECALL_TOOL);
    expect(listText(second!).startsWith(listText(first!))).toBe(true);

    agent.says("Thank you.");
    expect(JSON.stringify(agent.list)).not.toContain(RECALL_TOOL);
    expect((await agent.ask()).text).toBe("You are welcome.");
    const third = provider.requests[2]!.body;
    expect(listText(third).startsWith(listText(second!))).toBe(true);
    agent.says("Bye.");
    await agent.ask();
    expect(listText(provider.requests[3]!.body).startsWith(listText(third))).toBe(true);
    expect(provider.account().total.rejected).toEqual({});
    expect(events.filter(({ kind }) => kind === "recall")).toMatchObject([{ found: true }]);
  });

  it("fetches a value beside a call of the client's own", async () => {
    const script = scripted(
      { text: "Both. ", calls: [recallCall(), { name: "read", arguments: { path: "a.ts" } }] },
      (asked) => ({ text: JSON.stringify(asked.body).includes(VALUE) ? `They like ${VALUE}.` : "I do not know." }),
      { text: "You are welcome." },
    );
    const { provider, url } = await stand({ provider: { ...PROVIDER, script }, gateway: GATEWAY });
    const agent = agentOf({ url, protocol, history: longSession(), stream });
    agent.says("What does the harbour keeper like, and what is in a.ts?");
    const said = await agent.ask();
    expect(said.calls.map(({ name }) => name)).toEqual(["read"]);
    agent.results(said.calls, "export const a = 1;");
    expect((await agent.ask()).text).toBe(`They like ${VALUE}.`);
    agent.says("Thank you.");
    await agent.ask();
    const [first, second, third] = provider.requests.map(({ body }) => body);
    expect(listText(second!).startsWith(listText(first!))).toBe(true);
    expect(listText(third!).startsWith(listText(second!))).toBe(true);
    expect(listIn(second!).length).toBeLessThan(listIn(third!).length);
    expect(provider.account().total.rejected).toEqual({});
  });
});
