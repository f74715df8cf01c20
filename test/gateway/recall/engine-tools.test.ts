/** An engine's own tools reach the model through the gateway, and the client sees nothing of them. */
import { describe, expect, it } from "vitest";
import type { Answer, ScriptedRequest } from "../../../provider/src/answers.ts";
import { fieldsOf, listOf } from "../../../src/protocols/fields.ts";
import { RECALL_TOOL } from "../../../src/session/recall/answer.ts";
import { bodyOf } from "../support/asking.ts";
import { stand } from "../support/standing.ts";
import { agentOf, toolsOf } from "./support/agents.ts";
import { lastTold, listText, longSession, scripted, VALUE, WINDOW_TOKENS } from "./support/scene.ts";
import { SDK_PROTOCOLS } from "./support/sdk-protocols.ts";

const CASES = SDK_PROTOCOLS.flatMap((protocol) => [true, false].map((stream) => ({ protocol, stream })));
/** Markers wander; without them a request's beginning is compared byte for byte. */
const GATEWAY = { engine: "lossless", contextLength: WINDOW_TOKENS, caching: { enabled: false } } as const;
const PROVIDER = { every: { windowTokens: WINDOW_TOKENS } };
const LOSSLESS_TOOLS = ["lcm_grep", "lcm_describe", "lcm_expand", "lcm_expand_query"];
const QUESTION = "What does the harbour keeper like?";

const calls = (name: string, given: object): Answer => ({ calls: [{ name, arguments: given }] });
const idIn = (text: string): string => /r[0-9a-f]{16}/.exec(text)![0];

/** Searches, describes and expands what it found, and asks about it. */
function searching(told: string[]): (asked: ScriptedRequest) => Answer {
  const listening = (answer: (text: string) => Answer) => (asked: ScriptedRequest) => {
    told.push(lastTold(asked));
    return answer(told.at(-1)!);
  };
  return scripted(
    calls("lcm_grep", { words: "harbour ke+per \\w+ quince", mode: "regex" }),
    listening((text) => calls("lcm_describe", { id: idIn(text) })),
    listening((text) => calls("lcm_expand", { id: idIn(text) })),
    listening(() => calls("lcm_expand_query", { question: QUESTION })),
    listening(() => ({ text: told[0]!.includes(VALUE) ? `They like ${VALUE}.` : "I do not know." })),
    { text: "You are welcome." },
  );
}

describe.each(CASES)("lossless behind the gateway: $protocol, streamed $stream", ({ protocol, stream }) => {
  it("finds, describes and expands what left, in one answer that shows none of it", async () => {
    const told: string[] = [];
    const { provider, url, events } = await stand({
      provider: { ...PROVIDER, script: searching(told) },
      gateway: GATEWAY,
    });
    const agent = agentOf({ url, protocol, history: longSession(), stream });
    agent.says(QUESTION);
    expect(await agent.ask()).toMatchObject({ text: `They like ${VALUE}.`, calls: [] });
    expect(told[1]!.includes("depth 0")).toBe(true);
    expect(told[2]!.includes("harbour line 12 of")).toBe(true);
    expect(told[3]!.includes(VALUE)).toBe(true);
    const [first] = provider.requests.map(({ body }) => body);
    for (const name of LOSSLESS_TOOLS) expect(first).toContain(`"${name}"`);
    expect(first).not.toContain(`"${RECALL_TOOL}"`);

    agent.says("Thank you.");
    expect(JSON.stringify(agent.list)).not.toContain("lcm_");
    await agent.ask();
    const [before, after] = provider.requests.slice(4).map(({ body }) => body);
    expect(listText(after!).startsWith(listText(before!))).toBe(true);
    expect(provider.account().total.rejected).toEqual({});
    expect(events.filter(({ kind }) => kind === "recall")).toMatchObject(
      LOSSLESS_TOOLS.map((tool) => ({ tool, found: true })),
    );
  });
});

describe("lossless behind the gateway: the Gemini API", () => {
  it.each([true, false])("answers its calls, streamed %s", async (stream) => {
    const told: string[] = [];
    const { provider, url } = await stand({ provider: { ...PROVIDER, script: searching(told) }, gateway: GATEWAY });
    const body = JSON.parse(bodyOf("google-gemini", longSession())) as { contents: unknown[] };
    const asked = { role: "user", parts: [{ text: QUESTION }] };
    const tools = [{ functionDeclarations: [{ name: "read", parameters: { type: "object", properties: {} } }] }];
    const method = stream ? "streamGenerateContent?alt=sse" : "generateContent";
    const response = await fetch(`${url}/v1beta/models/gemini-3.7-flash:${method}`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-goog-api-key": "key" },
      body: JSON.stringify({ ...body, tools, contents: [...body.contents, asked] }),
    });
    const text = await response.text();
    expect(text).toContain("quince");
    expect(text).not.toContain("lcm_");
    expect(provider.requests).toHaveLength(5);
    expect(provider.account().total.rejected).toEqual({});
  });
});

describe("which tools a client is offered", () => {
  const offered = async (gateway: object, tools: readonly unknown[]): Promise<readonly unknown[]> => {
    const { provider, url } = await stand({
      provider: { ...PROVIDER, script: { text: "Yes." } },
      gateway: { ...GATEWAY, ...gateway },
    });
    await agentOf({
      url,
      protocol: "openai-chat",
      history: longSession(),
      stream: false,
      body: tools.length === 0 ? { tools: undefined } : { tools },
    }).ask();
    const sent = fieldsOf(JSON.parse(provider.requests[0]!.body));
    return listOf(sent["tools"]).map((tool) => fieldsOf(fieldsOf(tool)["function"])["name"]);
  };
  const own = toolsOf("openai-chat");

  it("leaves a name to the client that uses it", async () => {
    const grep = { type: "function", function: { name: "lcm_grep", parameters: { type: "object", properties: {} } } };
    expect(await offered({}, [...own, grep])).toEqual(["read", "lcm_grep", ...LOSSLESS_TOOLS.slice(1)]);
  });

  it("offers none where the recall tool is off, or the client has none", async () => {
    expect(await offered({ recall: { offer: "off" } }, own)).toEqual(["read"]);
    expect(await offered({}, [])).toEqual([]);
    expect(await offered({ recall: { offer: "always" } }, [])).toEqual(LOSSLESS_TOOLS);
  });
});
