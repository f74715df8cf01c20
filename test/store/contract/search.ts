/** Search by words: the same places, in the same order, whatever keeps them. */
import { beforeEach, describe, expect, it } from "vitest";
import type { HistoryStore } from "../../../src/store/store.ts";
import { talk, type OpenStore } from "./things.ts";

const SAID = [
  "Refunds come back one cent short for order S-1042.",
  "The cause is double rounding: calculateRefund in src/refunds/calculate.ts rounds each line and the total.",
  "How should a refund be rounded then?",
  "Half-even, once, on the total. That is decision 7, because the auditors ask for it.",
  "And the retries of the payment provider?",
  "It is retried three times, retry_after_ms = 250.",
  "unrelated chatter about the weather in April",
  "Frau Öztürk fehlen zwei céntimos.",
];

export function searchContract(open: OpenStore): void {
  describe("search by words", () => {
    let store: HistoryStore;
    beforeEach(async () => {
      store = await open();
      const { links, messages } = talk(...SAID);
      await store.appendChain("t", { links, messages });
      const text = messages.map(({ role, parts }) => JSON.stringify({ role, parts })).join("\n");
      await store.putOriginals("t", [
        { id: "r00000000a", kind: "span", label: "messages 1 to 7", text },
        { id: "r00000000b", kind: "result", label: "read a.ts", text: "export const retryLimit = 3;\n// April" },
      ]);
    });
    const said = async (words: string, limit = 9) =>
      (await store.searchMessages("t", words, limit)).map(({ position }) => position);

    it("puts what holds all words before what holds most, whatever their endings", async () => {
      expect(await said("refund rounding total")).toEqual([1, 2]);
      expect(await said("rounding of the refund")).toEqual([1, 2]);
      expect(await said("retrying payments provider")).toEqual([4]);
      expect(await said("retry")).toEqual([5, 4]);
      expect(await said("half-even decision auditors weather")).toEqual([3]);
      expect(await said("decision of weather")).toEqual([6, 3]);
    });

    it("finds identifiers and paths by their parts", async () => {
      expect(await said("calculate refund")).toEqual([1]);
      expect(await said("CalculateRefund")).toEqual([1]);
      expect(await said("refunds/calculate.ts")).toEqual([1]);
      expect(await said("after_ms")).toEqual([5]);
      expect(await said("S-1042")).toEqual([0]);
    });

    it("takes no notice of diacritics", async () => {
      for (const words of ["ozturk", "Öztürk", "centimo", "CÉNTIMOS", "frau ozturk"])
        expect(await said(words)).toEqual([7]);
      expect(await store.search("t", "ozturk", 9)).toMatchObject([{ id: "r00000000a" }]);
    });

    it("looks only where it is told to, and takes words literally where it is told to", async () => {
      const { links } = talk(...SAID);
      const within = await store.searchMessages("t", "refund", 9, { within: [links[0]!, links[2]!] });
      expect(within.map(({ position }) => position).toSorted()).toEqual([0, 2]);
      expect(await store.search("t", "April", 9, { within: ["r00000000b"] })).toMatchObject([{ id: "r00000000b" }]);
      const literal = await store.searchMessages("t", "retry", 9, { literally: true });
      expect(literal.map(({ position }) => position)).toEqual([5]);
    });

    it("finds originals once each, a span by its best message", async () => {
      expect(await store.search("t", "retry limit", 9)).toMatchObject([{ id: "r00000000b", label: "read a.ts" }]);
      const [hit, ...others] = await store.search("t", "auditors", 9);
      expect(hit).toMatchObject({ id: "r00000000a", label: "messages 1 to 7" });
      expect(hit!.text).toContain("because the auditors ask for it");
      expect(others).toEqual([]);
    });
  });
}
