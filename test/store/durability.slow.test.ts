/** What was acknowledged survives the death of the process that wrote it, and nothing is there by half. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, describe, expect, it } from "vitest";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import type { HistoryStore } from "../../src/store/store.ts";
import { LANES, stepOf, tenantOf } from "./crash/steps.ts";

/** 5 in `npm test`, 50 in `npm run test:full`. */
const KILLS = Math.max(5, Math.round(Number(process.env["PRECIS_TEST_RUNS"] ?? 500) / 200));
const LIFE_MS_MAX = 600;
const WRITER = join(import.meta.dirname, "crash/writer.ts");

const folder = mkdtempSync(join(tmpdir(), "precis-crash-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Lets a process write for a while and kills it; answers with the last step of each lane that it was told is kept. */
async function writeAndDie(path: string, round: number): Promise<readonly number[]> {
  const child = spawn(process.execPath, [WRITER, path, String(round)], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const acknowledged = new Array<number>(LANES).fill(0);
  let doomed = false;
  for await (const line of createInterface({ input: child.stdout })) {
    const [lane, step] = line.split(" ").map(Number);
    acknowledged[lane!] = step!;
    if (doomed) continue;
    doomed = true;
    setTimeout(() => child.kill("SIGKILL"), Math.random() * LIFE_MS_MAX);
  }
  expect(await exited).toEqual([null, "SIGKILL"]);
  return acknowledged;
}

async function expectKept(
  store: HistoryStore,
  tenant: string,
  steps: { readonly lane: number; readonly step: number },
) {
  const { lane, step } = steps;
  const { links, messages } = stepOf(lane, step);
  const kept = await store.readChain(tenant, links.at(-1) ?? "");
  expect(kept.map(({ link, body }) => [link, body])).toEqual(
    links.map((link, at) => [link, JSON.stringify({ role: messages[at]!.role, parts: messages[at]!.parts })]),
  );
  for (let one = 1; one <= step; one++) {
    const { original, compaction, links: until } = stepOf(lane, one);
    expect(await store.getOriginal(tenant, original.id)).toEqual(original);
    expect((await store.findCompaction(tenant, until)).compaction).toMatchObject({ state: compaction.state });
  }
  if (step > 0) expect(await store.getState(tenant, "root")).toBeGreaterThanOrEqual(step);
}

/** What came after the last acknowledgement is there as a whole or not at all. */
async function expectNothingByHalf(
  store: HistoryStore,
  tenant: string,
  { lane, step }: { lane: number; step: number },
) {
  const { links, original, compaction } = stepOf(lane, step + 1);
  const chain = await store.readChain(tenant, links.at(-1)!);
  expect([0, links.length]).toContain(chain.length);
  const found = await store.getOriginal(tenant, original.id);
  if (found !== undefined) expect(found).toEqual(original);
  const standing = (await store.findCompaction(tenant, links)).compaction?.state;
  expect([step === 0 ? undefined : step, compaction.state]).toContain(standing);
}

describe("a process that is killed while it writes", () => {
  it(`loses nothing that was acknowledged, ${KILLS} times`, async () => {
    const path = join(folder, "killed.db");
    let total = 0;
    for (let round = 0; round < KILLS; round++) {
      const acknowledged = await writeAndDie(path, round);
      const store = await openSqliteStore({ path });
      expect(await store.check()).toEqual([]);
      for (const [lane, step] of acknowledged.entries()) {
        await expectKept(store, tenantOf(round, lane), { lane, step });
        await expectNothingByHalf(store, tenantOf(round, lane), { lane, step });
      }
      await store.close();
      total += acknowledged.reduce((sum, step) => sum + step, 0);
    }
    expect(total).toBeGreaterThan(KILLS);
  });
});
