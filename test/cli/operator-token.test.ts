/** The operator's token opens every conversation of everybody: it cannot be guessed, wherever it is from. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { operatorToken } from "../../src/cli/gateway/token.ts";
import { stateFile } from "../../src/config/locate.ts";
import { DEFAULTS } from "../../src/config/defaults.ts";
import type { Configuration } from "../../src/config/schema.ts";
import { temporaryFolder } from "../gateway/support/standing.ts";

const configured = (token_env: string | null) =>
  ({ ...DEFAULTS, gateway: { ...DEFAULTS.gateway, token_env } }) as unknown as Configuration;
const LONG = "0123456789abcdef".repeat(2);

it.each(["x", LONG.slice(1)])("from a variable has at least 32 characters, and %s does not", (token) => {
  const folder = temporaryFolder();
  const place = (value: string) => ({ environment: { TOKEN: value }, platform: process.platform, folder });
  expect(() => operatorToken(configured("TOKEN"), place(token))).toThrow(/less than 32 characters/);
  expect(operatorToken(configured("TOKEN"), place(LONG))).toEqual({ token: LONG, variable: "TOKEN" });
});

it("from a file too", () => {
  const folder = temporaryFolder();
  const place = {
    environment: { HOME: folder, XDG_STATE_HOME: join(folder, "state") },
    platform: "linux" as const,
    folder,
  };
  const file = stateFile("operator-token", place.environment, place.platform);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${LONG.slice(1)}\n`, { mode: 0o600 });
  expect(() => operatorToken(configured(null), place)).toThrow(/no token of 32 characters/);
});
