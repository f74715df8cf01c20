/** What an operator does to a stored conversation, by another process or through the gateway, and what its next request then is. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { canonical } from "../../src/core/transcript/links.ts";
import { type Message, type Transcript, textMessage } from "../../src/core/transcript/message.ts";
import { HANDOFF_END, HANDOFF_START } from "../../src/core/handoff/marks.ts";
import { conversationOf } from "../../src/gateway/history/find.ts";
import { createHistory } from "../../src/gateway/history/history.ts";
import { protocols } from "../../src/protocols/index.ts";
import { type ProtocolName } from "../../src/core/protocols.ts";
import { createMemoryStore, openSqliteStore } from "../../src/store/index.ts";
import { chain, compaction } from "../store/contract/things.ts";
import { corpusFiles, corpusText, describeCorpus } from "../support/corpus.ts";
import { ask, bodyOf, PROTOCOLS, worked } from "./support/asking.ts";
import { atEnd, front, stand, temporaryFolder, TENANT, type Standing } from "./support/standing.ts";
import { upstreamOf, type Upstream } from "./support/upstream.ts";
import { spread } from "../support/cases.ts";

const WINDOW_TOKENS = 60_000;
/** Of the real transcripts, a short run takes one in that many. */
const FILES_PER_TEST = 10;
const SHORT_RUN = Number(process.env["PRECIS_TEST_RUNS"] ?? 0) < 1_000;

/** What a provider of each protocol says to anything, with a usage that teaches nothing. */
const ANSWER = JSON.stringify({ id: "x", choices: [], output: [], content: [] });

interface Stood extends Pick<Standing, "url"> {
  readonly upstream: Upstream;
  readonly history: ReturnType<typeof createHistory>;
}

/** A gateway on a file, and an operator with the same file open in another way. */
async function stood(contextLength = WINDOW_TOKENS): Promise<Stood> {
  const upstream = await upstreamOf(() => ({ pieces: [ANSWER] }));
  const path = join(temporaryFolder(), "history.db");
  const own = await openSqliteStore({ path });
  const other = await openSqliteStore({ path });
  atEnd(() => Promise.all([own.close(), other.close()]));
  const { url } = await front(upstream.url, { store: own, contextLength });
  return { upstream, url, history: createHistory({ store: other, contextLength }) };
}

function longer({ system, messages }: Transcript, request: string): Transcript {
  return { system, messages: [...messages, textMessage("assistant", "Done."), textMessage("user", request)] };
}

/** What a model is told. */
function said(messages: readonly Message[]): readonly string[] {
  return messages.map(canonical);
}

/** The messages that went out last. */
function sent({ upstream }: Stood, protocol: ProtocolName): readonly Message[] {
  return protocols[protocol].decode(upstream.got.at(-1)!.body).transcript.messages;
}

describe("the title of a conversation", () => {
  it.each([1, 3])("is what a person said first, behind %i records of the client", async (records) => {
    const store = createMemoryStore();
    const messages = Array.from({ length: records }, (_, at) =>
      textMessage("user", `<environment_context>\n  <cwd>/src/${at}</cwd>\n</environment_context>`),
    );
    messages.push(textMessage("user", "Fix the bookings."), textMessage("assistant", "Done."));
    const links = chain.linksOf(messages);
    await store.appendChain(TENANT, { links, messages });
    const [summary] = await createHistory({ store, contextLength: WINDOW_TOKENS }).list(TENANT, 9);
    expect(summary).toMatchObject({ title: "Fix the bookings.", messages: records + 2 });
  });
});

