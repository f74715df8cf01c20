/**
 * An upgrade without downtime: the newest program of the oldest schema that ours is compatible with, taken from the history of
 * the repository, and this one, on one database at the same time. Each goes on with what the other began.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openStore } from "../../src/store/index.ts";
import { MIGRATIONS } from "../../src/store/postgres/migrations.ts";
import { NO_POSTGRES, startPostgres } from "../store/postgres-server.ts";
import { checkOut, commitWithMigrations } from "../support/older-program.ts";
import { ask, bodyOf, PROTOCOLS, worked } from "./support/asking.ts";
import { recordingProvider } from "./support/recording-provider.ts";
import { serve } from "./support/serving.ts";
import { atEnd, temporaryFolder } from "./support/standing.ts";
import { lostOf } from "./support/witness.ts";

const MIGRATIONS_FILE = "src/store/postgres/migrations.ts";
const WINDOW_TOKENS = 6_000;
const SESSIONS = PROTOCOLS.length;
const [STEPS_MIN, STEPS] = [8, 14];
const TEST_MS_MAX = 300_000;

const OLDEST_SCHEMA = MIGRATIONS.at(-1)!.compatibleWith;
const commit = commitWithMigrations(MIGRATIONS_FILE, OLDEST_SCHEMA);
const MISSING =
  NO_POSTGRES ?? (commit === undefined ? `no commit with schema ${OLDEST_SCHEMA} in the history` : undefined);

describe.skipIf(MISSING !== undefined)(
  `two versions on one database${MISSING === undefined ? "" : ` (${MISSING})`}`,
  () => {
    it("are as one while one is replaced by the other", { timeout: TEST_MS_MAX }, async () => {
      const server = await startPostgres();
      atEnd(server.close);
      const { url: upstream, forwarded, refused } = await recordingProvider(WINDOW_TOKENS, /\bsession_\d+\b/);
      const url = await server.newSchema();
      const flags = { "context-length": String(WINDOW_TOKENS), store: url };
      // The old one comes first and makes the schema; the new one brings it up to date while the old one works.
      const old = await serve({ upstream, folder: temporaryFolder(), flags, root: checkOut(commit!) });
      const positions = async () => (await server.sql("select position from migrations", url)).length;
      expect(await positions()).toBe(OLDEST_SCHEMA);
      const folder = temporaryFolder();
      // So that both compact at the same size, whatever prices say.
      writeFileSync(join(folder, "precis.yaml"), "compression: { schedule: threshold }\n");
      const fresh = await serve({ upstream, folder, flags });
      expect(await positions()).toBe(MIGRATIONS.length);
      const store = await openStore(url);
      atEnd(store.close);

      let gateways = [old, fresh];
      const compactedBy = [0, 0];
      const bodies = Array.from({ length: SESSIONS }, () => "");
      const step = async (session: number, steps: number): Promise<void> => {
        const name = `session_${session}`;
        const protocol = PROTOCOLS[session]!;
        const body = bodyOf(protocol, worked(name, steps, 120));
        bodies[session] = body;
        const at = (session + steps) % gateways.length;
        const told = await ask(gateways[at]!.url, { protocol, body, key: name });
        expect([name, steps, told.status]).toEqual([name, steps, 200]);
        if (told.treatment.includes("fresh")) compactedBy[at]! += 1;
        const before = forwarded.get(name);
        const other = await ask(gateways[1 - at]?.url ?? gateways[0]!.url, { protocol, body, key: name });
        expect([name, steps, other.status]).toEqual([name, steps, 200]);
        if (!other.treatment.includes("fresh")) expect(forwarded.get(name)).toBe(before);
      };
      const sessions = Array.from({ length: SESSIONS }, (_, at) => at);
      for (let steps = STEPS_MIN; steps < STEPS_MIN + STEPS; steps += 1) {
        if (steps === STEPS_MIN + STEPS - 4) {
          // The rest is the new one's alone.
          await old.kill("SIGTERM");
          gateways = [fresh];
        }
        await Promise.all(sessions.map((session) => step(session, steps)));
      }
      expect(compactedBy.every((count) => count > 0)).toBe(true);
      expect(refused()).toEqual([]);
      for (const session of sessions)
        expect(await lostOf(bodies[session]!, { protocol: PROTOCOLS[session]!, store, tenant: "local" })).toEqual([]);
      expect(await store.holdings("local")).toMatchObject({ sessions: SESSIONS });
      expect(await store.check()).toEqual([]);
    });
  },
);
