/** What is done to a rewritten request for its thinking, and that all else of it keeps its bytes. */
import { describe, expect, it } from "vitest";
import { textMessage, type Transcript } from "../../../src/core/transcript/message.ts";
import type { HeaderLines } from "../../../src/gateway/contract.ts";
import {
  allowsCompaction,
  thinkingCourse,
  thinkingRefusal,
  thinkingRules,
  type ThinkingQuery,
} from "../../../src/gateway/quirks/thinking.ts";
import { protocols } from "../../../src/protocols/index.ts";
import { type Decoded } from "../../../src/protocols/protocol.ts";
import { applyEdits } from "../../../src/protocols/json.ts";

const protocol = protocols["anthropic-messages"];
const BETA = "thinking-binding-controls-2026-08-01";
const rules = thinkingRules();

const thought = (text: string) => ({ type: "thinking", thinking: text, signature: `sig ${text}` });
const use = (id: string) => ({ type: "tool_use", id, name: "read", input: {} });
const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "ok" });
const said = (text: string) => ({ role: "user", content: text });

/** A turn that is over, and one in the middle of its loop. */
const MESSAGES = [
  said("one"),
  { role: "assistant", content: [thought("a"), use("t1")] },
  { role: "user", content: [result("t1")] },
  { role: "assistant", content: [{ type: "text", text: "done" }] },
  said("two"),
  { role: "assistant", content: [thought("b"), use("t2")] },
  { role: "user", content: [result("t2")] },
];
const BETWEEN = MESSAGES.slice(0, 5);

interface Asking {
  readonly thinking?: string;
  readonly model?: string;
  readonly messages?: unknown;
  readonly more?: string;
}

/** White space, a large integer and a repeated key, to see that they stay. */
function asked({ thinking, model = "claude-opus-5-5", messages = MESSAGES, more = "" }: Asking = {}): Decoded {
  const member = thinking === undefined ? "" : `"thinking" :  ${thinking},\n `;
  return protocol.decode(
    `{ "model":"${model}", ${member}${more}"max_tokens": 9000,"n":12345678901234567890, "messages": ${JSON.stringify(messages)} }`,
  );
}

/** The same with its beginning rewritten. */
function rewritten({ transcript }: Decoded): Transcript {
  return { ...transcript, messages: [textMessage("user", "a handoff", "summary"), ...transcript.messages.slice(1)] };
}

function courseFor(request: Decoded, more: Partial<ThinkingQuery> = {}) {
  return thinkingCourse({ request, sent: rewritten(request), rules, ...more });
}

/** What goes out: the body, and the headers made of some. */
function sentFor(request: Decoded, more: Partial<ThinkingQuery> = {}, headers: HeaderLines = []) {
  const course = courseFor(request, more);
  if (course.kind !== "send") throw new Error(course.kind);
  const spliced = protocol.splice(request, course.transcript);
  return {
    spliced,
    body: applyEdits(spliced, course.bodyEdits?.(protocol.decode(spliced)) ?? []),
    headers: course.editHeaders(headers),
  };
}

describe("a model that binds thinking", () => {
  it("is told to drop what fails, with nothing else changed", () => {
    const request = asked({ thinking: '{"type" : "adaptive"}' });
    const { spliced, body, headers } = sentFor(request);
    const setting = ',"block_binding":{"prefix_mismatch_behavior":"drop_block"}';
    expect(body).toBe(spliced.replace('{"type" : "adaptive"}', `{"type" : "adaptive"${setting}}`));
    expect(body).toContain('"n":12345678901234567890, "messages"');
    expect(headers).toEqual([["anthropic-beta", BETA]]);
  });

  it("keeps a setting that the client left open", () => {
    const { body } = sentFor(asked({ thinking: '{"type":"adaptive","block_binding":{ "x":1 }}' }));
    expect(body).toContain('"block_binding":{ "x":1,"prefix_mismatch_behavior":"drop_block" }');
    const nothing = sentFor(asked({ thinking: '{"type":"adaptive","block_binding":null}' }));
    expect(nothing.body).toContain('"block_binding":{"prefix_mismatch_behavior":"drop_block"}}');
  });

  it("leaves alone what the client decided itself", () => {
    const binding = (behavior: string): Decoded =>
      asked({ thinking: `{"type":"adaptive","block_binding":{"prefix_mismatch_behavior":"${behavior}"}}` });
    expect(courseFor(binding("drop_block"))).toEqual({ kind: "nothing" });
    expect(courseFor(binding("error"))).toEqual({ kind: "untouched", because: "bound_thinking" });
    expect(allowsCompaction(binding("error"), rules)).toBe(false);
    expect(allowsCompaction(binding("drop_block"), rules)).toBe(true);
  });

  it("gets none of it where thinking is off, nor any setting", () => {
    for (const request of [asked(), asked({ thinking: '{"type":"disabled"}' })]) {
      const { body, spliced, headers } = sentFor(request);
      expect(body).toBe(spliced);
      expect(body).not.toContain('"signature"');
      expect(headers).toEqual([]);
    }
    const plain = asked({ messages: [said("one"), { role: "assistant", content: "a" }, said("two")] });
    expect(courseFor(plain)).toEqual({ kind: "nothing" });
  });

  it("is kept safe where a compaction stood before and is gone", () => {
    const request = asked({ thinking: '{"type":"adaptive"}' });
    const sent = request.transcript;
    expect(courseFor(request, { sent })).toEqual({ kind: "nothing" });
    expect(sentFor(request, { sent, stood: true }).body).toContain("drop_block");
  });
});

