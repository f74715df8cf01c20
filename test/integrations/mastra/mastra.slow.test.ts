/** An agent of the real Mastra with our processor, against the strict provider. */
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createOpenAI } from "@ai-sdk/openai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createPrecis } from "../../../src/integrations/mastra/index.ts";
import { installFromNpm } from "../../support/npm-package.ts";
import { depotOf, says, smallProvider, TURNS, WINDOW_TOKENS } from "../past-window.ts";

const MASTRA = "@mastra/core@1.71.0";
const TEST_MS_MAX = 300_000;
const installed = await installFromNpm(MASTRA);
if (installed.kind === "missing") process.stderr.write(`Mastra is not tested: ${installed.because}\n`);

type Turn = { readonly role: "user" | "assistant"; readonly content: string };
interface Agent {
  generate(messages: readonly Turn[], options: object): Promise<{ readonly text: string }>;
  stream(messages: readonly Turn[], options: object): Promise<{ readonly text: Promise<string> }>;
}

describe.skipIf(installed.kind === "missing")("Mastra 1.71", { timeout: TEST_MS_MAX }, () => {
  const agentAt = async (url: string, own: object): Promise<Agent> => {
    const { folder } = installed as { readonly folder: string };
    const entry = createRequire(join(folder, "index.js")).resolve("@mastra/core/agent");
    const { Agent: MastraAgent } = (await import(pathToFileURL(entry).href)) as { Agent: new (given: object) => Agent };
    const model = createOpenAI({ apiKey: "any", baseURL: `${url}/v1` }).chat("gpt-5.4");
    return new MastraAgent({ id: "orders", name: "orders", instructions: "You look orders up.", model, ...own });
  };
  const given = { modelSettings: { maxOutputTokens: 500, maxRetries: 0 }, maxSteps: 200 };

  const converse = async (agent: Agent, stream: boolean): Promise<Turn[]> => {
    const messages: Turn[] = [];
    for (let turn = 0; turn < TURNS; turn++) {
      messages.push({ role: "user", content: says(turn) });
      const text = stream
        ? await (
            await agent.stream(messages, given)
          ).text
        : (await agent.generate(messages, given)).text;
      if (text !== "Noted.") throw new Error(`turn ${turn} was answered ${JSON.stringify(text)}`);
      messages.push({ role: "assistant", content: text });
    }
    return messages;
  };

  it.each([false, true])("goes on past its window, streamed: %s", async (stream) => {
    const { provider, url } = await smallProvider();
    const precis = createPrecis({ settings: { contextLength: WINDOW_TOKENS } });
    await converse(await agentAt(url, { inputProcessors: [precis.processor] }), stream);
    expect(provider.account().total).toMatchObject({ answered: TURNS, rejected: {} });
    expect(precis.report().compactions).toBeGreaterThan(0);
    expect(provider.requests.at(-1)!.body).toContain(depotOf(TURNS - 1));
  });

  it("is refused without it", async () => {
    const { provider, url } = await smallProvider();
    await converse(await agentAt(url, {}), false).catch(() => undefined);
    expect(provider.account().total.rejected).toMatchObject({ window: expect.any(Number) });
  });

  it("goes on in a tool loop of one call, and its model gets back what was removed", async () => {
    const script = ({ index }: { readonly index: number }) => {
      if (index < TURNS) return { calls: [{ name: "lookUp", arguments: { day: index } }] };
      return index === TURNS
        ? { calls: [{ name: "precis_recall", arguments: { query: depotOf(1) } }] }
        : { text: "Done." };
    };
    const { provider, url } = await smallProvider({ script });
    const precis = createPrecis({ settings: { contextLength: WINDOW_TOKENS } });
    const lookUp = {
      id: "lookUp",
      description: "Looks up the orders of a day.",
      inputSchema: z.object({ day: z.number() }),
      execute: async (input: { readonly day: number }) => says(input.day),
    };
    const agent = await agentAt(url, {
      inputProcessors: [precis.processor],
      tools: { lookUp, ...precis.tools() },
    });
    const { text } = await agent.generate([{ role: "user", content: "Look every day up, from 0 on." }], given);
    expect([text, provider.account().total.rejected]).toEqual(["Done.", {}]);
    expect(provider.requests.at(-1)!.body).toContain(depotOf(1));
  });

  it("sends a call that is refused as too long once more, smaller", async () => {
    const { provider, url } = await smallProvider();
    const precis = createPrecis();
    const own = { inputProcessors: [precis.processor], errorProcessors: [precis.processor] };
    await converse(await agentAt(url, own), false);
    expect(provider.account().total.answered).toBe(TURNS);
    expect(provider.account().total.rejected).toMatchObject({ window: 1 });
  });
});
