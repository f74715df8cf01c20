/**
 * Every session of the corpus lived once more through the gateway, against a provider whose window is too small for it:
 * none is refused, nothing is lost, and between two compactions the provider sees one growing prefix.
 */
import { describe, expect, it } from "vitest";
import type { Transcript } from "../../../src/core/transcript/message.ts";
import { replayAsAgent, type AgentRun } from "../../support/agent/replay.ts";
import { createProvider } from "../../../provider/src/provider.ts";
import type { ProtocolName } from "../../../src/core/protocols.ts";
import { corpusFiles, describeCorpus } from "../../support/corpus.ts";
import { PROTOCOL_MODELS } from "../../../provider/test/models.ts";
import { recordingOf, saidBriefly, withPrompt } from "./recordings.ts";
import { atEnd, stand, TENANT } from "./standing.ts";
import { createWitness, type Tally } from "./witness.ts";

const FULL = Number(process.env["PRECIS_TEST_RUNS"] ?? 0) > 1_000;
/** Of the corpus in a short run: sessions of every kind, from a few turns to some hundred, some of them above 64K. */
const SAMPLE = /pi__multi|entire_claude__(?:54bb2ec87cc8|a7f0375c8fb0)|whowhen__ag(?:35|110)\./;
const SAMPLE_EVERY = 37;

export interface Window {
  readonly name: string;
  readonly tokens: number;
  readonly recording: (file: string) => Transcript;
  /** What a request reserves for its answer; what the longest recorded answer needs where not given. */
  readonly maxOutputTokens?: number;
}

export const WIDE: Window = { name: "64K", tokens: 64_000, recording: recordingOf };

const PROMPT_TOKENS = 6_000;
/** A person's longest word and the model's, where they have to share 16K with the prompt. */
const BRIEF_TOKENS = 1_500;
export const NARROW: Window = {
  name: "16K with a system prompt of 6K",
  tokens: 16_000,
  recording: (file) => saidBriefly(withPrompt(recordingOf(file), PROMPT_TOKENS), BRIEF_TOKENS),
  maxOutputTokens: 2 * BRIEF_TOKENS,
};

export interface Replayed {
  readonly run: AgentRun;
  readonly rejected: Readonly<Record<string, number>>;
  readonly faults: readonly string[];
  readonly tally: Tally;
  readonly lastTokens: number;
}

async function replayThrough(recording: Transcript, protocol: ProtocolName, window: Window): Promise<Replayed> {
  const witness = createWitness(protocol);
  const { provider, url, store } = await stand({
    provider: { replay: recording.messages, every: { windowTokens: window.tokens }, onRequest: witness.got },
    gateway: { contextLength: window.tokens },
    file: true,
  });
  const run = await replayAsAgent({ ...agentOf(recording, protocol, window), url, onTurn: witness.sent });
  const faults = await witness.faults(store, TENANT);
  return {
    run,
    rejected: provider.account().total.rejected,
    faults,
    tally: witness.tally(),
    lastTokens: witness.lastTokens(),
  };
}

/** Without precis, until it dies of its window or ends. */
async function replayDirect(recording: Transcript, protocol: ProtocolName, window: Window): Promise<AgentRun> {
  const provider = createProvider({ replay: recording.messages, every: { windowTokens: window.tokens } });
  const { url, close } = await provider.listen();
  atEnd(close);
  return replayAsAgent({ ...agentOf(recording, protocol, window), url });
}

function agentOf(recording: Transcript, protocol: ProtocolName, { maxOutputTokens }: Window) {
  return {
    protocol,
    model: PROTOCOL_MODELS[protocol],
    recording,
    stream: (turn: number): boolean => turn % 2 === 0,
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  };
}

export interface Share {
  readonly protocol: ProtocolName;
  readonly windows: readonly Window[];
  /** Of the transcripts, every that many; all where not given. */
  readonly every?: number;
}

export function describeReplays({ protocol, windows, every = 1 }: Share): void {
  const all = corpusFiles("openai");
  const sample = all.filter((file, at) => SAMPLE.test(file) || at % SAMPLE_EVERY === 0);
  const files = FULL ? all.filter((_, at) => at % every === 0) : sample.filter((_, at) => at % every === 1 % every);
  const seen = { fresh: 0, recallIds: 0, refusedDirect: 0 };
  describeCorpus(`${protocol}, the corpus through the gateway`, () => {
    describe.each(windows)("a window of $name", (window) => {
      it.each(files)("%s", async (file) => {
        const recording = window.recording(file);
        const { run, rejected, faults, lastTokens, tally } = await replayThrough(recording, protocol, window);
        expect({ run, rejected, faults }).toEqual({
          run: { turns: run.turns, answered: run.turns },
          rejected: {},
          faults: [],
        });
        const direct = await replayDirect(recording, protocol, window);
        seen.fresh += tally.fresh;
        seen.recallIds += tally.recallIds;
        seen.refusedDirect += direct.refusal === undefined ? 0 : 1;
        if (lastTokens > window.tokens) expect(direct.refusal?.message).toMatch(/maximum|limit|too long/);
      });
    });
    it("had something to prove", () => {
      for (const count of Object.values(seen)) expect(count).toBeGreaterThan(1);
    });
  });
}
