import { beforeAll, expect, test } from "vitest";
import { redact, type Redaction } from "../../../src/core/redaction/redact.ts";
import { corpusFiles, corpusText, describeCorpus } from "../../support/corpus.ts";

/** Real transcripts hold hardly a secret: what is masked there is nearly all mistaken. */
const MASKED_PER_MB_MAX = 12;
/** Masked besides the one public token that a web page in eleven transcripts repeats, and besides telephone numbers, which are some. */
const OTHERS_MAX = 5;
const REPEATED_PUBLIC_TOKEN = "OriginTrialToken";

describeCorpus("the corpus", () => {
  const texts = corpusFiles("openai").map(corpusText);
  let redacted: readonly Redaction[];
  beforeAll(() => void (redacted = texts.map((text) => redact(text))));

  test("is left alone but for a handful of places", () => {
    const chars = texts.reduce((sum, text) => sum + text.length, 0);
    const masked = redacted.reduce((sum, { count }) => sum + count, 0);
    expect(masked / (chars / 1e6)).toBeLessThan(MASKED_PER_MB_MAX);
    const lines = texts.flatMap((text) => text.split("\\n")).filter((line) => !line.includes(REPEATED_PUBLIC_TOKEN));
    const mistaken = lines.filter((line) => redact(line).kinds.some((kind) => kind !== "phone number"));
    expect(mistaken.length).toBeLessThanOrEqual(OTHERS_MAX);
  });

  test("stays JSON", () => {
    for (const { text } of redacted) expect(() => JSON.parse(text) as unknown).not.toThrow();
  });
});
