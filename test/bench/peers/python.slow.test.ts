/**
 * The peers that are Python packages: pinned to the byte, told as absent where their environment is not there, and, where
 * the bench has made it, asked the way the bench asks them.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { headroomContestant } from "../../../bench/peers/compaction/headroom.ts";
import { hermesContestant } from "../../../bench/peers/compaction/hermes.ts";
import type { Contestant } from "../../../bench/peers/compaction/contestant.ts";
import { validityOf } from "../../../bench/peers/compaction/validity.ts";
import { createConversation, summaryAtHand } from "../../../bench/peers/extract.ts";
import { isAbsent, orAbsent } from "../../../bench/peers/load.ts";
import { absentLines } from "../../../bench/peers/page/section.ts";
import { installPythonPeers, pythonOfPeers } from "../../../bench/peers/python/environment.ts";
import { startModel } from "../../../bench/peers/python/model.ts";
import { textOf, tokensOf, type ChatMessage } from "../../../eval/src/recall/future-use.ts";

const FOLDER = join(import.meta.dirname, "../../../bench/peers/python");
const lines = (name: string): readonly string[] => readFileSync(join(FOLDER, name), "utf8").split("\n");

describe("the requirements", () => {
  it("name every package by one version and its hashes", () => {
    const pins = lines("requirements.txt").filter((line) => /^[a-z]/i.test(line));
    expect(pins.length).toBeGreaterThan(0);
    expect(pins.filter((line) => !/^[\w.-]+==[\w.]+ \\$/.test(line))).toEqual([]);
    expect(
      lines("requirements.txt")
        .join("\n")
        .match(/==[\w.]+ \\\n {4}--hash=sha256:/g),
    ).toHaveLength(pins.length);
  });

  it("hold the peers at the versions that were asked for", () => {
    const pinned = lines("requirements.txt").join("\n");
    for (const asked of lines("requirements.in").filter((line) => line !== ""))
      expect(pinned).toContain(`${asked.replace(/\[.*\]/, "")} \\`);
  });
});

describe("where their environment is not there", () => {
  afterEach(() => vi.unstubAllEnvs());

  it("is told with what to do, and not where it was looked for", async () => {
    vi.stubEnv("XDG_CACHE_HOME", join(FOLDER, "no-such-cache"));
    const absent = await orAbsent("Hermes Agent", async () => pythonOfPeers());
    expect(absentLines([absent].filter(isAbsent))).toEqual([
      "- Hermes Agent: not measured: its Python environment is not installed: run npm run bench:peers",
    ]);
  });

  it("is skipped without Python, which is said once on stderr and then by each peer", async () => {
    vi.stubEnv("XDG_CACHE_HOME", join(FOLDER, "no-such-cache"));
    vi.stubEnv("PATH", join(FOLDER, "no-such-folder"));
    const told = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    installPythonPeers();
    const said = told.mock.calls.map(([text]) => text);
    told.mockRestore();
    expect(said).toEqual(["The Python peers are skipped: Python 3.11 to 3.13 with venv was not found.\n"]);
    expect(await orAbsent("Headroom", async () => pythonOfPeers())).toMatchObject({
      because: "Python 3.11 to 3.13 with venv was not found",
    });
  });
});

it("hands a peer's whole prompt to who answers for its model, and answers in the form of the Chat API", async () => {
  const model = await startModel();
  model.answering((prompt) => prompt.toUpperCase());
  const body = JSON.stringify({ model: "stub", messages: [{ role: "user", content: "sum it up" }] });
  const response = await fetch(`${model.url}/chat/completions`, { method: "POST", body });
  expect(await response.json()).toMatchObject({ choices: [{ message: { role: "assistant", content: "SUM IT UP" } }] });
  expect((await fetch(`${model.url}/models`)).status).toBe(404);
});

const ROUNDS = 40;
const rows = JSON.stringify(Array.from({ length: 60 }, (_, id) => ({ id, name: `row ${id}`, status: "ok" })));
const messages: readonly ChatMessage[] = [
  { role: "user", content: "Rename the order service everywhere, and keep its old name working." },
  ...Array.from({ length: ROUNDS }, (_, at) => [
    {
      role: "assistant",
      content: `I look at the orders of page ${at} next.`,
      tool_calls: [
        { id: `c${at}`, type: "function", function: { name: "list_orders", arguments: JSON.stringify({ page: at }) } },
      ],
    },
    { role: "tool", tool_call_id: `c${at}`, content: rows.replaceAll("row", `order ${at}`) },
  ]).flat(),
  { role: "user", content: "Now say which pages are left." },
];
const weight = (many: readonly ChatMessage[]): number => many.reduce((sum, one) => sum + tokensOf(textOf(one)), 0);

async function compacted(peer: Contestant, size = peer.asItComes) {
  const compacting = peer.on(createConversation(messages));
  const after = compacting.write(await compacting.compact(peer.read(messages), size));
  return { after, told: compacting.told(), crossedMs: compacting.crossedMs!() };
}

const PEERS = [
  ["Hermes Agent", hermesContestant],
  ["Headroom", headroomContestant],
] as const;

describe.skipIf(!isThere())("in the environment that npm run bench:peers makes", { timeout: 60_000 }, () => {
  it.each(PEERS)("%s says its version, and leaves something smaller that is valid", async (_name, make) => {
    const peer = await make();
    expect(peer.from).toMatch(/^[a-z-]+ \d+\.\d+\.\d+$/);
    const { after, crossedMs } = await compacted(peer);
    expect(weight(after)).toBeLessThan(weight(messages));
    expect(validityOf(after, messages)).toMatchObject({ valid: true, liveRequest: true });
    expect(crossedMs).toBeGreaterThan(0);
  });

  it("Hermes Agent is answered by the stub, and leaves less when it is told to", async () => {
    const peer = await hermesContestant();
    const whole = await compacted(peer);
    expect(whole.told.calls).toBe(1);
    expect(whole.told.shown).toBeGreaterThan(whole.told.written);
    const small = await compacted(peer, { keep: 1_000, summaryTokens: 100 });
    expect(small.told.written).toBeLessThanOrEqual(100);
    expect(weight(small.after)).toBeLessThan(weight(whole.after));
  });

  it("Hermes Agent goes on from its former handoff", async () => {
    const peer = await hermesContestant();
    const compacting = peer.on(summaryAtHand());
    const once = await compacting.compact(peer.read(messages), peer.asItComes);
    const twice = await compacting.compact([...once, ...peer.read(messages.slice(1))], peer.asItComes);
    const handoffs = compacting.write(twice).filter((one) => textOf(one).includes("[CONTEXT COMPACTION"));
    expect(handoffs).toHaveLength(1);
  });
});

function isThere(): boolean {
  try {
    return existsSync(pythonOfPeers());
  } catch {
    return false;
  }
}
