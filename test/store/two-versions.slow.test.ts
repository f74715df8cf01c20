/**
 * The newest program of the oldest schema that ours is compatible with, and this one, on one SQLite file: each reads what the other
 * wrote, and a compaction by either is found by both.
 */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { COMPATIBLE_VERSION, SCHEMA_VERSION } from "../../src/store/sqlite/migrations.ts";
import { worked } from "../gateway/support/asking.ts";
import { temporaryFolder } from "../gateway/support/standing.ts";
import { checkOut, commitWithMigrations } from "../support/older-program.ts";
import { chain } from "./contract/things.ts";

const TEST_MS_MAX = 120_000;
const commit = commitWithMigrations("src/store/sqlite/migrations.ts", COMPATIBLE_VERSION);
const MISSING =
  COMPATIBLE_VERSION === SCHEMA_VERSION
    ? "no older schema is compatible"
    : commit === undefined
      ? `no commit with schema ${COMPATIBLE_VERSION} in the history`
      : undefined;

describe.skipIf(MISSING !== undefined)(
  `two versions on one file${MISSING === undefined ? "" : ` (${MISSING})`}`,
  () => {
    it("read and compact the same conversations", { timeout: TEST_MS_MAX }, async () => {
      const path = join(temporaryFolder(), "history.db");
      const older = join(checkOut(commit!), "src/cli/bin.ts");
      const here = join(import.meta.dirname, "../../src/cli/bin.ts");
      const precis = (program: string, ...words: readonly string[]): string =>
        execFileSync(process.execPath, [program, ...words, "--store", path], { encoding: "utf8", stdio: "pipe" });
      const store = await openSqliteStore({ path });
      const sessions = ["alpha", "beta"].map((session) => ({ session, messages: worked(session, 12).messages }));
      for (const { session, messages } of sessions)
        await store.appendChain("local", { links: chain.linksOf(messages), messages, session });
      await store.close();

      precis(older, "sessions", "compact", "alpha", "--budget", "30%");
      precis(here, "sessions", "compact", "beta", "--budget", "30%");
      for (const program of [older, here]) {
        const listed = JSON.parse(precis(program, "sessions", "--json")) as { id: string; compactions: number }[];
        expect(Object.fromEntries(listed.map(({ id, compactions }) => [id, compactions]))).toEqual({
          alpha: 1,
          beta: 1,
        });
        expect(precis(program, "store", "check")).toContain("sound");
      }
      precis(older, "undo", "beta");
      const after = await openSqliteStore({ path, readOnly: true });
      const found = await Promise.all(
        sessions.map(({ messages }) => after.findCompaction("local", chain.linksOf(messages))),
      );
      await after.close();
      expect(found).toEqual([
        {
          undone: false,
          compaction: expect.objectContaining({ schemaVersion: expect.any(Number) as number }) as object,
        },
        { undone: true },
      ]);
    });
  },
);
