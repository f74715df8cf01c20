/** Messages that stay in front of a handoff although others between them are gone: the handoff says which they are. */
import { describe, expect, it } from "vitest";
import { rangesIn } from "../../../../src/core/recall/messages.ts";
import { contentText } from "../../../../src/core/transcript/message.ts";
import { compacted, filler, ran, says, talk, user } from "../../../support/compacting.ts";

const turns = Array.from({ length: 12 }, (_, at) => [
  user(`Request ${at}: look at module ${at} and say what is wrong with it.`),
  ...ran("read", { path: `src/${at}.ts` }, filler(at % 3 === 0 ? 120 : 2_500, `module ${at}`)),
  says(`Module ${at} is checked. ${filler(60, `finding ${at}`)}`),
]);

describe("what stands in front of a handoff", () => {
  it.each([3_000, 4_000, 6_000, 9_000, 12_000])(
    "is named where something between was left out, in %i tokens",
    async (budget) => {
      const { compaction, result } = await compacted(talk(...turns), { budget });
      const handoff = compaction.after.findIndex(({ origin }) => origin === "summary");
      const above = compaction.map.flatMap((one, at) => (one.kind === "kept" && one.at < handoff ? at : []));
      const hasGaps = above.some((at, nth) => at !== nth);
      const named = /\(of these, above this record: (?<more>…, )?(?<numbers>[\d, -]+)\), word/.exec(
        contentText(result.messages[handoff]!.parts),
      )?.groups;
      expect(named !== undefined).toBe(hasGaps);
      if (named === undefined) return;
      const ranges = rangesIn(named["numbers"]!)!;
      const numbers = above.map((at) => at + 1).filter((number) => number >= ranges[0]!.from);
      expect(ranges.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, at) => from + at))).toEqual(
        numbers,
      );
      expect(compaction.report.tokens.after).toBeLessThanOrEqual(budget);
    },
  );
});
