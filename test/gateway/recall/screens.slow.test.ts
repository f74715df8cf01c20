/** Answers behind a screen: what the vendors' clients make of them is the provider's answer without the hidden calls. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RECALL_TOOL } from "../../../src/session/recall/answer.ts";
import { assemblerOf } from "../../support/agent/assembled.ts";
import { agentForms } from "../../support/agent/forms.ts";
import type { ReplyBlock } from "../../../provider/src/contract.ts";
import { type Fields, fieldsOf, listOf } from "../../../src/protocols/fields.ts";
import { splitFrames } from "../../../src/protocols/answers/frames.ts";
import { definitions } from "../../../src/protocols/registry.ts";
import { protocols } from "../../../src/protocols/index.ts";
import { RUNS } from "../../support/transcripts.ts";
import { SDK_PROTOCOLS, type SdkProtocol } from "./support/sdk-protocols.ts";
import { accumulated, OUTPUT_TOKENS, streamText, turns, wholeText } from "./support/passages.ts";

/** Clients are slow to put together. */
const CLIENT_RUNS = Math.ceil(RUNS / 5);

type Passages = readonly (readonly ReplyBlock[])[];

/** All passages through one screen, cut into pieces of `size` bytes. */
function screened(protocol: SdkProtocol, passages: Passages, size: number) {
  const screen = definitions[protocol].screen(new Set([RECALL_TOOL]));
  let shown = "";
  const heard = passages.map((blocks, at) => {
    if (at > 0) screen.goOn();
    const splitter = splitFrames(1e6);
    const bytes = Buffer.from(streamText(protocol, blocks, at));
    const frames = Array.from({ length: Math.ceil(bytes.length / size) }, (_, piece) =>
      splitter.push(bytes.subarray(piece * size, (piece + 1) * size)),
    ).flat();
    for (const frame of [...frames, ...splitter.end()]) shown += typeof frame === "string" ? frame : screen.take(frame);
    return screen.passage();
  });
  return { shown: shown + screen.release(), heard };
}

/** What is said, call by call and text by text, in the protocol's own form, without what differs between passages. */
function contentOf(protocol: SdkProtocol, answer: Fields): readonly unknown[] {
  if (protocol !== "openai-chat") return listOf(answer[protocol === "openai-responses" ? "output" : "content"]);
  const message = fieldsOf(fieldsOf(listOf(answer["choices"])[0])["message"]);
  return [message["content"] ?? "", message["reasoning_content"] ?? "", ...listOf(message["tool_calls"])];
}

/** OpenAI's client keeps the last piece of a field that it does not know. */
function withoutReasoning(answer: Fields): Fields {
  const [choice] = listOf(answer["choices"]).map(fieldsOf);
  if (choice === undefined) return answer;
  const { reasoning_content: _, ...message } = fieldsOf(choice["message"]);
  return { ...answer, choices: [{ ...choice, message }] };
}

/** What the strict provider's own agent makes of a stream. */
function assembled(protocol: SdkProtocol, text: string): Fields {
  const assembler = assemblerOf(agentForms[protocol]);
  for (const line of text.split("\n")) if (line.startsWith("data: ")) assembler.take(line.slice("data: ".length));
  return assembler.answer();
}

const isHidden = (part: unknown): boolean =>
  fieldsOf(part)["name"] === RECALL_TOOL || fieldsOf(fieldsOf(part)["function"])["name"] === RECALL_TOOL;

/** Passages one after another; Chat has one text for all. */
function joined(protocol: SdkProtocol, contents: readonly (readonly unknown[])[]): readonly unknown[] {
  const shown = contents.map((content) => content.filter((part) => !isHidden(part)));
  if (protocol !== "openai-chat") return shown.flat();
  const text = (at: number): string => shown.map((content) => String(content[at])).join("");
  return [text(0), text(1), ...shown.flatMap((content) => content.slice(2))];
}

