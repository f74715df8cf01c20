/** `precis report`: recorded sessions, played through a session, become one answer. */
import { utimesSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Report } from "../../src/cli/commands/report.ts";
import { claudeCodeSession, precisHere, temporaryFolder, type Folder } from "./precis.ts";

/** A session of 20 calls has about 12,000 tokens. */
const SMALL_WINDOW = ["--context-length", "16k"];

let folder: Folder;
beforeEach(() => (folder = temporaryFolder()));
afterEach(() => folder.remove());

const report = (words: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  precisHere(["report", ...words], { folder: folder.path, environment });

async function reported(words: readonly string[]): Promise<Report> {
  const { code, out } = await report([...words, "--json"]);
  expect(code).toBe(0);
  return JSON.parse(out) as Report;
}

describe("precis report", () => {
  it("says when sessions would have been compacted, what that saves, and what was used later", async () => {
    folder.write("sessions/a.jsonl", claudeCodeSession(30));
    folder.write("sessions/b.jsonl", claudeCodeSession(2));
    const made = await reported(["sessions", ...SMALL_WINDOW]);
    expect(made.sessions).toHaveLength(2);
    const large = made.sessions.find(({ requests }) => requests > 20)!;
    const small = made.sessions.find(({ requests }) => requests < 20)!;
    expect(small).toMatchObject({ compactions: [], without: { inputTokens: small.with.inputTokens } });
    expect(large.compactions.length).toBeGreaterThan(0);
    expect(large.largest.with).toBeLessThan(large.largest.without);
    // No request of it is above the threshold and goes out as it came.
    expect(large.largest.with).toBeLessThan(16_000);
    expect(made.tokens.with).toBeLessThan(made.tokens.without);
    expect(made.later.held).toBeLessThanOrEqual(made.later.used);
    expect(made.compacted).toBe(1);
    const { out } = await report(["sessions", ...SMALL_WINDOW]);
    expect(out).toContain("precis would have compacted 1 of 2 sessions");
  });

  it("leaves a session alone that stays small, and says so", async () => {
    folder.write("sessions/b.jsonl", claudeCodeSession(2));
    const { out } = await report(["sessions"]);
    expect(out).toContain("would have left all of 1 session as they are");
    expect(out).toContain("stayed below the threshold");
  });

  it("looks where agents keep their sessions, at the newest of the last week, and names what it leaves out", async () => {
    folder.write(".claude/projects/p/new.jsonl", claudeCodeSession(2));
    folder.write(".claude/projects/p/old.jsonl", claudeCodeSession(2));
    folder.write(".claude/projects/p/broken.jsonl", "no session\n");
    const monthAgo = new Date(Date.now() - 30 * 86_400_000);
    utimesSync(join(folder.path, ".claude/projects/p/old.jsonl"), monthAgo, monthAgo);
    const made = await reported([]);
    expect(made.sessions.map(({ name }) => name.slice(-9))).toEqual(["new.jsonl"]);
    expect(made).toMatchObject({ older: 1, notTaken: 0 });
    expect(made.skipped.map(({ name }) => name.slice(-12))).toEqual(["broken.jsonl"]);
    expect(await reported(["--limit", "1"])).toMatchObject({ notTaken: 1 });
    expect((await report(["nowhere"])).code).toBe(2);
    folder.write("empty.jsonl", "");
    const empty = await report(["empty.jsonl", "--json"]);
    expect([empty.code, (JSON.parse(empty.out) as Report).skipped[0]?.because]).toEqual([
      3,
      expect.stringContaining("it is empty"),
    ]);
  });

  it("counts an agent's own compaction as a new beginning", async () => {
    const lines = claudeCodeSession(30).trim().split("\n");
    const half = JSON.parse(lines[30]!) as { uuid: string };
    const boundary = {
      type: "system",
      subtype: "compact_boundary",
      uuid: "cut",
      parentUuid: null,
      logicalParentUuid: half.uuid,
      timestamp: "2026-01-01T00:00:00Z",
      sessionId: "s",
    };
    const summary = {
      type: "user",
      isCompactSummary: true,
      uuid: "sum",
      parentUuid: "cut",
      isSidechain: false,
      sessionId: "s",
      timestamp: "2026-01-01T00:00:00Z",
      message: {
        role: "user",
        content: "This session is being continued from a previous conversation. Summary: logs were read.",
      },
    };
    const rest = lines
      .slice(31)
      .map((line, at) => (at === 0 ? JSON.stringify({ ...JSON.parse(line), parentUuid: "sum" }) : line));
    folder.write(
      "s/a.jsonl",
      [...lines.slice(0, 31), JSON.stringify(boundary), JSON.stringify(summary), ...rest].join("\n"),
    );
    folder.write("t/a.jsonl", claudeCodeSession(30));
    const [cut, whole] = [await reported(["s"]), await reported(["t"])];
    expect(cut.agentCompactions).toBe(1);
    expect(cut.tokens.without).toBeLessThan(whole.tokens.without * 0.8);
  });
});
