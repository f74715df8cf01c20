/** With which environment `precis run` starts clients that read a base URL, and where their own base URL leads then. */
import { expect, it } from "vitest";
import { RUNNABLE_CLIENTS, readUpstreams } from "../../src/cli/commands/run.ts";

const URL = "http://127.0.0.1:4020";

it("starts Copilot CLI and Qwen Code with the gateway's address", () => {
  const started = (client: string, environment: Record<string, string> = {}) =>
    RUNNABLE_CLIENTS[client]!.start(URL, environment).environment;
  expect(started("copilot")).toEqual({ COPILOT_PROVIDER_BASE_URL: `${URL}/v1` });
  expect(started("copilot", { COPILOT_PROVIDER_TYPE: "anthropic" })).toEqual({ COPILOT_PROVIDER_BASE_URL: URL });
  expect(started("qwen")).toEqual({ OPENAI_BASE_URL: `${URL}/v1` });
});

it("sends on to the address that the person had set", () => {
  const own = "https://models.example/v1";
  expect(readUpstreams({ COPILOT_PROVIDER_BASE_URL: own })).toEqual(["--upstream", `openai=${own}`]);
  expect(readUpstreams({ COPILOT_PROVIDER_BASE_URL: own, COPILOT_PROVIDER_TYPE: "anthropic" })).toEqual([
    "--upstream",
    `anthropic=${own}`,
  ]);
  expect(readUpstreams({})).toEqual([]);
});
