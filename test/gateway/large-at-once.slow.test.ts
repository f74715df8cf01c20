/**
 * Many large requests at once, of one tenant, in a thread with little memory: all of them are compacted, and so are those of
 * others that come meanwhile. A request that ends the thread goes out as it came, and takes no other with it.
 */
import { join } from "node:path";
import { expect, it } from "vitest";
import type { GatewayOptions } from "../../src/gateway/index.ts";
import { openSqliteStore } from "../../src/store/index.ts";
import { ask, bodyOf, worked, type Told } from "./support/asking.ts";
import { largeSource } from "./support/large-options.ts";
import { atEnd, front, temporaryFolder } from "./support/standing.ts";
import { upstreamOf } from "./support/upstream.ts";

const MB = 1024 * 1024;
const REPLY = JSON.stringify({
  id: "chatcmpl-1",
  object: "chat.completion",
  model: "gpt-5.4",
  choices: [{ index: 0, message: { role: "assistant", content: "Read." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1_000, completion_tokens: 2, total_tokens: 1_002 },
});

async function frontWith(gateway: Partial<GatewayOptions>) {
  const { url: upstream } = await upstreamOf(async () => {
    // The thread has to hold what waits for its provider.
    await new Promise((next) => setTimeout(next, 1_000));
    return { pieces: [REPLY] };
  });
  const path = join(temporaryFolder(), "history.db");
  const store = await openSqliteStore({ path });
  atEnd(store.close);
  const options = {
    upstreams: { openai: { url: upstream } },
    tenant: "per_key",
    contextLength: 16_000,
    caching: { schedule: "threshold" },
    ...gateway,
  } as const;
  return front(upstream, { ...options, store, largeRequests: largeSource({ path, options }) });
}

/** About 250 KB in 800 messages. */
const largeBody = (name: string): string => bodyOf("openai-chat", worked(name, 400, 40));

const treated = (told: readonly Told[]): readonly string[] =>
  told.map(({ status, treatment }) => `${status} ${treatment.replaceAll(/=\d+/g, "=N")}`);

const COMPACTED = "200 rewritten; before=N; after=N; fresh";

it("are all compacted, and nobody else waits for all of them", { timeout: 240_000 }, async () => {
  // A busy machine is no reason to leave any unread.
  const limits = {
    eventLoopDelayMs: 60_000,
    largeBodyBytes: 100_000,
    largeHeapBytes: 128 * MB,
    largePreparingBytes: 24 * MB,
  };
  const { url, events } = await frontWith({ limits });
  const over: string[] = [];
  const send = async (name: string, key: string): Promise<Told> => {
    const told = await ask(url, { protocol: "openai-chat", key, body: largeBody(name) });
    over.push(key);
    return told;
  };
  const many = Array.from({ length: 32 }, (_, at) => send(`many${at}`, "sk-many"));
  await new Promise((next) => setTimeout(next, 500));
  const others = Array.from({ length: 3 }, (_, at) => send(`other${at}`, `sk-other-${at}`));
  expect(new Set(treated(await Promise.all([...many, ...others])))).toEqual(new Set([COMPACTED]));
  const last = Math.max(...[0, 1, 2].map((at) => over.indexOf(`sk-other-${at}`)));
  expect(last).toBeLessThan(many.length);
  expect(events.filter((event) => event.kind === "notice" && event.code === "internal_fault")).toEqual([]);
});
