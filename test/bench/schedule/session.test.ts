/** The generated session is one that an agent could have, and what is counted in it is what happened. */
import { describe, expect, it } from "vitest";
import { agentSession, TURNS } from "../../../bench/schedule/agent-session.ts";
import { brokenBounds } from "../../../bench/schedule/bounds.ts";
import { impossibleBecause, setupFigures } from "../../../bench/schedule/grid.ts";
import { measureSetup, type Row } from "../../../bench/schedule/measure.ts";
import { createMeasure } from "../../../src/core/transcript/measure.ts";
import { violationsOf } from "../../../src/core/transcript/oracle.ts";

const PLAN = { seed: 7, fixedTokens: 8_000, roomTokens: 20_000, outputTokens: 4_000 };

describe("a generated session", () => {
  const turns = agentSession(PLAN);
  const measure = createMeasure();

  it("is the same each time, and another by another seed", () => {
    expect(agentSession(PLAN)).toEqual(turns);
    expect(agentSession({ ...PLAN, seed: 8 })).not.toEqual(turns);
  });

  it("only grows, and no provider would refuse its form", () => {
    expect(turns).toHaveLength(TURNS);
    const last = turns.at(-1)!.request;
    for (const { request } of turns) expect(last.messages.slice(0, request.messages.length)).toEqual(request.messages);
    expect(violationsOf(last)).toEqual([]);
  });

  it("has the fixed part and the growth that were asked for", () => {
    const { request } = turns.at(-1)!;
    expect(measure.transcript({ ...request, messages: [] }) / PLAN.fixedTokens).toBeCloseTo(1, 1);
    const rooms = measure.messages(request.messages) / PLAN.roomTokens;
    expect(rooms).toBeGreaterThan(3);
    expect(rooms).toBeLessThan(6);
  });
});

describe("a run", () => {
  const setup = { windowTokens: 32_000, fixedShare: 0.2, outputTokens: 4_000 };

  it("that compacts nothing costs as much as doing nothing until requests are refused", async () => {
    const { rows } = await measureSetup(setup, { engines: ["none"], schedules: ["threshold"] });
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ compactions: 0, unreadCut: 0, ofNothing: null });
    expect(rows[0]!.lost).toBe(rows[0]!.refused);
    expect(rows[0]!.lost).toBeGreaterThan(0);
  });

  it("is not made where the provider refuses every conversation", async () => {
    const full = { ...setup, fixedShare: 0.8, outputTokens: 32_000 };
    expect(impossibleBecause(full)).toBe("max_tokens alone fills the window");
    expect(await measureSetup(full, { engines: ["compressor"], schedules: ["threshold"] })).toMatchObject({ rows: [] });
  });
});

describe("bounds", () => {
  const figures = setupFigures({ windowTokens: 200_000, fixedShare: 0.2, outputTokens: 32_000 }, 40_000);
  const row: Row = {
    windowTokens: 200_000,
    fixedShare: 0.2,
    outputTokens: 32_000,
    engine: "compressor",
    schedule: "threshold",
    compactions: 5,
    overflows: 0,
    leastGrowthTokens: 30_000,
    leastFreedTokens: 30_000,
    unreadCut: 2,
    unreadCutInVain: 0,
    lastRungs: 0,
    refused: 0,
    lost: 0,
    ofNothing: 0.5,
    limitTokens: 142_800,
    fixedTokens: 40_000,
    stepTokens: figures.stepTokens,
  };

  it("are a fifth of what is between the fixed part and the limit, and unread results that are sent whole", () => {
    expect(figures).toMatchObject({ limitTokens: 142_800, stepTokens: 20_560, acceptedTokens: 168_000 });
    expect(brokenBounds(row)).toEqual([]);
    expect(brokenBounds({ ...row, leastGrowthTokens: 15_000 })).toHaveLength(1);
    expect(brokenBounds({ ...row, unreadCutInVain: 1 })).toHaveLength(1);
    expect(brokenBounds({ ...row, engine: "none", unreadCutInVain: 1 })).toEqual([]);
  });
});
