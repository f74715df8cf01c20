/** The smallest form of an exchange: a result in JSON is told by what changed, or by its values. */
import { expect, it } from "vitest";
import { skeletonOf } from "../../../src/core/compaction/skeleton.ts";
import { contentText, resultOf, type Message } from "../../../src/core/transcript/message.ts";
import { ran } from "../../support/compacting.ts";
import { createHash } from "node:crypto";

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
const ticket = (state: string, amounts: readonly number[]): string =>
  JSON.stringify({ ticket_id: "T-77312", traveller: "Mari Saar", note: "x".repeat(200), state, amounts });

function resultIn(messages: readonly Message[], earlier: readonly Message[] = []): string {
  const { messages: bare } = skeletonOf(messages, { first: earlier.length, live: -1, hash, earlier });
  return contentText(resultOf(bare.at(-1)!)?.content ?? []);
}

it("says what changed since an earlier result showed the same thing", () => {
  const earlier = ran("get_ticket", { ticket_id: "T-77312" }, ticket("open", [120]));
  const text = resultIn(ran("cancel_ticket", { ticket_id: "T-77312" }, ticket("cancelled", [120, -90])), earlier);
  expect(text).toMatch(/^\[precis: changed since it was last shown: state: open → cancelled, amounts added: -90; /);
  expect(text).toMatch(/recall r[0-9a-f]{16}\]$/);
});

it("compares with the newest of the results that show the same thing, and with none that only names it", () => {
  const other = JSON.stringify({ ticket_id: "T-1", traveller: "Ott Tamm", note: "T-77312 came first", state: "open" });
  const earlier = [
    ...ran("get_ticket", { ticket_id: "T-77312" }, ticket("open", [120])),
    ...ran("hold_ticket", { ticket_id: "T-77312" }, ticket("held", [120])),
    ...ran("get_ticket", { ticket_id: "T-1" }, other),
  ];
  const text = resultIn(ran("cancel_ticket", { ticket_id: "T-77312" }, ticket("cancelled", [120])), earlier);
  expect(text).toContain("changed since it was last shown: state: held → cancelled;");
});

it("tells the values of what no earlier result showed", () => {
  expect(resultIn(ran("get_ticket", { ticket_id: "T-77312" }, ticket("open", [120])))).toContain(
    "ticket_id: T-77312, traveller: Mari Saar",
  );
});

it("shows the first characters of any other result", () => {
  expect(resultIn(ran("run", { command: "ls" }, "file.txt\n".repeat(60)))).toMatch(/^file\.txt\n.*\[precis: \d+ more/s);
});