describe("an upstream without the setting", () => {
  const bare = thinkingRules({ drops: false });
  const thinking = '{"type":"adaptive"}';

  it("gets no thinking of earlier turns, and that of the open turn", () => {
    const request = asked({ thinking });
    const { body, headers } = sentFor(request, { rules: bare });
    expect(body).not.toContain("sig a");
    expect(body).toContain("sig b");
    expect(headers).toEqual([]);
    expect(sentFor(asked({ thinking, messages: BETWEEN }), { rules: bare }).body).not.toContain("signature");
  });

  it("is not compacted for in the middle of a turn that thinks", () => {
    expect(allowsCompaction(asked({ thinking }), bare)).toBe(false);
    expect(allowsCompaction(asked({ thinking, messages: BETWEEN }), bare)).toBe(true);
    expect(allowsCompaction(asked(), bare)).toBe(true);
  });

  it("is told by the form of a cloud platform's body", () => {
    const request = asked({ thinking, more: '"anthropic_version":"bedrock-2023-05-31",' });
    expect(sentFor(request).body).not.toContain("drop_block");
    expect(allowsCompaction(request, rules)).toBe(false);
  });

  it("goes on untouched where the open turn's own beginning was rewritten", () => {
    const messages = [said("one"), ...MESSAGES.slice(5), { role: "assistant", content: [thought("c"), use("t3")] }];
    const request = asked({ thinking, messages: [...messages, { role: "user", content: [result("t3")] }] });
    const { transcript } = request;
    const sent = { ...transcript, messages: [textMessage("user", "a handoff"), ...transcript.messages.slice(3)] };
    expect(courseFor(request, { sent, rules: bare })).toEqual({ kind: "untouched", because: "bound_thinking" });
  });
});

describe("other models and protocols", () => {
  it("are left alone where thinking is signed, as long as the open turn begins with it", () => {
    const request = asked({ model: "claude-sonnet-4-5", thinking: '{"type":"enabled","budget_tokens":2000}' });
    expect(courseFor(request)).toEqual({ kind: "nothing" });
    const { messages, ...rest } = request.transcript;
    const bald = messages.map((message) => ({
      ...message,
      parts: message.parts.filter(({ kind }) => kind !== "reasoning"),
    }));
    expect(courseFor(request, { sent: { ...rest, messages: bald } })).toEqual({
      kind: "untouched",
      because: "bound_thinking",
    });
  });

  it("are left alone where nobody looks", () => {
    expect(courseFor(asked({ model: "glm-5", thinking: '{"type":"enabled"}' }))).toEqual({ kind: "nothing" });
    const chat = protocols["openai-chat"].decode(
      '{"model":"anthropic/claude-opus-5.5","messages":[{"role":"user","content":"a"}]}',
    );
    expect(courseFor(chat)).toEqual({ kind: "nothing" });
  });
});

describe("models", () => {
  it.each([
    ["claude-opus-5-1", "bound"],
    ["claude-opus-5.5", "bound"],
    ["us.anthropic.claude-sonnet-5-5-20261002-v1:0", "bound"],
    ["anthropic/claude-haiku-6", "bound"],
    ["claude-opus-10-2", "bound"],
    ["claude-opus-5", "signed"],
    ["claude-opus-5-20260401", "signed"],
    ["claude-opus-5@20260401", "signed"],
    ["claude-3-7-sonnet-20250219", "signed"],
    ["claude-opus-4-7", "signed"],
    ["deepseek-v4", "none"],
    ["", "none"],
  ] as const)("%s: %s", (name, kind) => {
    expect(rules.kindOf(name)).toBe(kind);
  });

  it("can be told otherwise by name", () => {
    const told = thinkingRules({ models: { "claude-opus": "none", "claude-opus-5-5": "signed", "My.Model": "bound" } });
    expect(["claude-opus-5-5", "claude-opus-6", "my-model-2", "claude-haiku-6"].map(told.kindOf)).toEqual([
      "signed",
      "none",
      "bound",
      "bound",
    ]);
  });
});

describe("the beta header", () => {
  const headersFor = (headers: HeaderLines): HeaderLines =>
    sentFor(asked({ thinking: '{"type":"adaptive"}' }), {}, headers).headers;

  it("goes to the end of the last line, once", () => {
    const lines: HeaderLines = [
      ["Anthropic-Beta", "b, a"],
      ["x", "y"],
      ["anthropic-beta", "c"],
    ];
    const once = headersFor(lines);
    expect(once).toEqual([lines[0], lines[1], ["anthropic-beta", `c,${BETA}`]]);
    expect(headersFor(once)).toBe(once);
    expect(headersFor([["anthropic-beta", ` ${BETA} ,x`]])).toEqual([["anthropic-beta", ` ${BETA} ,x`]]);
    expect(headersFor([["anthropic-beta", ""]])).toEqual([["anthropic-beta", BETA]]);
  });
});

describe("refusals", () => {
  const refused = (message: string): string => JSON.stringify({ type: "error", error: { message } });

  it("about thinking are known from others", () => {
    const bound = refused(
      "messages.3.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove it.",
    );
    const missing = refused(
      "Expected `thinking`, but found `text`. … a final `assistant` message must start with a thinking block",
    );
    expect([thinkingRefusal(400, bound), thinkingRefusal(400, missing)]).toEqual(["bound", "missing"]);
    expect([thinkingRefusal(500, bound), thinkingRefusal(400, refused("no")), thinkingRefusal(400, "<html>")]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
