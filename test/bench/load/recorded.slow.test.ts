/** What `npm run bench:load -- --corpus --store sqlite` does, small: recorded sessions through gateways that share an SQLite file. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { measureFull } from "../../../bench/load/parts.ts";
import { replay } from "../../../bench/load/replay.ts";
import { recordedSessions } from "../../../bench/load/sessions.ts";
import { openStage } from "../../../bench/load/stage.ts";
import { loadTable } from "../../../bench/load/tables.ts";

const ROOT = join(import.meta.dirname, "../../..");
const SESSION = readFileSync(join(ROOT, "examples/bookings.openai-chat.json"), "utf8");
const OTHER_FORMAT = JSON.stringify({ contents: [{ role: "user", parts: [{ text: "Hello." }] }] });
/** Of which half is the threshold: the session has some 8,000 tokens. */
const WINDOW_TOKENS = 12_000;
/** Replies of the session, each the end of a turn. */
const TURNS = (JSON.parse(SESSION) as { messages: { role: string }[] }).messages.filter(
  ({ role }) => role === "assistant",
).length;

it("measures recorded sessions straight, through one gateway and through two on a file", async () => {
  const source = recordedSessions([OTHER_FORMAT, SESSION]);
  const gateway = { command: join(ROOT, "src/cli/bin.ts") };
  const stage = await openStage({ gateways: 2, store: "sqlite", windowTokens: WINDOW_TOKENS, gateway });
  try {
    const { compactions, refused, requests } = await replay(stage.through, source, { sessions: 2, atOnce: 1 }, "first");
    expect([requests, refused]).toEqual([2 * TURNS, {}]);
    expect(compactions).toBeGreaterThan(0);
    const { messages, bytes } = await stage.history.cost();
    expect(messages).toBeGreaterThan(2 * TURNS);
    expect(bytes).toBeGreaterThan(SESSION.length);
    const { rows, twoOfOne } = await measureFull(stage, { sessions: 1, atOnce: 1 }, source);
    expect(rows.map((row) => [row.gateways, row.requests, row.refused])).toEqual([0, 1, 2].map((at) => [at, TURNS, 0]));
    expect(twoOfOne).toBeGreaterThan(0);
    expect(loadTable(rows)).not.toMatch(/NaN|undefined/);
  } finally {
    await stage.close();
  }
}, 120_000);

it("refuses a corpus without a session that it can replay", () => {
  expect(() => recordedSessions([OTHER_FORMAT])).toThrow(/PRECIS_CORPUS/);
});
