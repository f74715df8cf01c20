/** Errors between lines of noise: whoever is asked why something fails finds every one of them in the result, in words. */
import { expect, it } from "vitest";
import { compacted, filler, measure, ran, says, talk, user } from "../../../support/compacting.ts";

const SERVICES =
  "auth billing cart catalog checkout coupons email exports feeds images invoices ledger media orders payouts profiles quotes ratings refunds search stock taxes".split(
    " ",
  );
const SHARE = 0.15;

it("finds 22 of 22 planted errors at 15 percent", async () => {
  const errors = SERVICES.map((service, at) => `error: connection refused to ${service}.internal:${7_000 + at * 13}`);
  const transcript = talk(
    user("The nightly run stops. Read the logs."),
    errors.flatMap((error, at) =>
      ran(
        "Bash",
        { command: `cat logs/part-${at}.log` },
        `${filler(400, `a${at}`)}\n${error}\n${filler(400, `b${at}`)}`,
      ),
    ),
    says("I have read all of the logs."),
    user("Why does it fail?"),
    says("I am looking at it."),
  );
  const budget = Math.floor(measure.transcript(transcript) * SHARE);
  const { text } = await compacted(transcript, { budget, reason: "budget" });
  expect(errors.filter((error) => text.includes(error))).toEqual(errors);
});
