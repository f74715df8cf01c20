/** What a later sentence takes the place of, and what only sounds like it. */
import { describe, expect, it } from "vitest";
import { expectLinear } from "../../../support/linear.ts";
import { comparable, correctionsIn, overrules } from "../../../../src/core/ledger/readers/overruled.ts";

const isOverruled = (before: string, now: string): boolean => overrules(comparable(now), comparable(before));

describe("a sentence overrules", () => {
  it.each([
    ["The service must listen on port 4470.", "The service must listen on 4471 instead of 4470."],
    ["For exports use avro-2.", "Change of plan: for exports use parquet-7."],
    ["Always deploy to host-1.", "I was wrong about the deployment: always deploy to host-2."],
    ["I decided to use redis-6 as the queue.", "No, use valkey-8 as the queue after all."],
    ["Keep the old parser beside the new one.", "Actually, do not keep the old parser beside it."],
    // Plain words, where the rule demands just what is over.
    ["Also the currency must be EUR.", "No, use CHF after all, not EUR."],
    ["Also the currency must be EUR.", "Not EUR: from now on use CHF."],
    ["Also the currency must be EUR.", "EUR is no longer wanted, use CHF."],
    ["Also the currency must be EUR.", "We do not use EUR any more."],
    ["Always deliver to Austria.", "We no longer deliver to Austria."],
    ["Indent with tabs.", "Sorry, spaces rather than tabs."],
    ["The API must answer in XML.", "The API must answer in JSON instead of XML."],
    ["Use EUR, not USD.", "No, use CHF, not EUR."],
    ["No, CHF, not EUR.", "No, EUR after all, not CHF."],
    ["Answer in English.", "No, in German and not in English."],
    ["Also the currency must be EUR.", "No, CHF instead of EUR and round to five."],
    ["Use redis-6.", "No, valkey-8, not redis-6."],
    ["Bitte ändere ab jetzt die Ausgabe auf Euro.", "Nein, doch lieber Schweizer Franken statt Euro."],
    ["Liefere künftig auch nach Österreich.", "Wir liefern ab jetzt nicht mehr nach Österreich."],
    ["Usa siempre euros.", "No, mejor francos en lugar de euros."],
  ])("%s → %s", (before, now) => expect(isOverruled(before, now)).toBe(true));
});

describe("a sentence leaves alone", () => {
  it.each([
    ["You must not delete the-archive-4470.", "You must not delete the-archive-9981."],
    ["Never restart host-1.", "Never restart host-2."],
    ["Never restart host-1.", "No, restart worker-2 first."],
    ["Do not deploy to host-1 on Fridays.", "You must not deploy to host-1 without tests."],
    [
      "You must not delete the-archive-1, the customer still reads it.",
      "No, you must not delete the-archive-2, the customer still reads it.",
    ],
    ["Keep the tests green.", "No, keep the tests in src."],
    ["For exports use avro-2.", "No, the tests are in another folder."],
    ["The service must listen on port 4470.", "Use tabs instead of spaces."],
    ["Write tests first.", "From now on answer in German."],
    // What is named goes on beside something else, or was forbidden all along.
    ["Also the currency must be EUR.", "No, not EUR only."],
    ["Also the currency must be EUR.", "No, not only EUR, CHF as well."],
    ["Use EUR, not USD.", "No, use EUR, not USD."],
    ["Never use EUR.", "No, use CHF, not EUR."],
    ["Niemals Euro verwenden.", "Nein, Franken statt Euro."],
    ["Never touch prices.csv.", "No, do not touch prices.csv."],
    ["Never touch prices.csv in the data folder.", "Do not touch prices.csv in the data folder any more."],
    // The same words, but it is not what the rule demands.
    ["Keep the docs short.", "No, fix the tests instead of the docs."],
    ["Make sure the tests pass.", "Actually, look at the parser rather than the tests."],
    ["Use the schema in prices.csv.", "Do not use prices.csv any more."],
    ["Use redis.", "Do not restart redis any more."],
    ["Document inheritance in new code.", "Prefer composition rather than inheritance in new code."],
    // Only somewhere, or only a part of the rule.
    ["Prices must be EUR.", "No, use CHF in the tests, not EUR."],
    ["Prices must be EUR.", "We no longer use EUR in the tests."],
    ["Use CHF instead of EUR and never round.", "No, use EUR, not CHF."],
    ["Prices must be EUR.", "No, for exports use CHF, not EUR."],
    ["Use tabs in the Go files.", "Wait, the Python files use spaces, not tabs."],
    ["Amounts must be in EUR.", "Actually, imports are in CHF, not EUR."],
    ["Use axios for the download.", "Use fetch instead of axios for the upload."],
    ["The currency must be EUR, and always run the linter.", "No, use CHF, not EUR."],
  ])("%s ↛ %s", (before, now) => expect(isOverruled(before, now)).toBe(false));
});

describe("corrections", () => {
  it("announce a change and name what is over", () => {
    const correction = "Nein, doch lieber Schweizer Franken statt Euro.";
    expect(correctionsIn(`Danke. ${correction} Und die Tests?`)).toEqual([correction]);
    expect(correctionsIn("No, the tests are slow. The build takes a minute instead of an hour.")).toEqual([]);
    expect(correctionsIn("No, why CHF, not EUR?")).toEqual([]);
  });

  it("cost no more on one endless line", () => {
    for (const word of ["not", "use x", "nicht mehr ", "word, not ", "in ", "no ", "wait, the x "])
      expectLinear(100_000, (times) => () => comparable(`No, ${word.repeat(times)}`));
  });
});
