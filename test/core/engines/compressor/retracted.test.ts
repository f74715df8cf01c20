/** A figure that was corrected is told with its correction after it: the last that the record says of it holds. */
import { expect, it } from "vitest";
import { contentText } from "../../../../src/core/transcript/message.ts";
import { compacted, filler, ran, says, talk, user } from "../../../support/compacting.ts";

it("tells the figure that holds after the one that was taken back", async () => {
  const session = talk(
    user("What is the revenue at risk? The report is due in churn_q1.md."),
    ran("sql", { query: "select 1" }, filler(300, "rows")),
    says("The total in churn_q1.md and dwh.orders_q1 comes to €9,184,221.55 for the year."),
    user("That looks high for churn_q1.md and dwh.orders_q1."),
    ran("sql", { query: "select 2" }, filler(300, "rates")),
    says("Rates were joined twice. My €9,184,221.55 was wrong."),
    says("Corrected revenue at risk: €7,402,118.09 (ECB rates)."),
    Array.from({ length: 12 }, (_, at) => [
      user(`Now part ${at}.`),
      ...ran("read_file", { path: `src/part_${at}.ts` }, filler(500, `part${at}`)),
      says(`Part ${at} is read.`),
    ]).flat(),
    user("Write the numbers of dwh.orders_q1 to churn_q1.md."),
  );
  const { result } = await compacted(session, { budget: 2_000 });
  const handoff = contentText(result.messages.find(({ origin }) => origin === "summary")!.parts);
  expect(handoff).toContain("Corrected revenue at risk: €7,402,118.09");
  // After it, the other figure stands only where it is taken back.
  const after = handoff.slice(handoff.indexOf("€7,402,118.09")).split("\n");
  expect(after.filter((line) => line.includes("€9,184,221.55") && !line.includes("was wrong"))).toEqual([]);
});
