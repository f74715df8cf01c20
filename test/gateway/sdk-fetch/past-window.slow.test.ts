/** The official SDKs with our `fetch`, against the strict provider: past the window with it, refused without it. */
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { createFetch, type SdkFetchOptions } from "../../../src/gateway/sdk-fetch.ts";
import { closing, depotOf, says, smallProvider, TURNS, WINDOW_TOKENS } from "../../integrations/past-window.ts";

const MAX_OUTPUT_TOKENS = 500;
const kept = (options: SdkFetchOptions = {}) => closing(createFetch({ contextLength: WINDOW_TOKENS, ...options }));

interface Said {
  readonly role: "user" | "assistant";
  readonly content: string;
}
type Asks = (messages: readonly Said[]) => Promise<string>;

interface Where {
  readonly url: string;
  readonly fetch?: ReturnType<typeof createFetch>;
}

function openai({ url, fetch }: Where): OpenAI {
  return new OpenAI({ apiKey: "any", baseURL: `${url}/v1`, maxRetries: 0, ...(fetch === undefined ? {} : { fetch }) });
}

function anthropic({ url, fetch }: Where): Anthropic {
  return new Anthropic({ apiKey: "any", baseURL: url, maxRetries: 0, ...(fetch === undefined ? {} : { fetch }) });
}

const SDKS: Readonly<Record<string, (where: Where) => Asks>> = {
  "openai, Chat Completions": (where) => async (messages) => {
    const asked = { model: "gpt-5.4", messages: [...messages], max_completion_tokens: MAX_OUTPUT_TOKENS };
    return (await openai(where).chat.completions.create(asked)).choices[0]?.message.content ?? "";
  },
  "openai, Chat Completions streamed": (where) => async (messages) => {
    const asked = { model: "gpt-5.4", messages: [...messages], max_completion_tokens: MAX_OUTPUT_TOKENS };
    return (await openai(where).chat.completions.stream(asked).finalContent()) ?? "";
  },
  "openai, Responses": (where) => async (messages) => {
    const asked = { model: "gpt-5.4", input: [...messages], max_output_tokens: MAX_OUTPUT_TOKENS, store: false };
    return (await openai(where).responses.create(asked)).output_text;
  },
  "openai, Responses streamed": (where) => async (messages) => {
    const asked = { model: "gpt-5.4", input: [...messages], max_output_tokens: MAX_OUTPUT_TOKENS, store: false };
    const { error, output_text: text } = await openai(where).responses.stream(asked).finalResponse();
    if (error !== null) throw new Error(error.message);
    return text;
  },
  anthropic: (where) => async (messages) => {
    const asked = { model: "claude-sonnet-4-5", messages: [...messages], max_tokens: MAX_OUTPUT_TOKENS };
    return textOf(await anthropic(where).messages.create(asked));
  },
  "anthropic, streamed": (where) => async (messages) => {
    const asked = { model: "claude-sonnet-4-5", messages: [...messages], max_tokens: MAX_OUTPUT_TOKENS };
    return textOf(await anthropic(where).messages.stream(asked).finalMessage());
  },
};

function textOf({ content }: Anthropic.Message): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

async function converse(ask: Asks): Promise<void> {
  const messages: Said[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    messages.push({ role: "user", content: says(turn) });
    messages.push({ role: "assistant", content: await ask(messages) });
  }
}

describe.each(Object.entries(SDKS))("%s", (_, sdk) => {
  it("goes on for 60 turns past its window", async () => {
    const { provider, url } = await smallProvider();
    const fetch = kept();
    await converse(sdk({ url, fetch }));
    expect(provider.account().total).toMatchObject({ answered: TURNS, rejected: {} });
    expect(provider.requests.at(-1)!.body).toContain(depotOf(TURNS - 1));
  });

  it("is refused without it", async () => {
    const { url } = await smallProvider();
    await expect(converse(sdk({ url }))).rejects.toThrow(/exceed|too long|maximum context/i);
  });
});
