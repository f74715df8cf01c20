/** A compacted transcript as it was before: every engine, every protocol, compacted once and twice, its marks of origin lost. */
import { expect, it } from "vitest";
import { ENGINE_NAMES } from "../../src/core/engines/names.ts";
import {
  textMessage,
  type ContentPart,
  type Message,
  type Part,
  type Transcript,
} from "../../src/core/transcript/message.ts";
import { protocols } from "../../src/protocols/index.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import { createRuntime } from "../../src/session/runtime.ts";
import { restoreOriginals } from "../../src/session/training/restore.ts";
import { bodyOf, PROTOCOLS, worked } from "../gateway/support/asking.ts";

const TENANT = "local";

/** Somebody asks again now and then, twice in the same words. */
function conversation(): Transcript {
  const { system, messages } = worked("notes", 40, 400);
  const asked = messages.flatMap((message, at) => {
    if (message.role !== "assistant" || at % 12 !== 1) return [message];
    const question = at > 40 && at < 70 ? "Go on." : `And what about question ${at}?`;
    return [textMessage("assistant", `Found ${at}.`), textMessage("user", question), message];
  });
  return { system, messages: asked };
}

/** What a message says, without its place on the wire. */
function said({ role, parts }: Message): string {
  const bare = (part: Part | ContentPart): object => {
    const { at: _, ...own } = part;
    return own.kind === "tool-result" ? { ...own, content: own.content.map(bare) } : own;
  };
  return JSON.stringify([role, parts.map(bare)]);
}

const CASES = PROTOCOLS.flatMap((protocol) =>
  (["as_fits", "all"] as const).flatMap((keepRequests) =>
    ENGINE_NAMES.filter((name) => name !== "none").map((engine) => ({ protocol, engine, keepRequests })),
  ),
);

it.each(CASES)("$protocol, $engine, requests $keepRequests", async ({ protocol, engine, keepRequests }) => {
  const store = createMemoryStore();
  const original = protocols[protocol].decode(bodyOf(protocol, conversation())).transcript;
  let sent = original;
  for (const share of [0.4, 0.5]) {
    const runtime = createRuntime({
      engine,
      store,
      tenant: TENANT,
      settings: { contextLength: 200_000, keepRequests },
    });
    const { before } = await runtime.standing(sent);
    const { transcript, kind } = await runtime.compact(sent, { budget: Math.floor(before * share), reason: "budget" });
    if (share === 0.4) expect(kind).toBe("compacted");
    sent = protocols[protocol].decode(protocols[protocol].format(transcript.messages)).transcript;
    const { messages, missing } = await restoreOriginals(sent.messages, (id) => store.getOriginal(TENANT, id));
    const theirs = messages.filter(({ origin }) => origin === undefined);
    expect(theirs.map(said)).toEqual(original.messages.map(said));
    expect(missing).toEqual([]);
  }
});

it.each(["compressor", "layered", "lossless", "stepped", "handoff"])(
  "%s, compacted again by the session that grew",
  async (engine) => {
    const store = createMemoryStore();
    const whole = conversation();
    const runtime = createRuntime({ engine, store, tenant: TENANT, settings: { contextLength: 200_000 } });
    for (const until of [60, whole.messages.length]) {
      const original = { ...whole, messages: whole.messages.slice(0, until) };
      const { transcript, kind } = await runtime.compact(original, { budget: 3_000, reason: "budget" });
      expect(kind).toBe("compacted");
      const sent = protocols["openai-chat"].decode(protocols["openai-chat"].format(transcript.messages)).transcript;
      const { messages } = await restoreOriginals(sent.messages, (id) => store.getOriginal(TENANT, id));
      const theirs = messages.filter(({ origin }) => origin === undefined);
      expect(theirs.map(said)).toEqual(original.messages.map(said));
    }
  },
);
