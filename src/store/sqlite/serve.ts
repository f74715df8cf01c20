/**
 * Runs calls in the order they came. Writes that wait together are committed together, because what takes time is the
 * disk; each still succeeds or fails by itself, and none is answered before it is on the disk.
 */
import { storeError, toPlain, type PlainError } from "./failures.ts";
import { OPERATIONS, type Call, type Desk, type Operation } from "./operations.ts";

/** After this, what has gathered is committed, so that the first does not wait for the last. */
const GROUP_MS_MAX = 50;

export type Reply =
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly error: PlainError };

export function serve(desk: Desk, path: string, calls: readonly Call[]): readonly Reply[] {
  const group = createGroup(desk, path);
  for (const call of calls) {
    const operation = OPERATIONS[call.name] as Operation<unknown, unknown>;
    switch (operation.kind) {
      case "read":
        group.attempt(call, () => operation.run(desk, call.tenant, call.argument));
        break;
      case "write":
        group.write(call, () => operation.run(desk, call.tenant, call.argument));
        break;
      case "alone":
        group.commit();
        group.attempt(call, () => operation.run(desk, call.tenant, call.argument));
        break;
    }
  }
  group.commit();
  return group.replies;
}

function createGroup({ db }: Desk, path: string) {
  const replies: Reply[] = [];
  /** Answers that hold only when the open transaction is committed: of writes, and of what may have read them. */
  let held: Reply[] = [];
  let since = 0;
  const failed = ({ id }: { readonly id: number }, error: unknown): Reply => ({
    id,
    error: toPlain(storeError(error, path)),
  });

  const attempted = (call: Call, run: () => unknown): Reply => {
    try {
      return { id: call.id, answer: run() };
    } catch (error) {
      return failed(call, error);
    }
  };

  const attempt = (call: Call, run: () => unknown): void => {
    const reply = attempted(call, run);
    (db.isTransaction ? held : replies).push(reply);
  };

  const loseAll = (error: unknown): void => {
    if (db.isTransaction) db.exec("rollback");
    replies.push(...held.map((one) => failed(one, error)));
    held = [];
  };

  const commit = (): void => {
    if (!db.isTransaction) return;
    try {
      db.exec("commit");
      replies.push(...held);
      held = [];
    } catch (error) {
      loseAll(error);
    }
  };

  const write = (call: Call, run: () => unknown): void => {
    if (!db.isTransaction) {
      try {
        db.exec("begin immediate");
        since = performance.now();
      } catch (error) {
        replies.push(failed(call, error));
        return;
      }
    }
    try {
      db.exec("savepoint one");
      const answer = run();
      db.exec("release one");
      held.push({ id: call.id, answer });
    } catch (error) {
      held.push(failed(call, error));
      // A full disk may have taken the whole transaction back already.
      if (db.isTransaction) db.exec("rollback to one; release one");
      else loseAll(error);
    }
    if (performance.now() - since > GROUP_MS_MAX) commit();
  };

  return { replies, attempt, write, commit };
}