describe.each(spread(PROTOCOLS, 2))("a conversation of %s", (protocol) => {
  const begun = worked("alpha", 12, 300);
  const key = "key";
  const which = (id: string) => ({ tenant: TENANT, id });

  it("goes out with what was compacted beside the gateway, when it is sent again and when it goes on", async () => {
    const all = await stood();
    await ask(all.url, { protocol, key, body: bodyOf(protocol, begun) });
    const [{ id } = { id: "" }] = await all.history.list(TENANT, 9);
    const made = await all.history.compact(which(id), { focus: "line 12", budget: (tokens) => tokens / 4 });
    expect(made).toMatchObject({ kind: "compacted", report: { reason: "explicit" } });

    const again = await ask(all.url, { protocol, key, body: bodyOf(protocol, begun) });
    expect(again.treatment).toMatch(/^rewritten;/);
    const once = sent(all, protocol);
    const on = await ask(all.url, { protocol, key, body: bodyOf(protocol, longer(begun, "And beta?")) });
    expect(on.treatment).toMatch(/^rewritten;/);
    const then = sent(all, protocol);
    expect(then.length).toBe(once.length + 2);
    const { text } = await all.history.export(which(id), {
      form: "json",
      compacted: true,
      synthetic: "keep",
      secrets: "keep",
    });
    const exported = protocols[protocol].decode(text).transcript.messages;
    expect(said(exported)).toEqual(said(then));
  });

  it("goes out whole once that is undone, and stays so until it is compacted again", async () => {
    const all = await stood(14_000);
    const first = await ask(all.url, { protocol, key, body: bodyOf(protocol, begun) });
    expect(first.treatment).toMatch(/^rewritten;.*fresh$/);
    const [{ id } = { id: "" }] = await all.history.list(TENANT, 9);
    expect(await all.history.undo(which(id))).toMatchObject({ session: id });
    expect(await all.history.undo(which(id))).toBeUndefined();
    expect(await all.history.show(which(id), 1)).toMatchObject({
      undone: true,
      compactions: 0,
      history: [{ undone: true }],
    });

    for (const transcript of [begun, longer(begun, "And beta?")]) {
      const whole = await ask(all.url, { protocol, key, body: bodyOf(protocol, transcript) });
      expect(whole.treatment).toBe("unchanged");
      expect(said(sent(all, protocol))).toEqual(said(transcript.messages));
    }
    await all.history.compact(which(id), {});
    const after = await all.history.show(which(id), 1);
    expect(after).toMatchObject({ undone: false, compactions: 1 });
    expect(after.history.at(-1)).toMatchObject({ stands: true, undone: false });
    const back = await ask(all.url, { protocol, key, body: bodyOf(protocol, longer(begun, "And beta?")) });
    expect(back.treatment).toMatch(/^rewritten;/);
  });

  it("comes out as its client knows it, and masked where it holds a secret", async () => {
    const all = await stood();
    const secret = "sk-proj-Zx81mQ2vTn47LrWb90KpYcDs63HfAeGj";
    const told = longer(begun, `The key is ${secret}.`);
    await ask(all.url, { protocol, key, body: bodyOf(protocol, told) });
    const [{ id } = { id: "" }] = await all.history.list(TENANT, 9);
    const how = { compacted: false, synthetic: "mark" } as const;
    const exact = await all.history.export(which(id), { ...how, form: "jsonl", secrets: "keep" });
    const { messages } = protocols[protocol].decode(bodyOf(protocol, told)).transcript;
    const wire = new Set(messages.map(({ wire: slice }) => slice!.raw));
    expect(exact).toMatchObject({ protocol, synthetic: 0, session: id });
    if (protocol !== "openai-responses") expect(exact.text.trimEnd().split("\n")).toEqual([...wire]);
    const masked = await all.history.export(which(id), { ...how, form: "json", secrets: "mask" });
    expect(masked.text).not.toContain(secret);
    expect(protocols[protocol].decode(masked.text).transcript.messages).toHaveLength(messages.length);
    const shown = JSON.stringify(await all.history.show(which(id), 99));
    expect(shown).not.toContain(secret);
    expect(JSON.stringify(await all.history.search({ tenant: TENANT, words: "key is", limit: 9 }))).not.toContain(
      secret,
    );
  });
});

