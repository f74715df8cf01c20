/**
 * Recorded sessions at budgets of 4 to 40 %: what a smaller budget kept of requests, episodes and rules, larger ones keep as well, and each
 * is used. Head, tail and what is told grow by construction (`budgets.test.ts` of the engine), but for a tail that takes a whole message more:
 * that hardly any session loses by it is what is seen here.
 */
import { expect, it } from "vitest";
import { createMeasure } from "../../src/core/transcript/measure.ts";
import type { Transcript } from "../../src/core/transcript/message.ts";
import { detectFormat } from "../../src/logs/detect.ts";
import { readLog } from "../../src/logs/read.ts";
import type { LogFormat } from "../../src/logs/log.ts";
import { protocols } from "../../src/protocols/index.ts";
import { createRuntime } from "../../src/session/runtime.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import { corpusFiles, corpusText, describeCorpus } from "../support/corpus.ts";
import { createKeptContents } from "../support/kept.ts";

const PERCENTS = [4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40];
/** Of every source the smallest session, the median and the largest. */
const NATIVE = ["raw/entire_claude/", "raw/entire_gemini/", "raw/ccviewer/", "raw/pi/"];
const CHATS = ["openai/sweagent__", "openai/taubench__", "openai/whowhen__", "openai/memorybank__"];

/** An episode of which only a quoted line tells may give way to other lines where a tail takes a whole message more. */
const LOST_MAX = 1;
/**
 * Results of some 250 that leave a tenth of their room free: each exchange that is left weighs more than the room, and what it shows can be
 * read again. No longer record says more of it.
 */
const UNUSED_MAX = 6;

const measure = createMeasure();

function chosen(source: string): readonly string[] {
  const folder = source.slice(0, source.lastIndexOf("/"));
  const files = corpusFiles(folder).filter((file) => file.startsWith(source));
  const sorted = files.toSorted((a, b) => corpusText(a).length - corpusText(b).length);
  return [...new Set([sorted[0]!, sorted[sorted.length >> 1]!, sorted.at(-1)!])];
}

function transcriptOf(file: string): Transcript {
  const text = corpusText(file);
  if (file.startsWith("openai/")) return protocols["openai-chat"].decode(text).transcript;
  return readLog(text, detectFormat(text) as LogFormat).transcript;
}

const lost: string[] = [];
const unused: string[] = [];

async function compactToAll(file: string): Promise<void> {
  const transcript = transcriptOf(file);
  const contents = createKeptContents(transcript.messages);
  const before = new Set<string>();
  for (const percent of PERCENTS) {
    const budget = Math.max(1, Math.floor((measure.transcript(transcript) * percent) / 100));
    const outcome = await createRuntime({ store: createMemoryStore() }).compact(transcript, { budget, force: true });
    const isIrreducible = outcome.kind === "unchanged" || outcome.compaction.report.irreducible !== undefined;
    const kept = contents.keptIn(outcome.transcript.messages);
    for (const one of before) if (!kept.has(one)) lost.push(`${file} at ${percent} %: ${one}`);
    // What is above its budget used room that a larger budget has not.
    if (!isIrreducible) for (const one of kept) before.add(one);
    const tokens = measure.transcript(outcome.transcript);
    if (!isIrreducible) expect(tokens).toBeLessThanOrEqual(budget);
    if (!isIrreducible && tokens < budget * 0.9) unused.push(`${file} at ${percent} %: ${tokens} of ${budget}`);
  }
}

describeCorpus("budgets over the corpus", () => {
  it.each([...NATIVE, ...CHATS].flatMap(chosen))("%s: every result is within its budget", compactToAll, 60_000);

  it("a larger budget loses hardly anything that a smaller one kept, and each is used", () => {
    expect(lost.length, lost.join("\n")).toBeLessThanOrEqual(LOST_MAX);
    expect(lost.filter((one) => !one.includes("episode"))).toEqual([]);
    expect(unused.length, unused.join("\n")).toBeLessThanOrEqual(UNUSED_MAX);
  });
});
