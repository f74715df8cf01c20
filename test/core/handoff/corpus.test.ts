/** Ledger and handoff over real transcripts: within budget, read back whole, quoting nothing that was not said. */
import { expect, it } from "vitest";
import { createLedgerKeeper } from "../../../src/core/ledger/ledger.ts";
import { liveRequestOf } from "../../../src/core/ledger/readers/live-request.ts";
import { parseHandoff, writeHandoff } from "../../../src/core/handoff/write.ts";
import { contentText, type Message } from "../../../src/core/transcript/message.ts";
import { protocols } from "../../../src/protocols/index.ts";
import { corpusFiles, corpusText, describeCorpus } from "../../support/corpus.ts";
import { measure, requestFor } from "./requests.ts";

const BUDGETS_TOKENS = [150, 400, 1_000, 3_000, 10_000];
/** More than this from one conversation would be a document taken for orders. */
const CONSTRAINTS_MAX = 20;

const files = corpusFiles("openai");
const messagesOf = (file: string): readonly Message[] =>
  protocols["openai-chat"].decode(corpusText(file)).transcript.messages;

describeCorpus("ledger and handoff over the corpus", () => {
  it.each(files)("%s", (file) => {
    const messages = messagesOf(file);
    const ledger = createLedgerKeeper().ledgerOf(messages);
    for (const { message, text } of [...ledger.constraints, ...ledger.decisions, ...ledger.values])
      expect(contentText(messages[message]!.parts)).toContain(text);
    for (const { message } of ledger.constraints) expect(messages[message]!.role).toBe("user");
    expect(ledger.constraints.length).toBeLessThanOrEqual(CONSTRAINTS_MAX);
    for (const budget of BUDGETS_TOKENS) {
      const { text, tokens, sections } = writeHandoff(requestFor(messages, { ledger, budget, tail: 10 }));
      expect(tokens).toBe(measure.text(text));
      expect(tokens).toBeLessThanOrEqual(budget);
      const parsed = parseHandoff(text)!;
      for (const { topic, written } of sections) expect(parsed.sections.get(topic)?.length ?? 0).toBe(written);
    }
  });

  it("finds a live request wherever a user has spoken", () => {
    for (const file of files) {
      const messages = messagesOf(file);
      expect(liveRequestOf(messages) >= 0).toBe(messages.some(({ role }) => role === "user"));
    }
  });
});
