/** Room that the record of turns does not need goes to items that did not fit into the share of their section. */
import { expect, it } from "vitest";
import { parseHandoff, writeHandoff } from "../../../src/core/handoff/write.ts";
import { does, says, user } from "../events/session-talk.ts";
import { requestFor } from "./requests.ts";

it("leaves out no task that still runs where there is room for it", () => {
  const started = (at: number) =>
    does(
      "Bash",
      { command: `npm run serve-${at} -- --port 53${at}0 --host 127.0.0.1`, run_in_background: true },
      `Command running in background with ID: bash_${at}k. Output is written to: /tmp/tasks/bash_${at}k.output`,
    );
  const all = [user("Serve all of them."), ...[1, 2, 3, 4, 5, 6].flatMap(started), says("They run.")];
  const { text } = writeHandoff(requestFor(all, { budget: 900 }));
  expect(parseHandoff(text)!.sections.get("progress")).toHaveLength(6);
});
