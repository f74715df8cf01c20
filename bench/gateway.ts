/**
 * `npm run bench:gateway [-- --json] [--rows WORDS]`: what `precis serve` adds to a call, how it bears many streams at once and what
 * memory it takes, beside direct calls to the same upstream, and calls through a proxy that does nothing, in the same
 * run. Client, gateway and upstream are three processes; the history is in a file, and an answer ends when its request is on the disk.
 */
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createCaller } from "./gateway/caller.ts";
import { startBareProxy, startGateway, startUpstream } from "./gateway/processes.ts";
import {
  latencyRows,
  memoryRow,
  streamsRow,
  type LatencyRow,
  type MemoryRow,
  type StreamsRow,
} from "./gateway/rows.ts";
import { machineLine, MACHINE, table } from "./table.ts";

const { values: options } = parseArgs({ options: { json: { type: "boolean" }, rows: { type: "string" } } });
/** Only the rows of calls whose names hold these words; everything where none are given. */
const { rows: words } = options;

const DISK_WRITES = 200;
/** About what a turn of 4 KB writes to the journal. */
const DISK_WRITE_BYTES = 32 * 1_024;

const folder = mkdtempSync(join(tmpdir(), "precis-bench-gateway-"));
const upstream = await startUpstream();
try {
  const { latency, streams } = await calls();
  const memory = words === undefined ? [await memoryOf("same"), await memoryOf("fresh")] : [];
  const diskMs = diskWriteMs();
  if (options.json === true)
    process.stdout.write(`${JSON.stringify({ machine: MACHINE, diskMs, latency, streams, memory }, undefined, 2)}\n`);
  else {
    const disk = `A write of ${DISK_WRITE_BYTES / 1_024} KB that waits for this disk takes ${diskMs.toFixed(2)} ms (median); a turn that brings something waits for one.`;
    const tables = [machineLine(), disk, latencyTable(latency)];
    if (streams !== undefined) tables.push(streamsLine(streams), memoryTable(memory));
    process.stdout.write(`${tables.join("\n\n")}\n`);
  }
} finally {
  await upstream.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function calls(): Promise<{ readonly latency: readonly LatencyRow[]; readonly streams?: StreamsRow }> {
  const bare = await startBareProxy(upstream.url);
  const gateway = await startGateway(upstream.url, folder);
  const doors = {
    direct: createCaller(upstream.url),
    bare: createCaller(bare.url),
    through: createCaller(gateway.url),
  };
  try {
    const latency = await latencyRows(doors, words);
    return words === undefined ? { latency, streams: await streamsRow(doors) } : { latency };
  } finally {
    for (const door of Object.values(doors)) door.close();
    await gateway.stop();
    await bare.stop();
  }
}

/** Median of a write that waits until the disk has it: no durable history is quicker. */
function diskWriteMs(): number {
  const file = openSync(join(folder, "disk"), "w");
  const bytes = Buffer.alloc(DISK_WRITE_BYTES, 1);
  const times = Array.from({ length: DISK_WRITES }, () => {
    const startMs = performance.now();
    writeSync(file, bytes);
    fdatasyncSync(file);
    return performance.now() - startMs;
  });
  closeSync(file);
  return times.toSorted((a, b) => a - b)[DISK_WRITES / 2]!;
}

async function memoryOf(kind: "same" | "fresh"): Promise<MemoryRow> {
  const gateway = await startGateway(upstream.url, folder);
  try {
    return await memoryRow(kind, gateway);
  } finally {
    await gateway.stop();
  }
}

function latencyTable(rows: readonly LatencyRow[]): string {
  return table(
    ["median of a call, in ms", "direct", "bare proxy", "through", "added", "added at p95", "calls", "target"],
    rows.map(({ name, directMs, bareMs, throughMs, addedMs, addedP95Ms, calls: count, targetMs }) => [
      name,
      directMs.toFixed(2),
      bareMs.toFixed(2),
      throughMs.toFixed(2),
      addedMs.toFixed(2),
      addedP95Ms.toFixed(2),
      String(count),
      targetMs === undefined ? "" : `${addedMs < targetMs ? "under" : "OVER"} ${targetMs} ms`,
    ]),
  );
}

function streamsLine({ streams, complete, directMs, throughMs, ratio }: StreamsRow): string {
  return `${streams} streams at once: ${complete} complete; all over in ${directMs.toFixed(0)} ms direct, ${throughMs.toFixed(0)} ms through, ${ratio.toFixed(2)}×`;
}

function memoryTable(rows: readonly MemoryRow[]): string {
  const steps = Object.keys(rows[0]!.residentMb).map(Number);
  return table(
    ["MB resident after", ...steps.map(String), "target"],
    rows.map(({ name, residentMb, targetMb }) => [
      name,
      ...steps.map((step) => residentMb[step]!.toFixed(0)),
      `${residentMb[steps.at(-1)!]! < targetMb ? "under" : "OVER"} ${targetMb} MB`,
    ]),
  );
}
