/**
 * A process that writes until it is killed: `node writer.ts FILE ROUND`. Each line on standard output names what the
 * store has acknowledged: a lane of conversation, and how many of its steps.
 */
import { writeSync } from "node:fs";
import { openSqliteStore } from "../../../src/store/sqlite.ts";
import { LANES, stepOf, tenantOf } from "./steps.ts";

const [, , path = "", round = ""] = process.argv;
const store = await openSqliteStore({ path });

await Promise.all(
  Array.from({ length: LANES }, async (_, lane) => {
    const tenant = tenantOf(Number(round), lane);
    for (let step = 1; ; step++) {
      const { links, messages, original, compaction } = stepOf(lane, step);
      await store.appendChain(tenant, { links, messages });
      await store.putOriginals(tenant, [original]);
      await store.putCompaction(tenant, compaction);
      await store.putState(tenant, "root", step);
      writeSync(1, `${lane} ${step}\n`);
    }
  }),
);
