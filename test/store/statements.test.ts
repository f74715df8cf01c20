/** What a request asks of the database: so many statements with so many names in them, however long the conversation is. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { constants, type StatementSync } from "node:sqlite";
import { expect, it, onTestFinished, vi } from "vitest";
import { bodyOf } from "../../src/store/body.ts";
import type { ChainEnd } from "../../src/store/sql/chains.ts";
import { appendChain } from "../../src/store/sql/chains.ts";
import { findRecord, putRecord } from "../../src/store/sql/compaction-records.ts";
import type { AskedQuery, Steps } from "../../src/store/sql/steps.ts";
import { writingTenant } from "../../src/store/sql/tenants.ts";
import { addMessages, readyEntries } from "../../src/store/sqlite/bodies.ts";
import { openDatabase } from "../../src/store/sqlite/database.ts";
import { type Call, serve } from "../../src/store/sqlite/operations.ts";
import { createRunner } from "../../src/store/sqlite/query.ts";
import { talk } from "./contract/things.ts";
import { transactionBytes } from "./journal.ts";

const TENANT = "t";
/** Of the tenant, what stands there, the session's head. */
const STATEMENTS_A_TURN = 3;
/** The body, the words it is found by, the link. */
const STATEMENTS_A_MESSAGE = 3;
/** Of the tenant, the records. */
const STATEMENTS_A_SEARCH = 2;

