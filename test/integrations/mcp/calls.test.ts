/** A call that takes too long or fails: answered in our words, without what it was about, and the next one is answered. */
import { expect, it } from "vitest";
import { PrecisError } from "../../../src/core/errors.ts";
import { createCalls } from "../../../src/integrations/mcp/server.ts";

function calls(callMs = 1_000) {
  const logged: string[] = [];
  const redact = (text: string): string => text.replaceAll("hunter2", "[redacted]");
  const { answered, empty } = createCalls({ limits: { callMs, waiting: 3 }, redact, log: (line) => logged.push(line) });
  const said = async (call: () => Promise<string>) => {
    const { content, isError } = await answered(call);
    return { text: content[0]!.text, failed: isError === true };
  };
  return { said, empty, logged };
}

it("a call that never ends does not keep the next one waiting for ever", async () => {
  const { said } = calls(30);
  const never = said(() => new Promise(() => undefined));
  const next = said(async () => "here");
  expect(await never).toMatchObject({ failed: true, text: expect.stringMatching(/^too_slow: /) as string });
  expect(await next).toEqual({ failed: false, text: "here" });
});

it("calls go one after another, and too many are turned away at once", async () => {
  const { said, empty } = calls();
  const order: string[] = [];
  const call = (name: string) =>
    said(async () => {
      order.push(`${name} begins`);
      await new Promise((done) => setTimeout(done, 5));
      order.push(`${name} ends`);
      return name;
    });
  const asked = ["a", "b", "c", "d"].map(call);
  expect((await asked[3]!).text).toMatch(/^busy: /);
  await empty();
  expect(order).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
  expect((await call("e")).failed).toBe(false);
});

it("a fault of ours says nothing of what it worked on", async () => {
  const { said, logged } = calls();
  const { text, failed } = await said(() => Promise.reject(new TypeError("cannot read 'the words of the user'")));
  expect([failed, text]).toEqual([true, expect.stringMatching(/^internal_fault: /)]);
  expect(text + logged.join("")).not.toContain("words of the user");
  expect(logged).toEqual(["a fault in precis (TypeError)"]);
});

it("a failure is told without secrets, and without the names of other tenants", async () => {
  const { said } = calls();
  const hint = "Other tenants with sessions: acme (3).";
  const gone = new PrecisError('there is no session "hunter2"', { code: "unknown_session", hint });
  const { text } = await said(() => Promise.reject(gone));
  expect(text).toContain("[redacted]");
  expect(text).not.toContain("acme");
});
