/** The contract of stores on a real PostgreSQL server. */
import { afterAll, beforeAll, describe } from "vitest";
import { openPostgresStore, type PostgresStore } from "../../src/store/postgres.ts";
import { storeContract } from "./contract.ts";
import { NO_POSTGRES, startPostgres, type TestPostgres } from "./postgres-server.ts";

describe.skipIf(NO_POSTGRES !== undefined)(`PostgreSQL${NO_POSTGRES === undefined ? "" : ` (${NO_POSTGRES})`}`, () => {
  let server: TestPostgres;
  const opened: PostgresStore[] = [];
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(async () => {
    await Promise.all(opened.map((store) => store.close()));
    await server.close();
  });

  storeContract("postgres", async (clock) => {
    const store = await openPostgresStore({ url: await server.newSchema(), connections: 3, ...clock });
    opened.push(store);
    return store;
  });
});