describe.each(["in memory", "in a file"])("a conversation that is deleted %s while its gateway goes on", (where) => {
  const protocol = "anthropic-messages";
  const begun = worked("alpha", 12, 300);
  const longest = longer(begun, "And beta?");

  it.each([
    ["is sent again", begun],
    ["goes on", longest],
  ])("is kept whole again and listed when it %s, and leaves nothing when it is deleted again", async (_, next) => {
    const { url, store } = await stand({
      provider: { script: { text: "Done." } },
      gateway: { contextLength: 14_000 },
      file: where === "in a file",
    });
    const sessions = () => store.listSessions(TENANT, { limit: 9 });
    const remove = async () => store.deleteSessions(TENANT, (await sessions()).map(({ id }) => id)); // prettier-ignore
    for (const transcript of [begun, next, next]) {
      const { treatment } = await ask(url, { protocol, body: bodyOf(protocol, transcript) });
      expect(treatment).toMatch(/^rewritten;.*fresh$/);
      const [listed, ...more] = await sessions();
      expect(more).toEqual([]);
      const links = await store.readLinks(TENANT, listed!.head);
      expect(listed!.messages).toBe(links.length);
      expect(links.length).toBeGreaterThanOrEqual(transcript.messages.length);
      expect(await store.holdings(TENANT)).toMatchObject({ sessions: 1, compactions: 1 });
      const { compaction: made } = await store.findCompaction(TENANT, links);
      for (const { id } of made!.evicted) expect(await store.getOriginal(TENANT, id)).toBeDefined();
      await remove();
      expect(await store.holdings(TENANT)).toMatchObject({ sessions: 0, compactions: 0, originals: 0, bodies: 0 });
    }
  });
});

