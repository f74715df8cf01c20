/** Every real transcript as a request of every protocol: read, given back byte for byte, and carried to the others. */
import { expect, test } from "vitest";
import { contentText, type Message } from "../../src/core/transcript/message.ts";
import { createDecoder, detectProtocol, protocols } from "../../src/protocols/index.ts";
import { requestOf, type ChatMessage } from "../support/chat-to-wire.ts";
import { spread } from "../support/cases.ts";
import { corpusFiles, corpusText, describeCorpus } from "../support/corpus.ts";
import { JSON_LAYOUTS, printJson } from "../support/json-text.ts";
import { createRandom } from "../support/random.ts";
import { RUNS, WIRE_NAMES } from "../support/transcripts.ts";

/** A longer test run writes every transcript in every layout, the default one in one of them. */
const DEFAULT_RUNS = 500;

/** Everything anyone said, with calls and results, in order; who said it does not depend on the protocol. */
function said(messages: readonly Message[]): string[] {
  return messages.flatMap(({ parts }) =>
    parts.flatMap((part) => {
      if (part.kind === "tool-call") return [`${part.name} ${part.arguments.replaceAll(/\s/g, "")}`];
      const text = contentText([part]);
      return text.trim() === "" ? [] : [text];
    }),
  );
}

function expected(messages: readonly ChatMessage[]): string[] {
  return messages.flatMap(({ content, tool_calls: calls }) => {
    const text =
      typeof content === "string" ? content : (content ?? []).map((block) => String(block["text"] ?? "")).join("\n");
    const made = (calls ?? []).map((call) => `${call.function.name} ${call.function.arguments.replaceAll(/\s/g, "")}`);
    return [...(text.trim() === "" ? [] : [text]), ...made];
  });
}

describeCorpus("the corpus", () => {
  const files = spread(corpusFiles("openai")).map((file) => ({
    file,
    messages: JSON.parse(corpusText(file)) as ChatMessage[],
  }));

  test.each(WIRE_NAMES)("%s", (name) => {
    const protocol = protocols[name];
    files.forEach(({ messages }, index) => {
      const layout = JSON_LAYOUTS[index % JSON_LAYOUTS.length]!;
      const request = requestOf(name, messages);
      const layouts = RUNS > DEFAULT_RUNS ? JSON_LAYOUTS : [layout];
      for (const body of layouts.map((one) => printJson(request, one, createRandom(index)))) {
        const decoded = protocol.decode(body);
        expect(protocol.splice(decoded, decoded.transcript) === body).toBe(true);
        const { system, messages: read } = decoded.transcript;
        expect(said([...system, ...read]).join("\n") === expected(messages).join("\n")).toBe(true);
        if (read.some(({ role }) => role === "tool")) expect(detectProtocol(body)).toBe(name);
        const rest = { ...decoded.transcript, messages: read.slice(1) };
        expect(protocol.decode(protocol.splice(decoded, rest)).transcript.messages.length).toBeGreaterThanOrEqual(
          read.length - 1,
        );
      }
    });
  });

  test("what one protocol read, the others say again", () => {
    for (const { messages } of RUNS > DEFAULT_RUNS ? files : files.filter((_, at) => at % 3 === 0)) {
      const { transcript } = protocols["openai-chat"].decode(JSON.stringify(messages));
      for (const name of WIRE_NAMES) {
        const parts = protocols[name].encode({ ...transcript, system: [] });
        const again = protocols[name].decode(JSON.stringify(parts.messages)).transcript.messages;
        const carried = (one: readonly Message[]) =>
          said(one).filter((text) => !text.startsWith("(") && !text.startsWith("["));
        expect(carried(again).length).toBe(carried(transcript.messages).length);
      }
    }
  });

  test("a history that grows is read anew only at its end", () => {
    for (const { messages } of files.slice(0, 12)) {
      for (const name of WIRE_NAMES) {
        const decoder = createDecoder(protocols[name]);
        const [before, after] = [messages.slice(0, -2), messages].map((list) =>
          decoder.decode(printJson(requestOf(name, list), "compact", createRandom(1))),
        );
        const same = before!.transcript.messages.filter(
          (message, at) => after!.transcript.messages[at] === message,
        ).length;
        expect(before!.transcript.messages.length - same).toBeLessThanOrEqual(3);
      }
    }
  });
});
