/** Sessions in the agents' own stores: real SQLite with the agents' tables, and OpenCode's older folders. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { convertLog, readSession } from "../../src/logs/convert.ts";
import { readLog } from "../../src/logs/read.ts";
import { findSessions } from "../../src/logs/find.ts";
import { liveMessages } from "../../src/logs/log.ts";
import { sessionText, storeSession } from "../../src/logs/stored.ts";
import { recordedSession } from "../../e2e/recorded-session.ts";
import { said } from "./reading.ts";

/** As OpenCode 1.18.33 and Hermes 0.19 make them, without the tables that are not read. */
const OPENCODE = `
  CREATE TABLE project (id text PRIMARY KEY, worktree text NOT NULL, vcs text, name text, time_created integer NOT NULL,
    time_updated integer NOT NULL, sandboxes text NOT NULL);
  CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL REFERENCES project(id), parent_id text, slug text NOT NULL,
    directory text NOT NULL, title text NOT NULL, version text NOT NULL, cost real DEFAULT 0 NOT NULL,
    time_created integer NOT NULL, time_updated integer NOT NULL);
  CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL REFERENCES session(id), time_created integer NOT NULL,
    time_updated integer NOT NULL, data text NOT NULL);
  CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL REFERENCES message(id), session_id text NOT NULL,
    time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);`;
const OPENCODE_2 = `
  CREATE TABLE session_v2 (id text PRIMARY KEY, project_id text NOT NULL, parent_id text, slug text NOT NULL, directory text NOT NULL,
    title text, version text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL);
  CREATE TABLE session_message (id text PRIMARY KEY, session_id text NOT NULL, type text NOT NULL, seq integer NOT NULL,
    time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);`;
const HERMES = `
  CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, model TEXT, model_config TEXT, system_prompt TEXT, parent_session_id TEXT,
    started_at REAL NOT NULL, ended_at REAL, message_count INTEGER DEFAULT 0, tool_call_count INTEGER DEFAULT 0, cwd TEXT, title TEXT);
  CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions(id), role TEXT NOT NULL,
    content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL, reasoning TEXT,
    active INTEGER NOT NULL DEFAULT 1, compacted INTEGER NOT NULL DEFAULT 0);`;

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "precis-stored-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function database(path: string, schema: string): string {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  const made = new DatabaseSync(join(folder, path));
  made.exec(schema);
  made.close();
  return join(folder, path);
}

const source = recordedSession();
const liveText = (text: string, format: "pi" | "opencode" | "hermes"): string =>
  JSON.stringify(liveMessages(readSession(text, format)).map(({ message }) => message.parts));

describe.each([
  ["opencode", OPENCODE],
  ["hermes", HERMES],
] as const)("the database of %s", (format, schema) => {
  it("takes a written session, and gives it back as it was written", () => {
    const path = database("agent.db", schema);
    const { text, ownId } = convertLog(source, "pi", { to: format, nowMs: 0 });
    storeSession(path, text, format);
    const read = sessionText(path, { session: ownId });
    expect(read.format).toBe(format);
    expect(said(readLog(read.text, format, { history: "all" }))).toEqual(
      said(readLog(text, format, { history: "all" })),
    );
    expect(readSession(read.text, format).compactions).toEqual(readSession(text, format).compactions);
    expect(sessionText(path)).toEqual(read);
    // What was kept comes behind the summary, and nothing of what it replaced.
    expect(liveText(read.text, format)).toContain("58 kg, scale 4");
    expect(liveText(read.text, format)).not.toContain("blue crate weighs");
    // And back again, with nothing more lost.
    const back = convertLog(read.text, format, { to: "pi", nowMs: 0 });
    expect(liveText(back.text, "pi")).toContain("the label is left");
  });

  it("takes a session once, and all of it or nothing", () => {
    const path = database("agent.db", schema);
    const { text } = convertLog(source, "pi", { to: format, nowMs: 0 });
    storeSession(path, text, format);
    expect(() => storeSession(path, text, format)).toThrow(/UNIQUE/);
    const other = format === "opencode" ? "hermes" : "opencode";
    expect(() => storeSession(path, text, other)).toThrow(/is not a database of/);
    expect(() => sessionText(path, { session: "absent" })).toThrow(/has no session absent/);
  });
});

