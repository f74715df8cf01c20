/** The contract suite itself: engines that break a promise, each in its own way, and the fault that names it. */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Compaction } from "../../src/core/compaction/compaction.ts";
import { reachTo } from "../../src/core/compaction/revise.ts";
import { createCompressor } from "../../src/core/engines/compressor/compressor.ts";
import { COMPRESSOR_DEFAULTS, LOSSLESS_DEFAULTS } from "../../src/core/engines/settings.ts";
import type { CompactRequest, Engine, Outcome, ToolAnswer } from "../../src/core/engines/contract.ts";
import { createLossless, type LosslessState } from "../../src/core/engines/lossless/lossless.ts";
import type { CheckName } from "../../src/plugins/suite/fault.ts";
import { sampleTranscripts } from "../../src/plugins/suite/samples.ts";
import { checkEngine } from "../../src/plugins/suite/suite.ts";
import { textMessage, type Transcript } from "../../src/core/transcript/message.ts";
import { violationsOf } from "../../src/core/transcript/oracle.ts";
import { filler, ran, says, talk, user } from "../support/compacting.ts";

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");

const session = talk(
  user("Make the build pass."),
  ...Array.from({ length: 12 }, (_, at) => ran("shell", { command: `make part${at}` }, filler(900, `part${at}`))),
  says("Half of it passes."),
  user("Go on with the rest."),
  ...Array.from({ length: 12 }, (_, at) => ran("shell", { command: `make rest${at}` }, filler(600, `rest${at}`))),
);

const honest = (contextLength: number): Engine =>
  createCompressor({ ...COMPRESSOR_DEFAULTS, contextLength, note: "handoff" }) as Engine;

type Spoil = (compaction: Compaction, original: Transcript, request: CompactRequest) => Compaction;

/** The default engine, whose every compaction is spoiled in one way. */
const spoiled =
  (spoil: Spoil) =>
  (contextLength: number): Engine => {
    const engine = honest(contextLength);
    const compact: Engine["compact"] = async (state, transcript, request) => {
      const outcome: Outcome = await engine.compact(state, transcript, request);
      if (outcome.kind === "unchanged") return outcome;
      return { kind: "compacted", compaction: spoil(outcome.compaction, transcript, request) };
    };
    return { ...engine, compact };
  };

/** With messages of the result changed, and figures that say so. */
function withAfter(
  compaction: Compaction,
  after: Compaction["after"],
  [original, { measure }]: [Transcript, CompactRequest],
): Compaction {
  const messages = [...after, ...original.messages.slice(compaction.covered)];
  const tokens = { ...compaction.report.tokens, after: measure.transcript({ ...original, messages }) };
  const counted = { ...compaction.report.messages, after: messages.length };
  return { ...compaction, after, report: { ...compaction.report, tokens, messages: counted } };
}

const losesResult: Spoil = (compaction, original, request) => {
  const whole = reachTo(compaction, original.messages.length, original, request.chain);
  const kept = whole.after.toSpliced(
    whole.after.findLastIndex(({ role }) => role === "tool"),
    1,
  );
  const map = whole.map.map((one) => ("at" in one && one.at >= kept.length ? { kind: "summarised" as const } : one));
  return withAfter({ ...whole, map }, kept, [original, request]);
};

const grows: Spoil = (compaction, original, request) => {
  const note = textMessage("user", filler(request.measure.transcript(original), "more"), "summary");
  return withAfter(compaction, [...compaction.after, note], [original, request]);
};

const hidesIds: Spoil = (compaction, ...given) =>
  withAfter(
    compaction,
    compaction.after.map((message) => ({
      ...message,
      parts: message.parts.map((part) =>
        part.kind === "text" ? { ...part, text: part.text.replace(/\br[0-9a-f]{16}\b/g, "gone") } : part,
      ),
    })),
    given,
  );

const saysLess: Spoil = (compaction) => ({
  ...compaction,
  report: { ...compaction.report, tokens: { ...compaction.report.tokens, after: 1 } },
});

const keepsMap: Spoil = (compaction) => ({ ...compaction, state: new Map([["kept", compaction.state]]) });

const rewordsRequest: Spoil = (compaction, ...given) =>
  withAfter(
    compaction,
    compaction.after.map((message) =>
      message.origin === "anchor" ? textMessage("user", "Go on, roughly.", "anchor") : message,
    ),
    given,
  );

