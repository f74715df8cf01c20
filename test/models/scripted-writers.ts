/** Writers at a scripted endpoint, which answers as the provider of each does. */
import { expect } from "vitest";
import type { WriterFailure, WriterReply } from "../../src/core/handoff/model/writer.ts";
import { providerNamed, type ProviderName } from "../../src/models/providers.ts";
import { createWriter, type WriterOptions } from "../../src/models/writer.ts";
import { protocols } from "../../src/protocols/index.ts";
import type { ScriptedEndpoint } from "../support/scripted-endpoint.ts";

export const KEY = "test-key-0123456789abcdef";

export const writerAt = (endpoint: ScriptedEndpoint, name: ProviderName, more: Partial<WriterOptions> = {}) =>
  createWriter({
    model: name === "anthropic" ? "claude-haiku-4-5" : "gpt-5-mini",
    provider: providerNamed(name),
    baseUrl: endpoint.url,
    apiKey: KEY,
    keyVariable: "TEST_KEY",
    windowTokens: 100_000,
    retries: 0,
    overflow: protocols["openai-chat"].overflow,
    ...more,
  });

export const prompt = { system: "Write a handoff.", user: "What happened: quite a lot.", maxOutputTokens: 2_600 };

export const failureOf = (reply: WriterReply): WriterFailure => {
  expect(reply.kind).toBe("failed");
  return (reply as Extract<WriterReply, { kind: "failed" }>).failure;
};