function openFile() {
  const folder = mkdtempSync(join(tmpdir(), "precis-statements-"));
  const path = join(folder, "history.db");
  const db = openDatabase({ path, busyTimeoutMs: 1_000, readOnly: false });
  onTestFinished(() => {
    db.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const runner = createRunner(db);
  /** How much was asked to answer, and the most names that one statement had. */
  const counted = <Answer>(steps: Steps<Answer>) => {
    const seen = { statements: 0, names: 0 };
    db.exec("begin");
    const answer = runner.answer(counting(steps, seen));
    db.exec("commit");
    return { answer, ...seen };
  };
  const append = (end: ChainEnd) => {
    const ready = runner.answer(readyEntries(runner.vault, TENANT, end));
    return counted(appendChain(runner, TENANT, end, (fresh) => addMessages(fresh, ready)));
  };
  const put = (link: string, root?: string) =>
    runner.answer(
      putRecord(runner, TENANT, { link, root, schemaVersion: 1, record: Buffer.from("x"), recallIds: [], now: 1 }),
    );
  const find = (links: readonly string[]) => counted(findRecord(TENANT, { links, now: 1 }));
  const serveAll = (calls: readonly Call[]) => serve({ db, runner }, path, calls);
  return { path, db, runner, append, put, find, serveAll };
}

function* counting<Answer>(steps: Steps<Answer>, seen: { statements: number; names: number }): Steps<Answer> {
  let step = steps.next();
  while (step.done !== true) {
    for (const { args } of [step.value].flat() as readonly AskedQuery[]) {
      seen.statements++;
      const lists = Object.values(args as object).filter(Array.isArray);
      seen.names = Math.max(seen.names, ...lists.map(({ length }) => length));
    }
    step = steps.next(yield step.value);
  }
  return step.value;
}

/** The end of a conversation of so many messages. */
function endFrom(from: number, to: number): ChainEnd {
  const { links, messages } = talk(...Array.from({ length: to }, (_, at) => `message ${at}`));
  const entries = messages
    .map((message, at) => ({ link: links[at]!, role: message.role, member: 0, body: bodyOf(message) }))
    .slice(from);
  return { root: links[0]!, entries, now: 1, ...(from === 0 ? {} : { after: links[from - 1]! }) };
}

const STATE = { root: "root", state: "1", now: 1 };
const NOTE = { id: 1, name: "putState", tenant: TENANT, argument: STATE, bytes: 0 } as const;

function appending(id: number, argument: ChainEnd): Call {
  return { id, name: "append", tenant: TENANT, argument, bytes: 0 };
}

it("keeps a turn with as many statements after two messages as after a thousand, and names no more links", () => {
  const { append } = openFile();
  append(endFrom(0, 2));
  const few = append(endFrom(2, 6));
  expect(few).toMatchObject({ answer: { added: 4 }, names: 0 });
  expect(few.statements).toBe(STATEMENTS_A_TURN + 4 * STATEMENTS_A_MESSAGE);
  const many = append(endFrom(6, 1_000));
  expect(many).toMatchObject({ answer: { added: 994 }, names: 0 });
  expect(append(endFrom(1_000, 1_004)).statements).toBe(few.statements);
});

it("tells from where on a conversation is new, in one statement more", () => {
  const { append } = openFile();
  append(endFrom(0, 6));
  const again = append(endFrom(2, 10));
  expect(again).toMatchObject({ answer: { added: 4 }, names: 8 });
  expect(again.statements).toBe(STATEMENTS_A_TURN + 1 + 4 * STATEMENTS_A_MESSAGE);
});

it("finds a record by the first link, also one without it, and does not name every link", () => {
  const { put, find } = openFile();
  const links = Array.from({ length: 2_000 }, (_, at) => `link ${at}`);
  put("elsewhere");
  expect(find(links)).toMatchObject({ answer: { undone: false }, names: 0 });
  const { id } = put(links[999]!);
  const halfWay = find(links);
  expect(halfWay).toMatchObject({ answer: { place: { id } }, names: 0 });
  expect(halfWay.statements).toBe(STATEMENTS_A_SEARCH);
  const { id: later } = put(links[1_500]!, links[0]);
  expect(find(links)).toMatchObject({ answer: { place: { id: later } }, names: 0 });
});

it("keeps a note in the transaction of a write that comes with it", () => {
  const { path, serveAll } = openFile();
  const before = transactionBytes(`${path}-wal`).length;
  expect(serveAll([NOTE, appending(2, endFrom(0, 2))])).toMatchObject([{ id: 1 }, { id: 2, answer: { added: 2 } }]);
  expect(transactionBytes(`${path}-wal`)).toHaveLength(before + 1);
});

it("waits for the disk once for all that is written together, and neither for notes nor for what more is to follow", () => {
  const { db, serveAll } = openFile();
  const commits: unknown[] = [];
  const exec = db.exec.bind(db);
  vi.spyOn(db, "exec").mockImplementation((sql) => {
    if (sql === "commit") commits.push(db.prepare("pragma synchronous").get()!["synchronous"]);
    exec(sql);
  });
  serveAll([NOTE]);
  serveAll([appending(2, { ...endFrom(0, 2), more: true })]);
  expect(commits).toEqual([1, 1]);
  serveAll([NOTE, appending(3, endFrom(2, 4)), appending(4, endFrom(4, 6))]);
  expect(commits).toEqual([1, 1, 2]);
});

it("plans a question once, whatever its arguments are", () => {
  const { db, find } = openFile();
  let plans = 0;
  db.setAuthorizer((action) => {
    if (action === constants.SQLITE_SELECT) plans += 1;
    return constants.SQLITE_OK;
  });
  find(["a", "b"]);
  const once = plans;
  find(["c", "d", "e"]);
  expect(once).toBeGreaterThan(0);
  expect(plans).toBe(once);
});

it("looks once for a tenant that is kept for good, and again for one whose writing was taken back", () => {
  const { db, runner } = openFile();
  const prepare = vi.spyOn(db, "prepare");
  const known = (name: string): number => runner.answer(writingTenant(name));
  db.exec("begin");
  const taken = known("one");
  db.exec("rollback");
  expect(known("other")).toBe(taken);
  expect(known("one")).not.toBe(taken);
  const looks = vi.spyOn(prepare.mock.results[0]!.value as StatementSync, "get");
  expect([known("one"), known("other")]).toEqual([taken + 1, taken]);
  expect(looks).not.toHaveBeenCalled();
});
