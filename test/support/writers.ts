/** Writers over real HTTP, to a scripted endpoint. */
import type { Writer } from "../../src/core/handoff/model/writer.ts";
import { providerNamed } from "../../src/models/providers.ts";
import { createWriter, type WriterOptions } from "../../src/models/writer.ts";
import { protocols } from "../../src/protocols/index.ts";
import type { ScriptedEndpoint } from "./scripted-endpoint.ts";

/** One request a prompt: what is retried is the writers' own test. */
export function writerAt(endpoint: ScriptedEndpoint, model: string, more: Partial<WriterOptions> = {}): Writer {
  return createWriter({
    model,
    provider: providerNamed("openai-compatible"),
    baseUrl: endpoint.url,
    apiKey: "test-key-0123456789abcdef",
    keyVariable: "TEST_KEY",
    windowTokens: 128_000,
    retries: 0,
    overflow: protocols["openai-chat"].overflow,
    prices: { inputUsdPerMtok: 1, outputUsdPerMtok: 5 },
    ...more,
  });
}
