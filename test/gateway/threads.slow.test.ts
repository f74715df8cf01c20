/**
 * Message threads through the gateway, with Anthropic's SDK and the strict provider: what continues a thread is never taken
 * for a conversation, and where a compaction is due the client replays and the replay is compacted.
 */
import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import type { RequestEvent } from "../../src/gateway/contract.ts";
import { stand, TENANT, type Standing } from "./support/standing.ts";

const WINDOW_TOKENS = 32_000;
const BETA = "message-threads-2026-08-12";
const [SIGNED, BOUND] = ["claude-sonnet-4-5", "claude-opus-5-5"];

const sized = (words: number, at: number): string =>
  Array.from({ length: words }, (_, word) => `line ${word} of part ${at}`).join("\n");

function treatments({ events }: Standing): readonly string[] {
  return events.flatMap((event) => (event.kind === "request" ? [shown(event)] : []));
}

function shown({ treatment, status }: RequestEvent): string {
  return `${status} ${treatment.kind === "untouched" ? treatment.because : treatment.kind}`;
}

async function conversationsOf(store: Standing["store"]): Promise<number> {
  return (await store.listSessions(TENANT, { limit: 10 })).length;
}

async function standing(gateway: NonNullable<Parameters<typeof stand>[0]>["gateway"] = {}, model = SIGNED) {
  const stood = await stand({
    provider: {
      every: { windowTokens: WINDOW_TOKENS },
      script: ({ index }) => ({ thinking: `Thought ${index}.`, text: `Answer ${index}: ${sized(30, index)}` }),
    },
    gateway: { contextLength: WINDOW_TOKENS, ...gateway },
  });
  const client = new Anthropic({ baseURL: stood.url, apiKey: "key", maxRetries: 0 });
  const thread = client.beta.messages.thread({
    model: model!,
    max_tokens: 1_000,
    system: "You look into parts.",
    ...(model === BOUND ? { thinking: { type: "adaptive" } } : {}),
  });
  return { ...stood, client, thread };
}

describe.each([SIGNED, BOUND])("with %s", (model) => {
  it.each(["whole", "streamed"])(
    "a long thread is replayed and compacted, %s, and none is refused",
    async (how) => {
      const stood = await standing({}, model);
      const { thread, provider, store } = stood;
      for (let turn = 0; turn < 48; turn++) {
        const message = { role: "user" as const, content: `Look into part ${turn}.\n${sized(120, turn)}` };
        if (how === "whole") await thread.send(message);
        else await thread.stream(message).finalMessage();
      }
      expect(provider.account().total.rejected).toEqual({});
      const seen = treatments(stood);
      expect(seen.filter((one) => one === "404 thread_replay").length).toBeGreaterThan(1);
      expect(seen.filter((one) => one === "200 rewritten").length).toBeGreaterThan(1);
      expect(seen.filter((one) => one === "200 held_by_provider").length).toBeGreaterThan(24);
      // Each replay made room: none follows another at once.
      expect(seen.join(" ")).not.toMatch(/404 thread_replay 200 \w+ 404 thread_replay/);
      expect(Math.max(...provider.requests.map(({ use }) => use?.inputTokens ?? 0))).toBeLessThan(WINDOW_TOKENS);
      expect(await conversationsOf(store)).toBe(1);
    },
    60_000,
  );
});

describe("a continue", () => {
  it("goes on as it came, is no conversation, and is priced", async () => {
    const stood = await standing();
    const { thread, events, provider, store } = stood;
    await thread.send({ role: "user", content: sized(100, 1) });
    const second = await thread.send({ role: "user", content: "Go on." });
    expect(treatments(stood)).toEqual(["200 unchanged", "200 held_by_provider"]);
    expect(JSON.parse(provider.requests[1]!.body)).toMatchObject({ messages: [{ role: "user", content: "Go on." }] });
    const told = events.filter((event) => event.kind === "request")[1]!;
    expect(told.usage?.input).toBe(second.usage.input_tokens);
    expect(await conversationsOf(store)).toBe(1);
  });

  it("whose thread has expired is replayed by the client", async () => {
    const stood = await standing();
    const { thread } = stood;
    await thread.send({ role: "user", content: "one" });
    thread.append({ role: "user", content: "two" });
    const raw = { model: SIGNED!, max_tokens: 10, betas: [BETA], messages: [{ role: "user" as const, content: "x" }] };
    const lost = stood.client.beta.messages.create({
      ...raw,
      thread: { type: "continue", previous_message_id: "msg_of_yesterday" },
    });
    await expect(lost).rejects.toMatchObject({ status: 404, errorCode: "thread_not_found" });
  });

  it("that comes again in place of a replay is refused in the other way, and then passed on", async () => {
    const stood = await standing();
    const { client } = stood;
    const ask = (thread: object, content: string) =>
      client.beta.messages
        .create({
          model: SIGNED!,
          max_tokens: 1_000,
          betas: [BETA],
          messages: [{ role: "user", content }],
          thread: thread as { type: "create" },
        })
        .then(
          (message) => ({ id: message.id, code: "none" }),
          (error: { readonly errorCode: string; readonly message: string }) => ({ id: "", code: error.errorCode }),
        );
    const first = await ask({ type: "create" }, sized(1_400, 1));
    const onward = { type: "continue", previous_message_id: first.id };
    const answers = [];
    for (let times = 0; times < 3; times++) answers.push((await ask(onward, sized(1_800, 2))).code);
    expect(answers).toEqual(["thread_not_found", "thread_unsupported_request", "none"]);
  });
});

describe("where threads are", () => {
  it("refused, a client that can goes on without them", async () => {
    const stood = await standing({ threads: "refuse" });
    const thread = stood.client.beta.messages.thread({
      model: SIGNED!,
      max_tokens: 1_000,
      unsupportedRequestBehavior: "continue_unthreaded",
    });
    await thread.send({ role: "user", content: "one" });
    await thread.send({ role: "user", content: "two" });
    expect(treatments(stood)).toEqual(["400 thread_replay", "200 unchanged", "200 unchanged"]);
    expect(stood.provider.requests.every(({ body }) => !body.includes('"thread"'))).toBe(true);
  });

  it.each([{ threads: "pass" as const }, { mode: "observe" as const }, { mode: "off" as const }])(
    "left alone (%o), nothing is asked for again",
    async (gateway) => {
      const stood = await standing(gateway);
      for (let turn = 0; turn < 5; turn++) await stood.thread.send({ role: "user", content: sized(300, turn) });
      expect(treatments(stood).slice(1)).toEqual(Array.from({ length: 4 }, () => "200 held_by_provider"));
    },
  );

  it("unknown to the gateway and too large for the window, the refusal becomes a replay", async () => {
    const stood = await standing();
    const direct = new Anthropic({ baseURL: stood.providerUrl, apiKey: "key", maxRetries: 0 });
    const asked = { model: SIGNED!, max_tokens: 1_000, betas: [BETA] };
    const first = await direct.beta.messages.create({
      ...asked,
      messages: [{ role: "user", content: sized(2_400, 1) }],
      thread: { type: "create" },
    });
    const next = stood.client.beta.messages.create({
      ...asked,
      messages: [{ role: "user", content: sized(2_400, 2) }],
      thread: { type: "continue", previous_message_id: first.id },
    });
    await expect(next).rejects.toMatchObject({ status: 404, errorCode: "thread_not_found" });
  });
});
