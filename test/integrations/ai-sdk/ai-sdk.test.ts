/** The AI SDK with our middleware and our `prepareStep`, against the strict provider. */
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, jsonSchema, stepCountIs, streamText, tool, wrapLanguageModel, type ModelMessage } from "ai";
import { describe, expect, it } from "vitest";
import { createPrecis } from "../../../src/integrations/ai-sdk/index.ts";
import { spread } from "../../support/cases.ts";
import { depotOf, says, smallProvider, TURNS, WINDOW_TOKENS } from "../past-window.ts";

const settings = { contextLength: WINDOW_TOKENS };
const MAX_OUTPUT_TOKENS = 500;

const MODELS = {
  "OpenAI, Chat Completions": (url: string) => createOpenAI({ apiKey: "any", baseURL: `${url}/v1` }).chat("gpt-5.4"),
  "OpenAI, Responses": (url: string) => createOpenAI({ apiKey: "any", baseURL: `${url}/v1` }).responses("gpt-5.4"),
  Anthropic: (url: string) => createAnthropic({ apiKey: "any", baseURL: `${url}/v1` })("claude-sonnet-4-5"),
};

type Model = ReturnType<(typeof MODELS)[keyof typeof MODELS]>;
type Talks = (model: Parameters<typeof generateText>[0]["model"], messages: ModelMessage[]) => Promise<string>;

const whole: Talks = async (model, messages) =>
  (await generateText({ model, messages, maxOutputTokens: MAX_OUTPUT_TOKENS, maxRetries: 0 })).text;

const streamed: Talks = async (model, messages) => {
  const failures: unknown[] = [];
  const onError = ({ error }: { error: unknown }): void => void failures.push(error);
  const { textStream } = streamText({ model, messages, maxOutputTokens: MAX_OUTPUT_TOKENS, maxRetries: 0, onError });
  let text = "";
  for await (const piece of textStream) text += piece;
  if (failures.length > 0) throw failures[0];
  return text;
};

async function converse(model: Parameters<Talks>[0], talk: Talks): Promise<void> {
  const messages: ModelMessage[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    messages.push({ role: "user", content: says(turn) });
    messages.push({ role: "assistant", content: await talk(model, [...messages]) });
  }
}

const wrapped = (model: Model, precis = createPrecis({ settings })) =>
  wrapLanguageModel({ model, middleware: precis.middleware });

describe.each(spread(Object.entries(MODELS)))("%s", (_, modelAt) => {
  it.each([
    ["whole", whole],
    ["streamed", streamed],
  ] as const)("goes on past its window, %s", async (_how, talk) => {
    const { provider, url } = await smallProvider();
    const precis = createPrecis({ settings });
    await converse(wrapped(modelAt(url), precis), talk);
    expect(provider.account().total).toMatchObject({ answered: TURNS, rejected: {} });
    expect(precis.report().compactions).toBeGreaterThan(1);
    expect(provider.requests.at(-1)!.body).toContain(depotOf(TURNS - 1));
  });

  it("is refused without it", async () => {
    const { url } = await smallProvider();
    await expect(converse(modelAt(url), whole)).rejects.toThrow(/context|too long|exceed/i);
  });

  it("makes what the provider refuses smaller, where nobody knows the window", async () => {
    const { provider, url } = await smallProvider();
    const precis = createPrecis();
    await converse(wrapped(modelAt(url), precis), whole);
    const { answered, rejected } = provider.account().total;
    expect(answered).toBe(TURNS);
    expect(Object.keys(rejected)).toEqual(["window"]);
  });
});

const lookUp = (calls: string[]) =>
  tool({
    description: "Looks up the orders of a day.",
    inputSchema: jsonSchema<{ day: number }>({
      type: "object",
      properties: { day: { type: "number" } },
      required: ["day"],
    }),
    execute: ({ day }) => {
      calls.push(String(day));
      return says(day);
    },
  });

describe("a tool loop", () => {
  const STEPS = 30;
  const script = ({ index }: { readonly index: number }) =>
    index < STEPS ? { calls: [{ name: "lookUp", arguments: { day: index } }] } : { text: "Done." };
  const run = async (
    url: string,
    given: object,
  ): Promise<{ readonly text: string; readonly calls: readonly string[] }> => {
    const calls: string[] = [];
    const { text } = await generateText({
      model: MODELS["OpenAI, Chat Completions"](url),
      instructions: "You look orders up.",
      tools: { lookUp: lookUp(calls) },
      prompt: "Look every day up, from 0 on.",
      stopWhen: stepCountIs(STEPS + 1),
      maxOutputTokens: MAX_OUTPUT_TOKENS,
      maxRetries: 0,
      ...given,
    });
    return { text, calls };
  };

  it("goes on past the window with prepareStep, and prepares each step from the whole", async () => {
    const { provider, url } = await smallProvider({ script });
    const precis = createPrecis({ settings });
    const { text, calls } = await run(url, { prepareStep: precis.prepareStep });
    expect([text, calls]).toEqual(["Done.", Array.from({ length: STEPS }, (_, day) => String(day))]);
    expect(provider.account().total.rejected).toEqual({});
    const last = precis.report().last!;
    expect(last.messages.before).toBeGreaterThan(20);
    expect(provider.requests.at(-1)!.body).toContain("You look orders up.");
  });

  it("is refused without it", async () => {
    const { url } = await smallProvider({ script });
    await expect(run(url, {})).rejects.toThrow(/context|too long|exceed/i);
  });
});

describe("recall", () => {
  it("is declared from the first compaction on, and answers the model with what left", async () => {
    const recalls = ({ index }: { readonly index: number }) =>
      index === TURNS ? { calls: [{ name: "precis_recall", arguments: { query: depotOf(1) } }] } : { text: "Noted." };
    const { provider, url } = await smallProvider({ script: recalls });
    const precis = createPrecis({ settings });
    const model = wrapped(MODELS["OpenAI, Chat Completions"](url), precis);
    const talk: Talks = async (_model, messages) =>
      (await generateText({ model, messages, tools: precis.tools(), stopWhen: stepCountIs(3), maxRetries: 0 })).text;
    await converse(model, talk);
    const [first, last] = [provider.requests[0]!.body, provider.requests.at(-1)!.body];
    expect([first.includes("precis_recall"), last.includes("precis_recall")]).toEqual([false, true]);
    await talk(model, [...asked(), { role: "user", content: "What was the depot of day 1?" }]);
    const answered = JSON.parse(provider.requests.at(-1)!.body) as { messages: { role: string; content: unknown }[] };
    expect(JSON.stringify(answered.messages.at(-1))).toContain(depotOf(1));

    function asked(): ModelMessage[] {
      return Array.from({ length: TURNS }, (_, turn): ModelMessage[] => [
        { role: "user", content: says(turn) },
        { role: "assistant", content: "Noted." },
      ]).flat();
    }
  });

  it("can be left out", () => {
    expect(createPrecis({ recall: { tool: "off" } }).tools()).toEqual({});
    expect(Object.keys(createPrecis().tools())).toEqual(["precis_recall"]);
  });
});
