/** Every engine of ours on the contract suite: generated conversations, the suite's own samples, and the corpus. */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, it } from "vitest";
import { COMPRESSOR_DEFAULTS } from "../../../src/core/engines/settings.ts";
import { ENGINE_NAMES } from "../../../src/core/engines/names.ts";
import type { Engine } from "../../../src/core/engines/contract.ts";
import { createEngine } from "../../../src/core/engines/engines.ts";
import { sampleTranscripts } from "../../../src/plugins/suite/samples.ts";
import { checkEngine } from "../../../src/plugins/suite/suite.ts";
import type { Transcript } from "../../../src/core/transcript/message.ts";
import { protocols } from "../../../src/protocols/index.ts";
import { corpusFiles, corpusText, describeCorpus } from "../../support/corpus.ts";
import { RUNS, transcripts } from "../../support/transcripts.ts";
import { spread } from "../../support/cases.ts";

const FULL_RUNS_MIN = 1_000;
const isFull = RUNS > FULL_RUNS_MIN;
const GENERATED_RUNS = Math.ceil(RUNS / 40);
const SAMPLES = isFull ? 40 : 1;
const WINDOWS_TOKENS = [32_000, 64_000, 200_000, 1_000_000];
/** A short run tries each window on every so manyeth of the corpus's short transcripts, and each on others. */
const CORPUS_STEP = isFull ? 1 : 36;
const CORPUS_CHARS_MAX = isFull ? Infinity : 100_000;

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
const chat = protocols["openai-chat"];

const makeOf =
  (name: string) =>
  (contextLength: number): Engine =>
    createEngine(name, { ...COMPRESSOR_DEFAULTS, contextLength });

const corpus = corpusFiles("openai").filter((file) => corpusText(file).length <= CORPUS_CHARS_MAX);

const twoTexts: Transcript = {
  system: [],
  messages: [
    {
      role: "assistant",
      parts: [{ kind: "tool-call", id: "a", name: "read_file", arguments: '{"path":"src/app.ts"}' }],
    },
    {
      role: "tool",
      parts: [
        {
          kind: "tool-result",
          callId: "a",
          content: [
            { kind: "text", text: "What is left of a file is on page 1. ".repeat(40) },
            { kind: "text", text: "What is left of a file is on page 2. ".repeat(40) },
          ],
        },
      ],
    },
  ],
};

describe.each(ENGINE_NAMES)("the contract, kept by %s", (name) => {
  const make = makeOf(name);

  it("on generated conversations", async () => {
    await fc.assert(
      fc.asyncProperty(transcripts({ large: false }), (transcript) => checkEngine({ transcript }, { make, hash })),
      { numRuns: GENERATED_RUNS },
    );
  });

  it("on a result of two texts, which a digest takes as one", async () => {
    await checkEngine({ transcript: twoTexts }, { make, hash });
  });

  it("on long conversations with large results", async () => {
    for (const transcript of sampleTranscripts(SAMPLES)) await checkEngine({ transcript }, { make, hash });
  });

  describeCorpus("on the corpus", () => {
    it.each(spread(WINDOWS_TOKENS, WINDOWS_TOKENS.length))("with a window of %i tokens", async (contextTokens) => {
      const first = WINDOWS_TOKENS.indexOf(contextTokens);
      for (const file of corpus.filter((_, at) => at % CORPUS_STEP === first % CORPUS_STEP)) {
        const body = corpusText(file);
        const decoded = chat.decode(body);
        const wire = { body, write: (transcript: typeof decoded.transcript) => chat.splice(decoded, transcript) };
        await checkEngine({ transcript: decoded.transcript, wire }, { make, hash, contextTokens });
      }
    });
  });
});