describe.each(SDK_PROTOCOLS)("%s", (protocol) => {
  it("is the provider's answers without the hidden calls, for the vendor's client", async () => {
    await fc.assert(
      fc.asyncProperty(turns, fc.integer({ min: 1, max: 400 }), async (passages, size) => {
        const answers = await Promise.all(
          passages.map((blocks, at) => accumulated(protocol, streamText(protocol, blocks, at))),
        );
        const { shown, heard } = screened(protocol, passages, size);
        const got = await accumulated(protocol, shown);
        const content = (answer: Fields) => contentOf(protocol, withoutReasoning(answer));
        expect(content(got)).toEqual(joined(protocol, answers.map(content)));
        expect(contentOf(protocol, assembled(protocol, shown))).toEqual(
          joined(
            protocol,
            passages.map((blocks, at) => contentOf(protocol, assembled(protocol, streamText(protocol, blocks, at)))),
          ),
        );
        expect(shown).not.toContain(RECALL_TOOL);
        expect(got["id"]).toBe(answers[0]!["id"]);
        const usage = fieldsOf(got["usage"]);
        expect(usage["output_tokens"] ?? usage["completion_tokens"]).toBe(OUTPUT_TOKENS * passages.length);
        const last = fieldsOf(answers.at(-1)!["usage"]);
        expect(usage["input_tokens"] ?? usage["prompt_tokens"]).toBe(last["input_tokens"] ?? last["prompt_tokens"]);
        expect(heard.map(({ asks }) => asks)).toEqual(passages.map((_, at) => at < passages.length - 1));
      }),
      { numRuns: CLIENT_RUNS },
    );
  });

  it("passes an answer without hidden calls on as its bytes, cut anywhere", () => {
    fc.assert(
      fc.property(turns, fc.integer({ min: 1, max: 400 }), (passages, size) => {
        const blocks = passages.at(-1)!.filter((block) => block.kind !== "call" || block.name !== RECALL_TOOL);
        const { shown } = screened(protocol, [blocks], size);
        const text = streamText(protocol, blocks, 0);
        if (protocol === "openai-responses") expect(shown).not.toContain(RECALL_TOOL);
        else expect(shown).toBe(text);
      }),
      { numRuns: CLIENT_RUNS },
    );
  });

  it("tells all of it again, hidden calls included, and the same streamed as whole", () => {
    fc.assert(
      fc.property(turns, (passages) => {
        const { heard } = screened(protocol, passages, 97);
        const whole = definitions[protocol].wholeScreen(new Set([RECALL_TOOL]));
        const read = passages.map((blocks, at) => whole.read(wholeText(protocol, blocks, at))!);
        heard.forEach((passage, at) => {
          const said = partsOf(protocol, passage.said()!);
          expect(said).toEqual(partsOf(protocol, read[at]!.said()!));
          expect(said.filter(({ kind }) => kind === "tool-call")).toHaveLength(
            passages[at]!.filter(({ kind }) => kind === "call").length,
          );
          expect(passage.calls).toEqual(read[at]!.calls);
          expect(passage.calls).toHaveLength(
            passages[at]!.filter((block) => block.kind === "call" && block.name === RECALL_TOOL).length,
          );
          expect(passage.asks).toBe(read[at]!.asks);
        });
        const content = contentOf(protocol, JSON.parse(whole.join(read)) as Fields);
        const plain = passages.map((blocks, at) =>
          contentOf(protocol, JSON.parse(wholeText(protocol, blocks, at)) as Fields),
        );
        expect(content).toEqual(joined(protocol, plain));
      }),
      { numRuns: CLIENT_RUNS },
    );
  });
});

function partsOf(protocol: SdkProtocol, elements: readonly string[]) {
  const { messages } = protocols[protocol].decode(`[${elements.join(",")}]`).transcript;
  return messages.flatMap(({ parts }) => parts.map(({ at: _, ...part }) => part));
}
