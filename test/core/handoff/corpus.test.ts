/** Events and handoff over real transcripts: within budget, read back whole, telling nothing that was not said. */
import { expect, it } from "vitest";
import { eventsOf } from "../../../src/core/events/events.ts";
import { liveRequestOf } from "../../../src/core/events/live-request.ts";
import { parseHandoff, writeHandoff } from "../../../src/core/handoff/write.ts";
import { contentText, type Message } from "../../../src/core/transcript/message.ts";
import { protocols } from "../../../src/protocols/index.ts";
import { spread } from "../../support/cases.ts";
import { corpusFiles, corpusText, describeCorpus } from "../../support/corpus.ts";
import { measure, requestFor } from "./requests.ts";

const BUDGETS_TOKENS = [150, 400, 1_000, 3_000, 10_000];

const files = spread(corpusFiles("openai"));
const messagesOf = (file: string): readonly Message[] =>
  protocols["openai-chat"].decode(corpusText(file)).transcript.messages;

describeCorpus("events and handoff over the corpus", () => {
  it.each(files)("%s", (file) => {
    const messages = messagesOf(file);
    const { requests, rules, calls } = eventsOf(messages);
    for (const { message, text } of [...requests, ...rules])
      for (const line of text.split("\n")) expect(contentText(messages[message]!.parts)).toContain(line);
    for (const { message } of requests) expect(messages[message]!.role).toBe("user");
    for (const { result, message } of calls) expect(result ?? Infinity).toBeGreaterThan(message);
    for (const budget of BUDGETS_TOKENS) {
      const { text, tokens, sections } = writeHandoff(requestFor(messages, { budget, tail: 10 }));
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
