/** `recover` called as long as it gives something: it ends, and what it gives is another request than the one that was refused. */
import { describe, expect, it } from "vitest";
import { createSession } from "../../src/index.ts";
import { filler } from "../support/compacting.ts";

const TOO_LONG = {
  status: 400,
  body: JSON.stringify({
    error: {
      code: "context_length_exceeded",
      message: "This model's maximum context length is 16000 tokens. However, your messages resulted in 60000 tokens.",
    },
  }),
};
const ALTERNATE = {
  status: 400,
  body: JSON.stringify({ error: { message: "Conversation roles must alternate user/assistant/user/assistant/..." } }),
};

const said = (content: string, role = "user") => ({ role, content });
const turns = (count: number) =>
  Array.from({ length: count }, (_, at) => [
    said(filler(900, `ask${at}`)),
    said(filler(900, `told${at}`), "assistant"),
  ]).flat();
const session = () => createSession({ settings: { contextLength: 16_000 } });

describe.each([
  ["one request that cannot be smaller", [said("s", "system"), said(filler(60_000, "long"))]],
  ["a conversation", [said("s", "system"), ...turns(40), said("And now?")]],
])("%s", (_, messages) => {
  it.each(["what was sent", "the history"])("is given up after a few refusals of %s", async (given) => {
    const one = session();
    let sent = (await one.prepare(messages)).request;
    for (let calls = 0; ; calls++) {
      expect(calls).toBeLessThan(5);
      const next = await one.recover(TOO_LONG, given === "the history" ? messages : sent);
      if (next === undefined) break;
      expect(JSON.stringify(next.request).length).toBeLessThanOrEqual(JSON.stringify(sent).length);
      expect(next.request).not.toEqual(sent);
      sent = next.request;
    }
  });
});

describe("a server that wants roles to take turns", () => {
  const roles = (list: readonly { readonly role: string }[]): string => list.map(({ role }) => role[0]).join("");

  it.each(["what was sent", "the history"])(
    "gets neighbours joined after it refused %s, and from then on",
    async (given) => {
      const one = session();
      const history = [said("s", "system"), ...turns(20), said("And now?")];
      const { request: sent } = await one.prepare(history);
      expect(roles(sent)).toMatch(/uu/);
      const again = await one.recover(ALTERNATE, given === "the history" ? history : sent);
      expect(roles(again!.request)).not.toMatch(/uu|aa/);
      expect(JSON.stringify(again!.request)).toContain("And now?");
      const next = await one.prepare([...history, said("Done.", "assistant"), said("Then?")]);
      expect(roles(next.request)).not.toMatch(/uu|aa/);
      expect(await one.recover(ALTERNATE, again!.request)).toBeUndefined();
    },
  );

  it("is given up where nothing can be joined, and heard in a wrapped error and in a text", async () => {
    expect(await session().recover(ALTERNATE, [said("a"), said("b", "assistant"), said("c")])).toBeUndefined();
    const wrapped = new Error("failed", { cause: ALTERNATE });
    const joined = await session().recover(wrapped, JSON.stringify({ messages: [said("a"), said("b")] }));
    expect(JSON.parse(joined!.request)).toEqual({ messages: [said("a\n\nb")] });
  });
});
