/** The handoffs that the documentation shows are those that are written now, and hold what whoever goes on needs. */
import { expect, it } from "vitest";
import { handoffOf, withHandoffExamples, withShortHandoff } from "../../scripts/docs/handoffs.ts";
import { textOf } from "./blocks.ts";

const LINES_MAX = 25;
const page = textOf("docs/handoff-examples.md");
const partOf = (text: string, name: string): string =>
  text.slice(text.indexOf(`<!-- start of ${name}`), text.indexOf(`<!-- end of ${name} -->`));

it("are up to date (npm run docs)", async () => {
  expect(await withHandoffExamples(page)).toBe(page);
  const readme = textOf("README.md");
  expect(await withShortHandoff(readme)).toBe(readme);
});

it("are short on the front page", () => {
  const block = /```text\n([\s\S]*?)\n```/.exec(partOf(textOf("README.md"), "short handoff"))![1]!;
  expect(block.split("\n").length).toBeLessThanOrEqual(LINES_MAX);
});

it("hold a traveller's conditions, what was changed, what it cost and what is still to pay", async () => {
  const bookings = await handoffOf({ file: "bookings.openai-chat.json", budget: 4_000 });
  for (const fact of [
    "Never charge the Visa ending 4417",
    "a lower berth by night",
    "m.ilves@fjordlab.example",
    "H-5641",
    "RF-90114",
    "to_pay_eur: 93",
    "failed: Error: payment_declined: Visa ending",
  ])
    expect(bookings).toContain(fact);
});

it("say how the checks stand and no longer name a failure that is gone as standing", () => {
  const coding = partOf(textOf("README.md"), "short handoff");
  expect(coding).toContain("101 passed");
  expect(coding).not.toContain("## Blocked");
});

it("keep of a model's items all that hold, each with its messages", () => {
  const told = partOf(page, "coding, with a model");
  expect(told).toContain("[29-30]");
  expect(told).toContain("db0e008");
});
