import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { canonical, createChain, isRecallId, recallId, RECALL_IDS } from "../../../src/core/transcript/links.ts";
import { textMessage, withParts, type Message } from "../../../src/core/transcript/message.ts";

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
const [first, second, other] = ["fix the build", "now the tests", "now the docs"].map((text) =>
  textMessage("user", text),
);

describe("the chain of links", () => {
  it("gives a prefix one identity whatever follows it", () => {
    const chain = createChain(hash);
    const short = chain.linksOf([first!, second!]);
    const long = chain.linksOf([first!, second!, other!]);
    expect(long.slice(0, 2)).toEqual(short);
  });

  it("tells two histories apart from the first message that differs", () => {
    const chain = createChain(hash);
    const [a, b] = [chain.linksOf([first!, second!]), chain.linksOf([first!, other!])];
    expect(a[0]).toBe(b[0]);
    expect(a[1]).not.toBe(b[1]);
  });

  it("is the same for a message object seen before at another place", () => {
    const chain = createChain(hash);
    chain.linksOf([first!, second!, first!]);
    expect(chain.linksOf([first!, second!, first!])).toEqual(createChain(hash).linksOf([first!, second!, first!]));
  });

  it("hashes nothing again where a history and what is sent in its place are asked for in turns", () => {
    let hashed = 0;
    const chain = createChain((text) => {
      hashed++;
      return hash(text);
    });
    const tail = Array.from({ length: 20 }, (_, at) => textMessage("user", `step ${at}`));
    const [history, sent] = [
      [first!, second!, ...tail],
      [first!, other!, ...tail],
    ];
    const once = [chain.linksOf(history), chain.linksOf(sent)];
    const before = hashed;
    expect([chain.linksOf(history), chain.linksOf(sent)]).toEqual(once);
    expect(hashed).toBe(before);
  });

  it("ignores reasoning, which clients drop when they resend", () => {
    const said: Message = { role: "assistant", parts: [{ kind: "text", text: "done" }] };
    const thought = withParts(said, [{ kind: "reasoning", text: "hm" }, ...said.parts]);
    expect(canonical(thought)).toBe(canonical(said));
  });

  it("does not confuse a text with a result of the same words", () => {
    const result: Message = {
      role: "tool",
      parts: [{ kind: "tool-result", callId: "a", content: [{ kind: "text", text: "x" }] }],
    };
    expect(canonical(result)).not.toBe(canonical(textMessage("tool", "x")));
  });
});

describe("recall ids", () => {
  it("follow from content alone and are short", () => {
    expect(recallId("a log", hash)).toBe(recallId("a log", hash));
    expect(recallId("a log", hash)).not.toBe(recallId("another log", hash));
    expect(recallId("a log", hash)).toMatch(/^r[0-9a-f]{16}$/);
  });

  it("are known alone and in a text, those of before among them", () => {
    const now = recallId("a log", hash);
    const before = now.slice(0, 10);
    for (const id of [now, before]) expect(isRecallId(id)).toBe(true);
    for (const text of [now.slice(0, 12), `${now}0`, "r01234567", "digest", ""]) expect(isRecallId(text)).toBe(false);
    expect(`recall ${before}, ${now}; not ${now.slice(0, 12)}`.match(RECALL_IDS)).toEqual([before, now]);
  });
});
