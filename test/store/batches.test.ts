/** Long texts in batches: a few are written without a pause, and then others get their turn. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { createPauses } from "../../src/store/batches.ts";

it("pauses after every fourth batch, and waits for nothing before", async () => {
  const pause = createPauses();
  const waited: boolean[] = [];
  for (let batch = 0; batch < 8; batch++) {
    const done = pause().then(() => false);
    // What waits for no timer is over before the event loop's next turn.
    waited.push(await Promise.race([done, nextTurn(true)]));
    await done;
  }
  expect(waited).toEqual([false, false, false, true, false, false, false, true]);
});
