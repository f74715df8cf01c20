/** The worked example, from its folder and in its thread: the contract, what it keeps, and the bytes of what it left alone. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { sampleTranscripts } from "../../src/plugins/suite/samples.ts";
import { violationsOf } from "../../src/core/transcript/oracle.ts";
import type { Message } from "../../src/core/transcript/message.ts";
import { findPlugin } from "../../src/plugins/find.ts";
import { openPlugin } from "../../src/plugins/load.ts";
import { protocols } from "../../src/protocols/index.ts";
import { createRuntime } from "../../src/session/runtime.ts";
import { createSession } from "../../src/session/session.ts";
import { anthropicBody } from "../cli/precis.ts";
import { corpusFiles, corpusText, hasCorpus } from "../support/corpus.ts";
import { filler, ran, talk, user } from "../support/compacting.ts";
import { pluginShelf } from "../support/plugins.ts";
import { RUNS } from "../support/transcripts.ts";

const FULL_RUNS_MIN = 1_000;
const isFull = RUNS > FULL_RUNS_MIN;
const SAMPLES = isFull ? 40 : 1;
const CHECK_MS = 600_000;
const WINDOWS_TOKENS = isFull ? [32_000, 64_000, 200_000, 1_000_000] : [32_000];
const CORPUS_CHARS_MAX = isFull ? Infinity : 60_000;
const CORPUS_FILES = isFull ? Infinity : 1;

const EXAMPLES = join(import.meta.dirname, "../../examples/plugins/context_engine");
const engine = openPlugin(findPlugin("keep-ends", [EXAMPLES])!);
afterAll(() => engine.close());

describe("the engine in the guide", () => {
  it("keeps the contract too", async () => {
    const guide = readFileSync(join(import.meta.dirname, "../../docs/engines/plugins.md"), "utf8");
    const [, source = ""] = /```js\n([^]*?)```/.exec(guide) ?? [];
    const shelf = pluginShelf();
    shelf.write("digests", source);
    const guided = openPlugin(findPlugin("digests", [shelf.path])!);
    const [transcript] = sampleTranscripts(1, 5);
    await guided.host.run({ data: { name: "check", transcript: transcript! }, deadlineMs: CHECK_MS });
    await guided.close();
    shelf.remove();
  });
});

describe("keep-ends", () => {
  it("keeps the contract of an engine", async () => {
    for (const transcript of sampleTranscripts(SAMPLES, 5))
      await engine.host.run({ data: { name: "check", transcript }, deadlineMs: CHECK_MS });
  });

  it.skipIf(!hasCorpus)("keeps it on the corpus", async () => {
    const texts = corpusFiles("openai").map(corpusText);
    const short = texts.filter((text) => text.length <= CORPUS_CHARS_MAX).slice(0, CORPUS_FILES);
    for (const text of short)
      for (const contextTokens of WINDOWS_TOKENS) {
        const { transcript } = protocols["openai-chat"].decode(text);
        await engine.host.run({ data: { name: "check", transcript, contextTokens }, deadlineMs: CHECK_MS });
      }
  });

  it("keeps both ends word for word, and every message", async () => {
    const whole = talk(
      user("Tidy the module."),
      ...Array.from({ length: 16 }, (_, at) => ran("read_file", { path: `src/p${at}.ts` }, filler(900, `p${at}`))),
    );
    const runtime = createRuntime({ engine, settings: { contextLength: 20_000 } });
    const { transcript, compaction } = await runtime.prepare(whole);
    expect(runtime.report().disabledEngine).toBeUndefined();
    expect(violationsOf(transcript)).toEqual([]);
    expect(compaction!.report.messages.summarised).toBe(0);
    const { messages } = transcript;
    expect(messages.length).toBe(whole.messages.length);
    const asItWas = (message: Message, at: number): boolean => message === whole.messages[at];
    expect(messages.slice(0, 3).every(asItWas)).toBe(true);
    expect(asItWas(messages.at(-1)!, messages.length - 1)).toBe(true);
    for (const { id } of compaction!.evicted) expect(await runtime.recall(id)).toHaveLength(1);
  });

  it("leaves the bytes of what it does not touch, and the fields that nobody knows", async () => {
    const body = anthropicBody(20);
    const session = createSession({ protocol: "anthropic-messages", engine });
    const made = await session.compact(body, { budget: 3_000 });
    expect(session.report().disabledEngine).toBeUndefined();
    expect(made.kind).toBe("compacted");
    expect(made.request).toContain('{ "role": "user", "content": "Read the logs." }');
    expect(made.request.match(/12345678901234567890/g)).toHaveLength(20);
    expect(made.request.length).toBeLessThan(body.length / 2);
  });
});
