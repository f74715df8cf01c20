import { expect, it } from "vitest";
import { createMemoryStore } from "../../src/store/memory.ts";
import { storeContract } from "./contract.ts";

storeContract("memory", async (clock) => createMemoryStore(clock));

it("asks nobody for the text of an original that is new to it: a span's is as long as its conversation", async () => {
  const store = createMemoryStore();
  let asked = 0;
  const original = {
    id: "r123456789",
    kind: "span",
    label: "messages 1 to 2",
    get text() {
      asked++;
      return "all that was said";
    },
  } as const;
  await store.putOriginals("local", [original]);
  expect(asked).toBe(0);
  expect((await store.getOriginal("local", original.id))?.text).toBe("all that was said");
});