it("has one size on every screen: what the provider reported, and all else on that scale", async () => {
  const models = { strict: { windowTokens: 24_000, tokenFactor: 1.4 } };
  const { url, store } = await stand({
    provider: { script: { text: "Done." }, models },
    gateway: { contextLength: 24_000 },
  });
  const tools = [
    { type: "function", function: { name: "read", description: "Reads files. ".repeat(600), parameters: {} } },
  ];
  let conversation = worked("alpha", 4, 300);
  for (let turn = 0; turn < 8; turn++) {
    const { status } = await ask(url, {
      protocol: "openai-chat",
      body: bodyOf("openai-chat", conversation, { model: "strict", tools }),
    });
    expect(status).toBe(200);
    const more = worked(`beta ${turn}`, 3, 300).messages;
    conversation = {
      ...conversation,
      messages: [...conversation.messages, textMessage("assistant", "Done."), ...more],
    };
  }
  const history = createHistory({ store, contextLength: 24_000 });
  const [listed] = await history.list(TENANT, 9);
  const shown = await history.show({ tenant: TENANT, id: listed!.id }, 3);
  const { original, sent: sizes, fills, requests } = await history.context({ tenant: TENANT, id: listed!.id });
  expect(shown.compactions).toBeGreaterThan(0);
  const last = requests.at(-1)!.input;
  expect([listed!.tokens, shown.tokens, shown.estimate.sent, sizes.at(-1)]).toEqual([last, last, last, last]);
  expect(shown.estimate.original).toBe(original.at(-1));
  expect(fills.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(original.at(-1));
  // A compaction is told on the same scale: what it began from is the conversation as it was then.
  const { covered, report } = shown.history[0]!;
  expect(report.tokens.before / original[covered - 1]!).toBeGreaterThan(0.9);
  expect(report.tokens.before / original.at(-1)!).toBeLessThan(1.1);
  for (const { message, input } of requests.slice(-3)) expect(sizes[message - 1]! / input).toBeCloseTo(1, 1);
});

it("lifts an undo also where what was undone reached further than a compaction has to", async () => {
  const store = createMemoryStore();
  const history = createHistory({ store });
  const { messages } = worked("alpha", 12, 300);
  const links = chain.linksOf(messages);
  const { session } = await store.appendChain("t", { links, messages });
  await store.putCompaction("t", compaction(links.at(-1)!, links.length));
  await store.undoCompaction("t", links.at(-1)!);
  const which = { tenant: "t", id: session };
  expect(await history.show(which, 1)).toMatchObject({ undone: true });
  expect(await history.compact(which, { budget: (tokens) => tokens / 2 })).toMatchObject({ kind: "compacted" });
  expect(await store.findCompaction("t", links)).toMatchObject({
    undone: false,
    compaction: { covered: links.length },
  });
});

it("labels what precis wrote in an export, or leaves it out with what it had shortened put back", async () => {
  const all = await stood(14_000);
  const protocol = "openai-chat";
  await ask(all.url, { protocol, body: bodyOf(protocol, worked("alpha", 12, 300)) });
  const [{ id } = { id: "" }] = await all.history.list(TENANT, 9);
  const exported = (synthetic: "mark" | "drop" | "keep") =>
    all.history.export({ tenant: TENANT, id }, { form: "json", compacted: true, synthetic, secrets: "keep" });
  const marked = await exported("mark");
  const list = JSON.parse(marked.text) as { precis_origin?: string; content: unknown }[];
  const ours = list.filter((one) => one.precis_origin !== undefined);
  expect(ours.length).toBe(marked.synthetic);
  expect(ours.map((one) => one.precis_origin)).toContain("summary");
  expect((await exported("keep")).text).not.toContain("precis_origin");
  const dropped = JSON.parse((await exported("drop")).text) as { content: unknown }[];
  const { messages } = worked("alpha", 12, 300);
  const originals = new Set(
    (protocols[protocol].encode({ system: [], messages }).messages as { content: unknown }[]).map((one) =>
      JSON.stringify(one),
    ),
  );
  expect(dropped.length).toBeGreaterThan(0);
  expect(dropped.every((one) => originals.has(JSON.stringify(one)))).toBe(true);
});

it("labels a handoff that the client itself sent, or leaves it out, so that it never passes for conversation", async () => {
  const store = createMemoryStore();
  const messages = [
    textMessage("user", `${HANDOFF_START}\nGoal: ship it.\n${HANDOFF_END}`),
    textMessage("assistant", "Shipped."),
    textMessage("user", "Thank you."),
  ];
  const { session } = await store.appendChain("t", { links: chain.linksOf(messages), messages });
  const exported = async (synthetic: "mark" | "drop") => {
    const options = { form: "json", compacted: false, synthetic, secrets: "keep" } as const;
    const { text } = await createHistory({ store }).export({ tenant: "t", id: session }, options);
    return (JSON.parse(text) as { precis_origin?: string }[]).map((one) => one.precis_origin);
  };
  expect(await exported("mark")).toEqual(["summary", undefined, undefined]);
  expect(await exported("drop")).toEqual([undefined, undefined]);
});

describeCorpus("real transcripts", () => {
  const files = corpusFiles("openai");
  const some = SHORT_RUN ? files.filter((_, at) => at % FILES_PER_TEST === 0) : files;

  it.each(spread(PROTOCOLS, 2))("come back as they were kept, and out as they came in (%s)", async (protocol) => {
    const { decode, encodeText } = protocols[protocol];
    for (const file of some) {
      const { messages } = decode(
        encodeText(protocols["openai-chat"].decode(corpusText(file)).transcript).messages,
      ).transcript;
      const links = chain.linksOf(messages);
      const store = createMemoryStore();
      const { session } = await store.appendChain("t", { links, messages });
      const back = conversationOf(await store.readChain("t", links.at(-1)!));
      expect([file, chain.linksOf(back.messages)]).toEqual([file, links]);
      const history = createHistory({ store });
      const how = { form: "json", synthetic: "mark", secrets: "keep" } as const;
      const { text } = await history.export({ tenant: "t", id: session }, { ...how, compacted: false });
      const { transcript } = decode(text);
      expect([file, chain.linksOf([...transcript.system, ...transcript.messages])]).toEqual([file, links]);
      const made = await history.compact({ tenant: "t", id: session }, { budget: (tokens) => tokens * 0.3 });
      const out = await history.export({ tenant: "t", id: session }, { ...how, compacted: true });
      const labelled = (JSON.parse(out.text) as object[]).filter((one) => "precis_origin" in one);
      expect([file, labelled.length]).toEqual([file, out.synthetic]);
      expect([file, labelled.length > 0]).toEqual([file, made.kind === "compacted"]);
    }
  });
});
