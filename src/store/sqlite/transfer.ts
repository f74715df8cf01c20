/** An SQLite file as rows to copy. It works on the calling thread, for a command that does nothing else. */
import { createTransfer, type TransferDatabase } from "../sql/transfer-rows.ts";
import type { Transfer, TransferRows } from "../sql/transfer.ts";
import { query } from "../sql/query.ts";
import { keepBody, readyBody } from "./bodies.ts";
import { openDatabase, type FileOptions } from "./database.ts";
import { createRunner } from "./query.ts";

const addLink = query<Omit<TransferRows["messages"], "text"> & { readonly body: number }>(`
  insert into links (id, tenant, link, parent, position, session, role, protocol, member, body, created_at)
  values (:id, :tenant, :link, :parent, :position, :session, :role, :protocol, :member, :body, :createdAt)`);

const addPiece = query<{ original: number; position: number; body: number }>(
  `insert into original_pieces (original, position, body) values (:original, :position, :body)`,
);

export function openSqliteTransfer(file: FileOptions): Transfer {
  const db = openDatabase(file);
  const runner = createRunner(db, file.key);
  const database: TransferDatabase = {
    runner,
    transaction: async (work) => {
      db.exec("begin immediate");
      try {
        await work(runner);
        db.exec("commit");
      } catch (error) {
        if (db.isTransaction) db.exec("rollback");
        throw error;
      }
    },
    makeRoomFor: async () => undefined,
    addMessages: async (_, rows) => {
      for (const { text, ...row } of rows) {
        const body = keepBody(runner, row.tenant, readyBody(runner, row.tenant, { form: "message", text }));
        runner.run(addLink, { ...row, body });
      }
    },
    addPieces: async (_, { id: original, tenant, pieces }) => {
      pieces.forEach((piece, position) => {
        const body = keepBody(runner, tenant, readyBody(runner, tenant, piece));
        runner.run(addPiece, { original, position, body });
      });
    },
    finish: async () => undefined,
    close: async () => db.close(),
  };
  return createTransfer(database);
}
