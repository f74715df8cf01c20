/** What a compaction took away comes back through the recall tool, in one answer in which the client sees nothing of it. */
import { describe, expect, it } from "vitest";
import type { Answer, ScriptedRequest } from "../../../provider/src/answers.ts";
import { RECALL_TOOL } from "../../../src/session/recall/answer.ts";
import { SDK_PROTOCOLS } from "./support/sdk-protocols.ts";
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

const CASES = SDK_PROTOCOLS.flatMap((protocol) => [true, false].map((stream) => ({ protocol, stream })));

/** Markers wander; without them a request's beginning is compared byte for byte. */
const GATEWAY = { contextLength: WINDOW_TOKENS, caching: { enabled: false } };

/** How each protocol demands a call of any tool. */
const CALL_DEMANDED = {
  "openai-chat": "required",
  "openai-responses": "required",
  "anthropic-messages": { type: "any" },
} as const;
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

  it("reads by the number of a hit, in one answer", async () => {
    const told: string[] = [];
    const numberIn = (text: string): string => /r[0-9a-f]{16} (\d+) tool/.exec(text)![1]!;
    const listening = (answer: (text: string) => Answer) => (asked: ScriptedRequest) => {
      told.push(lastTold(asked));
      return answer(told.at(-1)!);
    };
    const calls = (given: object) => ({ calls: [{ name: RECALL_TOOL, arguments: given }] });
    const script = scripted(
      { calls: [recallCall("harbour keeper")] },
      listening((text) => calls({ messages: numberIn(text), role: "tool" })),
      listening(() => calls({ messages: `1-${numberIn(told[0]!)}`, outline: true })),
      listening(() => ({ text: "Marmalade." })),
    );
    const { provider, url, events } = await stand({ provider: { ...PROVIDER, script }, gateway: GATEWAY });
    const agent = agentOf({ url, protocol, history: longSession(), stream });
    agent.says("What does the harbour keeper like?");
    expect(await agent.ask()).toMatchObject({ text: "Marmalade.", calls: [] });
    const number = numberIn(told[0]!);
    expect(told[1]).toContain(`── ${number} tool (read)`);
    expect(told[1]).toContain(VALUE);
    expect(told[2]).toContain(`${number} tool (read): `);
    expect(told[2]).not.toContain(VALUE);
    expect(events.filter(({ kind }) => kind === "recall")).toMatchObject([
      { found: true },
      { found: true },
      { found: true },
    ]);
    expect(provider.account().total.rejected).toEqual({});
  });

  it("sends arguments that are not JSON back as an empty object, and says what was wrong", async () => {
    const script = scripted({ calls: [{ name: RECALL_TOOL, arguments: "{not json" }] }, (asked) => ({
      text: lastTold(asked),
    }));
    const { provider, url } = await stand({ provider: { ...PROVIDER, script }, gateway: GATEWAY });
    const agent = agentOf({ url, protocol, history: longSession(), stream });
    agent.says("What does the harbour keeper like?");
    const { text } = await agent.ask();
    // In Messages an input is a value: a text becomes a field, and is taken as words.
    expect(text).toContain(protocol === "anthropic-messages" ? "Nothing that left" : "not JSON");
    if (protocol !== "anthropic-messages") expect(listText(provider.requests[1]!.body)).toContain('"arguments":"{}"');
    expect(provider.account().total.rejected).toEqual({});
  });

  it("gives a client that demands a call one of its own", async () => {
    const script = scripted({ calls: [recallCall()] }, { calls: [{ name: "read", arguments: { path: "a.ts" } }] });
    const { provider, url } = await stand({ provider: { ...PROVIDER, script }, gateway: GATEWAY });
    const body = { tool_choice: CALL_DEMANDED[protocol] };
    const agent = agentOf({ url, protocol, history: longSession(), stream, body });
    agent.says("What is in a.ts?");
    expect((await agent.ask()).calls.map(({ name }) => name)).toEqual(["read"]);
    const choices = provider.requests.map((one) => (JSON.parse(one.body) as { tool_choice: unknown }).tool_choice);
    expect(choices).toEqual([body.tool_choice, body.tool_choice]);
    expect(provider.account().total.rejected).toEqual({});
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
