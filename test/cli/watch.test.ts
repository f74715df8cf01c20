/** `precis sessions watch` beside a real gateway: what happens there is shown while it happens, and Ctrl-C ends it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { createProvider } from "../../src/provider/provider.ts";
import { ask, bodyOf, worked } from "../gateway/support/asking.ts";
import { serve } from "../gateway/support/serving.ts";
import { atEnd, temporaryFolder } from "../gateway/support/standing.ts";
import { NODE_ENVIRONMENT, precisHere } from "./precis.ts";

const BIN = resolve(import.meta.dirname, "../../src/cli/bin.ts");
const WITHIN_MS = 15_000;

it("prints a line for each session that changes, and ends with Ctrl-C", async () => {
  const provider = createProvider({ script: { text: "Done." } });
  const { url: upstream, close } = await provider.listen();
  atEnd(close);
  const home = temporaryFolder();
  const { url } = await serve({ upstream, folder: home });
  const environment = { HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home };
  const words = ["sessions", "watch", "--set", `gateway.port=${new URL(url).port}`];
  const child = spawn(process.execPath, [BIN, ...words], { cwd: home, env: { ...NODE_ENVIRONMENT, ...environment } });
  atEnd(() => void child.kill("SIGKILL"));
  let out = "";
  child.stdout.on("data", (chunk: Buffer) => void (out += chunk.toString()));
  const shown = async (pattern: RegExp): Promise<void> => {
    const deadlineMs = performance.now() + WITHIN_MS;
    while (!pattern.test(out)) {
      if (performance.now() > deadlineMs) throw new Error(`not shown: ${String(pattern)}\n${out}`);
      await pause(50);
    }
  };
  await ask(url, { protocol: "anthropic-messages", body: bodyOf("anthropic-messages", worked("first", 3)) });
  await shown(/\d+ messages {2}\d+ tokens {2}0 compactions\n/);
  await ask(url, { protocol: "anthropic-messages", body: bodyOf("anthropic-messages", worked("second", 5)) });
  await shown(/messages[\s\S]*\n.*messages/);
  child.kill("SIGINT");
  const [code] = (await once(child, "exit")) as [number | null];
  expect(code).toBe(0);
});

it("says what to do where no gateway is", async () => {
  const { code, err } = await precisHere(["sessions", "watch", "--set", "gateway.port=1"]);
  expect(code).not.toBe(0);
  expect(err).toContain("no gateway answers at http://127.0.0.1:1");
});
