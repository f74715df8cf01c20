/** What `models.NAME` says of one model holds for its conversations, and of no others: threshold, newest messages, engine. */
import { describe, expect, it } from "vitest";
import { textMessage } from "../../src/core/transcript/message.ts";
import { policyOf } from "../../src/gateway/gateway-options.ts";
import { registryOf } from "../../src/models/settings.ts";
import { createRuntime } from "../../src/session/runtime.ts";

const WINDOW_TOKENS = 100_000;
const registry = registryOf({
  models: {
    early: { threshold: 0.2 },
    short: { keep_recent_tokens: 500 },
    plain: { engine: "stepped", keep_recent_tokens: 3_000 },
  },
});
const messages = Array.from({ length: 120 }, (_, at) =>
  textMessage(at % 2 === 0 ? "user" : "assistant", `Turn ${at}: ${"the depot is counted again. ".repeat(60)}`),
);

function runtimeFor(model: string) {
  return createRuntime({
    model,
    settings: { contextLength: WINDOW_TOKENS },
    perModel: (name) => policyOf(registry, name),
  });
}

async function keptBy(model: string): Promise<number> {
  const outcome = await runtimeFor(model).compact({ system: [], messages });
  if (outcome.kind === "unchanged") throw new Error(outcome.because);
  return outcome.transcript.messages.filter((message) => messages.includes(message)).length;
}

describe("a model of its own", () => {
  it("has its threshold, which goes with the model", () => {
    const runtime = runtimeFor("early");
    expect(runtime.report().thresholdTokens).toBe(0.2 * WINDOW_TOKENS);
    runtime.modelChanged({ model: "other", contextLength: WINDOW_TOKENS });
    expect(runtime.report().thresholdTokens).toBe(0.5 * WINDOW_TOKENS);
    runtime.modelChanged({ model: "early", contextLength: WINDOW_TOKENS });
    expect(runtime.report().thresholdTokens).toBe(0.2 * WINDOW_TOKENS);
  });

  it("keeps as many of the newest messages as it says, with any engine", async () => {
    const [short, other] = [await keptBy("short"), await keptBy("other")];
    expect(short).toBeLessThan(other / 2);
  });

  it("has its engine in conversations that begin with it, also after another model took over", () => {
    const runtime = runtimeFor("plain");
    expect(runtime.report().engine).toBe("stepped");
    runtime.modelChanged({ model: "other", contextLength: WINDOW_TOKENS });
    expect(runtime.report().engine).toBe("stepped");
    expect(runtimeFor("other").report().engine).toBe("compressor");
  });
});