/** Remembers in itself what belongs in its state: another instance knows nothing of it. */
function forgetful(contextLength: number): Engine {
  const engine = honest(contextLength);
  let compactions = 0;
  return {
    ...engine,
    decide: (state, situation) => (compactions > 0 ? { kind: "none" } : engine.decide(state, situation)),
    compact: (state, transcript, request) => {
      compactions++;
      return engine.compact(state, transcript, request);
    },
  };
}

/** Says that it is due, and does nothing, for ever. */
function restless(contextLength: number): Engine {
  return {
    ...honest(contextLength),
    decide: () => ({ kind: "compact", reason: "threshold", urgency: "now" }),
    compact: (_, transcript, { measure, budget = 0 }) => {
      const irreducible = { limit: budget, smallest: measure.transcript(transcript), because: "so it is" };
      return Promise.resolve({ kind: "unchanged", because: "so it is", irreducible });
    },
  };
}

/** Digests in the client's own message. */
function meddling(contextLength: number): Engine {
  const engine = honest(contextLength);
  return {
    ...engine,
    compact: (state, transcript, request) => {
      (transcript.messages as unknown[]).pop();
      return engine.compact(state, transcript, request);
    },
  };
}

/** `lossless`, whose tools answer otherwise. */
const answering =
  (spoil: (answer: ToolAnswer) => ToolAnswer | Promise<ToolAnswer>) =>
  (contextLength: number): Engine => {
    const engine = createLossless({ ...LOSSLESS_DEFAULTS, contextLength }) as Engine;
    return { ...engine, callTool: async (...call) => spoil(await engine.callTool!(...call)) };
  };

const forgetsTools = (contextLength: number): Engine => {
  const engine = createLossless({ ...LOSSLESS_DEFAULTS, contextLength });
  return {
    ...engine,
    tools: (state: LosslessState) => (state.dag.roots.length > 0 ? engine.tools!(state) : []),
  } as Engine;
};

const BROKEN: readonly (readonly [string, (contextLength: number) => Engine, CheckName])[] = [
  ["drops a tool result", spoiled(losesResult), "valid"],
  ["keeps its state to itself", forgetful, "restart"],
  ["grows", spoiled(grows), "progress"],
  ["shows no recall ids", spoiled(hidesIds), "recall"],
  ["reports fewer tokens than there are", spoiled(saysLess), "honest"],
  ["has a state that JSON cannot hold", spoiled(keepsMap), "state"],
  ["rewords the live request", spoiled(rewordsRequest), "live-request"],
  ["never comes to rest", restless, "bounded"],
  ["changes the client's transcript", meddling, "undo"],
  ["throws at odd calls", answering((one) => (one.isError ? Promise.reject(new Error("odd")) : one)), "tools"],
  ["takes anything for a call", answering(({ isError: _, ...one }) => one), "tools"],
  ["answers more than was asked for", answering((one) => ({ ...one, text: one.text.padEnd(9_000, "more ") })), "tools"],
  ["makes up what it quotes", answering((one) => ({ ...one, quotes: [{ id: "r000000000", text: "" }] })), "tools"],
  ["gives back nothing", answering((one) => ({ ...one, quotes: [] })), "tools"],
  ["has other tools after a compaction", forgetsTools, "tools"],
  ["covers less than it says", spoiled((one) => ({ ...one, map: one.map.slice(1) })), "place"],
];

describe("the contract suite", () => {
  it("is content with an engine that keeps its promises", async () => {
    await checkEngine({ transcript: session }, { make: honest, hash });
  });

  it.each(BROKEN)("notices an engine that %s", async (_, make, check) => {
    const transcript = { ...session, messages: [...session.messages] };
    await expect(checkEngine({ transcript }, { make, hash, contextTokens: 8_000 })).rejects.toMatchObject({
      name: "EngineFault",
      check,
    });
  });

  it("notices bytes that do not come back", async () => {
    const wire = { body: "[1, 2]", write: () => "[1,2]" };
    await expect(checkEngine({ transcript: session, wire }, { make: honest, hash })).rejects.toMatchObject({
      check: "undo",
    });
  });

  it("has samples that are the same every time, mostly valid, and of some length", () => {
    const samples = sampleTranscripts(8);
    expect(samples).toEqual(sampleTranscripts(8));
    expect(samples).not.toEqual(sampleTranscripts(8, 2));
    const broken = samples.filter((transcript) => violationsOf(transcript).length > 0);
    expect(broken.length).toBeGreaterThan(0);
    expect(broken.length).toBeLessThanOrEqual(2);
    expect(Math.max(...samples.map(({ messages }) => messages.length))).toBeGreaterThan(20);
  });
});
