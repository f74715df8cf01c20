/** What is next to a handoff: asked of each message once, and right all the same when other messages are there. */
import { describe, expect, it } from "vitest";
import { createShownKeeper } from "../../../../src/core/compaction/run/already-visible.ts";
import { textMessage, type Message } from "../../../../src/core/transcript/message.ts";

const port = textMessage("user", "the port is 8080");
const file: Message = {
  role: "assistant",
  parts: [{ kind: "tool-call", id: "one", name: "Read", arguments: '{"path":"src/a.ts"}' }],
};

describe("what stands beside a handoff", () => {
  const { shownIn } = createShownKeeper();

  it("is the text of messages and what their calls were given", () => {
    expect(shownIn([port, file]).includes("8080")).toBe(true);
    expect(shownIn([port, file]).includes("src/a.ts")).toBe(true);
    expect(shownIn([port, file]).includes("src/b.ts")).toBe(false);
  });

  it("is asked of the messages that stand there now, whatever was answered before", () => {
    expect(shownIn([file]).includes("8080")).toBe(false);
    expect(shownIn([port]).includes("8080")).toBe(true);
    expect(shownIn([]).includes("8080")).toBe(false);
    expect(shownIn([textMessage("user", "now it is src/b.ts")]).includes("src/b.ts")).toBe(true);
  });

  it("stays right when it has been asked for more than it remembers", () => {
    const keeper = createShownKeeper();
    for (let at = 0; at < 6_000; at++) expect(keeper.shownIn([port]).includes(`text ${at}`)).toBe(false);
    expect(keeper.shownIn([port, file]).includes("src/a.ts")).toBe(true);
    expect(keeper.shownIn([file]).includes("8080")).toBe(false);
  });
});
