/** A call whose host has given up rejects with the host's reason, whenever that was, and the session is as it was before. */
import { describe, expect, it } from "vitest";
import { createMemoryStore, createRuntime, createSession, type Store } from "../../src/index.ts";
import { type SessionOptions } from "../../src/session/contract.ts";
import { protocols } from "../../src/protocols/index.ts";
import { filler } from "../support/compacting.ts";

const SETTINGS = { contextLength: 20_000 };
const OVERFLOW = { status: 400, body: "prompt is too long: 30000 tokens > 12000 maximum" };
const REQUEST = {
  messages: [
    { role: "user", content: "Tidy the modules." },
    ...Array.from({ length: 30 }, (_, at) => [
      { role: "assistant", content: `Part ${at} is next.` },
      { role: "user", content: filler(1_000, `part${at}`) },
    ]).flat(),
  ],
};
const SMALL = { messages: REQUEST.messages.slice(0, 3) };
const CALLS = ["prepare", "compact", "recover"] as const;
type Call = (typeof CALLS)[number];
const REASON = new Error("the user left");

function called(
  call: Call,
  signal: AbortSignal,
  { request = REQUEST, ...options }: SessionOptions & { request?: object },
) {
  const session = createSession({ settings: SETTINGS, ...options });
  const given = request as typeof REQUEST;
  const answer = call === "recover" ? session.recover(OVERFLOW, given, { signal }) : session[call](given, { signal });
  return { session, answer };
}

/** What a store was asked to record, with a pause of the test's own before each answer. */
function watched(pause: (method: string) => unknown = () => undefined) {
  const store = createMemoryStore();
  const recorded: string[] = [];
  const watching = new Proxy(store, {
    get:
      (target, name: keyof Store) =>
      async (...given: never[]) => {
        await pause(name);
        if (name === "putCompaction") recorded.push(name);
        return (target[name] as (...all: never[]) => unknown)(...given);
      },
  });
  return { store: watching, recorded };
}

describe("a signal that is aborted already", () => {
  it.each(CALLS)("rejects %s with its reason", async (call) => {
    for (const request of [REQUEST, SMALL]) {
      const { store, recorded } = watched();
      const { session, answer } = called(call, AbortSignal.abort(REASON), { store, request });
      const fresh = createSession({ settings: SETTINGS });
      await expect(answer).rejects.toBe(REASON);
      expect(session.state()).toEqual(fresh.state());
      expect(session.report()).toEqual(fresh.report());
      expect(recorded).toEqual([]);
    }
  });

  it("rejects what a runtime makes ahead", async () => {
    const runtime = createRuntime({ settings: SETTINGS });
    const { transcript } = protocols["openai-chat"].decode(JSON.stringify(REQUEST));
    await expect(runtime.ahead(transcript, { signal: AbortSignal.abort(REASON) })).rejects.toBe(REASON);
  });

  it("is an AbortSignal, or refused", async () => {
    const session = createSession();
    for (const signal of ["x", {}, 1] as never[]) {
      const refusal = { code: "bad_options", place: "signal" };
      await expect(session.prepare(SMALL, { signal })).rejects.toMatchObject(refusal);
      await expect(session.recover(OVERFLOW, SMALL, { signal })).rejects.toMatchObject(refusal);
      await expect(session.compact(SMALL, { signal })).rejects.toMatchObject(refusal);
    }
  });
});

describe("a signal that aborts during a call", () => {
  it.each(CALLS.flatMap((call) => ["findCompaction", "putOriginals"].map((method) => [call, method] as const)))(
    "rejects %s while the store is at %s",
    async (call, method) => {
      const stop = new AbortController();
      const { store, recorded } = watched((name) => (name === method ? stop.abort(REASON) : undefined));
      const { session, answer } = called(call, stop.signal, { store });
      await expect(answer).rejects.toBe(REASON);
      const { summarizer: _, engine: __, ...fresh } = createSession({ settings: SETTINGS }).state();
      expect(session.state()).toMatchObject(fresh);
      expect(recorded).toEqual([]);
      // The session works on, and knows no less than before.
      expect((await session.prepare(REQUEST)).compacted).toBe(true);
    },
  );

  it.each(CALLS)("rejects %s while a hook hangs", async (call) => {
    const stop = new AbortController();
    const beforeCompact = async (): Promise<void> => {
      stop.abort(REASON);
      await new Promise(() => undefined);
    };
    const { answer } = called(call, stop.signal, { hooks: { beforeCompact } });
    await expect(answer).rejects.toBe(REASON);
  });

  it("is too late once the record is being written: the call answers with what is recorded", async () => {
    const stop = new AbortController();
    const { store, recorded } = watched((name) => (name === "putCompaction" ? stop.abort(REASON) : undefined));
    const { session, answer } = called("prepare", stop.signal, { store });
    expect(await answer).toMatchObject({ compacted: true });
    expect(recorded).toHaveLength(1);
    expect(session.report().compactions).toBe(1);
  });

  it("ends the reading of a response that never ends", async () => {
    const endless = new Response(new ReadableStream({}), { status: 400 });
    const session = createSession({ settings: SETTINGS });
    const stop = new AbortController();
    const answer = session.recover(endless, REQUEST, { signal: stop.signal });
    setTimeout(() => stop.abort(REASON), 20);
    await expect(answer).rejects.toBe(REASON);
  }, 5_000);
});
