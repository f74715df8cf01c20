/** Every transcript of the corpus, compacted to a fifth: valid, within budget or irreducible, nothing lost. */
import { expect, it } from "vitest";
import { liveRequestOf } from "../../src/core/events/live-request.ts";
import { createMeasure } from "../../src/core/transcript/measure.ts";
import { contentText, type Transcript } from "../../src/core/transcript/message.ts";
import { violationsOf } from "../../src/core/transcript/oracle.ts";
import { detectFormat } from "../../src/logs/detect.ts";
import { readLog } from "../../src/logs/read.ts";
import { protocols } from "../../src/protocols/index.ts";
import { type ProtocolName } from "../../src/core/protocols.ts";
import { createRuntime } from "../../src/session/runtime.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import { spread } from "../support/cases.ts";
import { corpusFiles, corpusText, describeCorpus } from "../support/corpus.ts";

const SHARE = 0.2;
/** Small transcripts are mostly what must stay; more than this many would say that something is wrong. */
const IRREDUCIBLE_MAX = 28;

const openai = spread(corpusFiles("openai"));
const native = ["entire_claude", "entire_gemini", "ccviewer", "pi"].flatMap((folder) =>
  spread(corpusFiles(`raw/${folder}`)),
);
const irreducible: string[] = [];
const measure = createMeasure();

/** The body of a request that carries this transcript. */
function bodyOf(name: ProtocolName, transcript: Transcript): string {
  const { messages, system, tools } = protocols[name].encode(transcript);
  const { keys } = protocols[name];
  const list = { [keys.messages]: messages, [keys.system ?? "system"]: system };
  return JSON.stringify({ model: "m", ...list, tools });
}

async function compactToAFifth(transcript: Transcript, name: ProtocolName): Promise<string | undefined> {
  const store = createMemoryStore();
  const runtime = createRuntime({ store });
  const before = measure.transcript(transcript);
  const budget = Math.floor(before * SHARE);
  const outcome = await runtime.compact(transcript, { budget, force: true });
  expect(violationsOf(outcome.transcript, protocols[name].rules)).toEqual([]);
  if (outcome.kind === "unchanged") {
    expect(outcome.irreducible).toBeDefined();
    return outcome.irreducible?.because;
  }
  const { compaction } = outcome;
  const { report } = compaction;
  expect(measure.transcript(outcome.transcript)).toBe(report.tokens.after);
  if (report.irreducible === undefined) expect(report.tokens.after).toBeLessThanOrEqual(budget);
  expectLiveRequest(transcript, outcome.transcript);
  await expectRecall(runtime.recall, transcript, compaction.evicted);
  return report.irreducible?.because;
}

function expectLiveRequest(before: Transcript, after: Transcript): void {
  const live = before.messages[liveRequestOf(before.messages)];
  if (live === undefined) return;
  const users = after.messages.filter(({ role, origin }) => role === "user" && origin !== "summary");
  expect(users.map(({ parts }) => contentText(parts))).toContain(contentText(live.parts));
}

async function expectRecall(
  recall: ReturnType<typeof createRuntime>["recall"],
  transcript: Transcript,
  evicted: readonly { id: string; kind: string; message: number; end?: number; original?: string }[],
): Promise<void> {
  for (const one of evicted) {
    const [hit] = await recall(one.id);
    expect(hit).toBeDefined();
    if (one.kind === "span") {
      const raws = transcript.messages.slice(one.message, one.end).map(({ wire }) => wire?.raw);
      for (const raw of raws) if (raw !== undefined) expect(hit!.text).toContain(raw);
    } else expect(hit!.text).toBe(one.original);
  }
}

describeCorpus("the corpus", () => {
  it.each(openai)("%s: bodies of each protocol splice back byte for byte", (file) => {
    const text = corpusText(file);
    const decoded = protocols["openai-chat"].decode(text);
    expect(protocols["openai-chat"].splice(decoded, decoded.transcript) === text).toBe(true);
    for (const [name, protocol] of Object.entries(protocols)) {
      const body = bodyOf(name as ProtocolName, decoded.transcript);
      const again = protocol.decode(body);
      expect(protocol.splice(again, again.transcript) === body).toBe(true);
    }
  });

  it.each(openai)("%s: a fifth", async (file) => {
    const { transcript } = protocols["openai-chat"].decode(corpusText(file));
    const because = await compactToAFifth(transcript, "openai-chat");
    if (because !== undefined) irreducible.push(`${file} (${measure.transcript(transcript)} tokens): ${because}`);
  });

  it.each(native)("%s: a fifth, from the session file", async (file) => {
    const text = corpusText(file);
    const { transcript, speaks } = readLog(text, detectFormat(text, file) as "pi");
    await compactToAFifth(transcript, speaks);
  });

  it(`leaves at most ${IRREDUCIBLE_MAX} transcripts irreducible`, () => {
    expect(irreducible.length, irreducible.join("\n")).toBeLessThanOrEqual(IRREDUCIBLE_MAX);
  });
});