it("reads a session of OpenCode 2, and writes none into it", () => {
  const path = database("opencode.db", OPENCODE_2);
  const made = new DatabaseSync(path);
  made.exec("INSERT INTO session_v2 VALUES ('ses_1', 'p', NULL, 's', '/depot', 'Crates', '2.0.14', 1000, 9000)");
  const records: readonly (readonly [string, object])[] = [
    ["user", { text: "Weigh the blue crate." }],
    ["compaction", { status: "completed", summary: "Nothing was weighed." }],
    ["synthetic", { text: "<system-reminder>Plan.</system-reminder>" }],
    [
      "assistant",
      {
        agent: "build",
        model: { id: "gpt-5.4", providerID: "openai" },
        content: [
          { type: "text", text: "I look." },
          {
            type: "tool",
            id: "c1",
            name: "shell",
            state: { status: "completed", input: { command: "ls" }, content: [{ type: "text", text: "blue" }] },
          },
          {
            type: "tool",
            id: "c2",
            name: "read",
            state: { status: "error", input: { path: "red" }, error: { type: "x", message: "File not found" } },
          },
        ],
      },
    ],
    ["idle", { outcome: "succeeded" }],
  ];
  const insert = made.prepare("INSERT INTO session_message VALUES (?, 'ses_1', ?, ?, ?, ?, ?)");
  records.forEach(([type, data], at) =>
    insert.run(`msg_${at}`, type, at * 2 + 1, 1_000 * at, 1_000 * at, JSON.stringify(data)),
  );
  made.close();
  const { text, format } = sessionText(path);
  expect(format).toBe("opencode");
  expect(said(readLog(text, "opencode", { history: "all" }))).toEqual([
    "user: Weigh the blue crate.",
    "user [summary]: Nothing was weighed.",
    "user: <system-reminder>Plan.</system-reminder>",
    'assistant: I look. +shell({"command":"ls"}) +read({"path":"red"})',
    "tool c1: blue",
    "tool c2!: File not found",
  ]);
  expect(readLog(text, "opencode")).toMatchObject({ cwd: "/depot", model: "gpt-5.4", injected: [1] });
  expect(readSession(text, "opencode").compactions).toEqual([{ at: 1, summary: 1, context: [1] }]);
  const written = convertLog(source, "pi", { to: "opencode", nowMs: 0 });
  expect(() => storeSession(path, written.text, "opencode")).toThrow(/OpenCode 2/);
});

it("reads OpenCode's older folders", () => {
  const write = (path: string, value: object): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), JSON.stringify(value));
  };
  write("storage/session/p/ses_1.json", {
    id: "ses_1",
    projectID: "p",
    directory: "/depot",
    title: "Crates",
    time: { created: 1, updated: 2 },
  });
  write("storage/message/ses_1/b.json", { id: "msg_2", role: "assistant", time: { created: 20 }, modelID: "gpt-5.4" });
  write("storage/message/ses_1/c.json", { id: "msg_1", role: "user", time: { created: 10 } });
  write("storage/part/msg_1/1.json", { id: "p1", type: "text", text: "Weigh the blue crate." });
  write("storage/part/msg_2/1.json", {
    id: "p2",
    type: "tool",
    callID: "c1",
    tool: "bash",
    state: { status: "running", input: {}, metadata: { output: "3 of 9 crates" } },
  });
  const { text, format } = sessionText(join(folder, "storage/session/p/ses_1.json"));
  const log = readLog(text, format!);
  expect(said(log)).toEqual([
    "user: Weigh the blue crate.",
    "assistant: +bash({})",
    "tool c1!: [Tool execution was interrupted]\n3 of 9 crates",
  ]);
  expect(log.timesMs.slice(0, 2)).toEqual([10_000, 20_000]);
});

describe("finding", () => {
  it("lists the sessions of each agent, the newest first, and those of one folder", () => {
    const write = (path: string, text: string): void => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    };
    write(".pi/agent/sessions/--depot--/a.jsonl", source);
    write(".codex/sessions/2026/11/20/rollout-1.jsonl", convertLog(source, "pi", { to: "codex", nowMs: 0 }).text);
    write(
      ".claude/projects/-depot/b.jsonl",
      convertLog(source, "pi", { to: "claude-code", nowMs: 0, cwd: "/other" }).text,
    );
    write(".claude/projects/-depot/agent-1.jsonl", "{}");
    const stored = convertLog(source, "pi", { to: "hermes", nowMs: 0 });
    storeSession(database(".hermes/state.db", HERMES), stored.text, "hermes");
    const options = { environment: { HOME: folder }, folder, limit: 10 };
    const { sessions, total, problems } = findSessions(options);
    expect([total, problems]).toEqual([4, []]);
    expect(sessions.map(({ format }) => format).toSorted()).toEqual(["claude-code", "codex", "hermes", "pi"]);
    expect(sessions.find(({ format }) => format === "codex")).toMatchObject({
      cwd: "/depot",
      begins: "Weigh the blue crate first.",
    });
    expect(findSessions({ ...options, cwd: "/other" }).sessions).toHaveLength(1);
    expect(findSessions({ ...options, formats: ["codex", "pi"], limit: 1 }).sessions).toHaveLength(1);
    expect(findSessions({ ...options, environment: { HOME: folder, CODEX_HOME: join(folder, "none") } }).total).toBe(3);
  });
});
