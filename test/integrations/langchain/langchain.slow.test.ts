/** An agent of LangChain with our middleware, against the strict provider: threads, tools, checkpoints, recall. */
import { ChatOpenAI } from "@langchain/openai";
import { MemorySaver } from "@langchain/langgraph";
import { createAgent, HumanMessage, tool } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createPrecis, type LangchainOptions } from "../../../src/integrations/langchain/index.ts";
import type { ProviderOptions } from "../../../provider/src/index.ts";
import { depotOf, says, smallProvider, WINDOW_TOKENS } from "../past-window.ts";

const TURNS = 30;
const settings = { contextLength: WINDOW_TOKENS };

const lookUp = tool(({ day }) => says(day), {
  name: "lookUp",
  description: "Looks up the orders of a day.",
  schema: z.object({ day: z.number() }),
});

interface Stood {
  readonly provider: Awaited<ReturnType<typeof smallProvider>>["provider"];
  readonly precis: ReturnType<typeof createPrecis>;
  readonly say: (text: string, thread?: string) => Promise<readonly { content: unknown }[]>;
  readonly stream: (text: string, thread?: string) => Promise<void>;
}

async function stand(options: LangchainOptions | undefined, given: ProviderOptions = {}): Promise<Stood> {
  const { provider, url } = await smallProvider(given);
  const precis = createPrecis(options);
  const model = new ChatOpenAI({
    model: "gpt-5.4",
    apiKey: "any",
    maxTokens: 500,
    maxRetries: 0,
    configuration: { baseURL: `${url}/v1` },
  });
  const agent = createAgent({
    model,
    tools: [lookUp],
    systemPrompt: "You look orders up.",
    checkpointer: new MemorySaver(),
    ...(options === undefined ? {} : { middleware: [precis.middleware] }),
  });
  const config = (thread: string) => ({ configurable: { thread_id: thread }, recursionLimit: 200 });
  return {
    provider,
    precis,
    say: async (text, thread = "a") =>
      (await agent.invoke({ messages: [new HumanMessage(text)] }, config(thread))).messages,
    stream: async (text, thread = "a") => {
      const chunks = await agent.stream(
        { messages: [new HumanMessage(text)] },
        { ...config(thread), streamMode: "messages" as const },
      );
      for await (const chunk of chunks) expect(chunk).toBeDefined();
    },
  };
}

describe("an agent", () => {
  it.each(["whole", "streamed"])("goes on past its window, answers %s", async (how) => {
    const { provider, precis, say, stream } = await stand({ settings });
    for (let turn = 0; turn < TURNS; turn++) {
      if (how === "whole") expect((await say(says(turn))).length).toBe(2 * (turn + 1));
      else await stream(says(turn));
    }
    expect(provider.account().total).toMatchObject({ answered: TURNS, rejected: {} });
    expect(precis.session("a")!.report().compactions).toBeGreaterThan(0);
    expect(provider.requests.at(-1)!.body).toContain("You look orders up.");
    expect(provider.requests.at(-1)!.body).toContain(depotOf(TURNS - 1));
  });

  it("is refused without it", async () => {
    const { say } = await stand(undefined);
    const converse = async (): Promise<void> => {
      for (let turn = 0; turn < TURNS; turn++) await say(says(turn));
    };
    await expect(converse()).rejects.toThrow(/context|too long|exceed/i);
  });

  it("goes on in a tool loop of one turn, with no call without its result", async () => {
    const script = ({ index }: { readonly index: number }) =>
      index < TURNS ? { calls: [{ name: "lookUp", arguments: { day: index } }] } : { text: "Done." };
    const { provider, say } = await stand({ settings }, { script });
    const messages = await say("Look every day up, from 0 on.");
    expect(messages.at(-1)!.content).toBe("Done.");
    expect(messages.length).toBe(2 + 2 * TURNS);
    expect(provider.account().total.rejected).toEqual({});
  });

  it("makes what the provider refuses smaller, where nobody knows the window", async () => {
    const { provider, say } = await stand({});
    for (let turn = 0; turn < TURNS; turn++) await say(says(turn));
    expect(Object.keys(provider.account().total.rejected)).toEqual(["window"]);
  });
});

describe("threads", () => {
  it("are sessions of their own", async () => {
    const { precis, say } = await stand({ settings });
    for (let turn = 0; turn < TURNS; turn++) await say(says(turn), "long");
    await say("Hello.", "short");
    const compactions = ["long", "short"].map((id) => precis.session(id)!.report().compactions);
    expect([compactions[0]! > 0, compactions[1], precis.session("other")]).toEqual([true, 0, undefined]);
  });

  it("that are no longer remembered find their compactions in the store", async () => {
    const { provider, precis, say } = await stand({ settings, threadsMax: 1 });
    for (let turn = 0; turn < TURNS; turn++) await say(says(turn), "long");
    await say("Hello.", "short");
    expect(precis.session("long")).toBeUndefined();
    const before = provider.requests.at(-2)!.body.length;
    await say("Go on.", "long");
    expect(provider.requests.at(-1)!.body.length).toBeLessThan(before + 2_000);
    expect(precis.session("long")!.report().compactions).toBe(0);
  });
});

it("offers recall from the first compaction on, and answers it", async () => {
  const script = ({ index }: { readonly index: number }) =>
    index === TURNS ? { calls: [{ name: "precis_recall", arguments: { query: depotOf(1) } }] } : { text: "Noted." };
  const { provider, say } = await stand({ settings }, { script });
  for (let turn = 0; turn < TURNS; turn++) await say(says(turn));
  const declares = ({ body }: { readonly body: string }): boolean => body.includes('"name":"precis_recall"');
  expect([declares(provider.requests[0]!), declares(provider.requests.at(-1)!)]).toEqual([false, true]);
  const messages = await say("What was the depot of day 1?");
  expect(JSON.stringify(messages.at(-2)!.content)).toContain(depotOf(1));
});
