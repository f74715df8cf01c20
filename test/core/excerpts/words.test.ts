/** Names are compared by their words, which are in one list for all of them. */
import { expect, it } from "vitest";
import { createVocabulary } from "../../../src/core/excerpts/characters.ts";

it("gives every name all of its words, each once, whatever the names before it share with it", () => {
  const vocabulary = createVocabulary();
  const words: number[] = [];
  const counts = ["order_total", "order_count_order", "totalOrders"].map((name) => {
    const before = words.length;
    vocabulary.add(name, words);
    return words.length - before;
  });
  expect(counts).toEqual([2, 2, 2]);
  const [order, total, again, , , last] = words;
  expect([again, last]).toEqual([order, order]);
  expect(words[4]).toBe(total);
});
