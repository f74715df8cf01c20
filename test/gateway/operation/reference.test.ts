/** docs/gateway.md says what the code does: its tables are generated, and every code of an error stands in it. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { DEFAULTS } from "../../../src/config/defaults.ts";
import { settingAt } from "../../../src/config/settings.ts";
import { gatewayLimits } from "../../../src/cli/gateway-options.ts";
import { GATEWAY_LIMITS } from "../../../src/gateway/limits.ts";
import { LIMITS } from "../../../src/gateway/operation/limit-list.ts";
import { withGatewayReference } from "../../../src/gateway/operation/reference.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const page = readFileSync(join(ROOT, "docs/gateway.md"), "utf8");

it("is current, as `npm run docs` leaves it", () => {
  expect(withGatewayReference(page)).toBe(page);
});

it("lists every error code that the gateway answers with", () => {
  const folder = join(ROOT, "src/gateway/transport");
  const sources = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  const codes = new Set(sources.flatMap((text) => [...text.matchAll(/\bcode: "([a-z_]+)"/g)].map(([, code]) => code!)));
  // Told to who starts the gateway, not to clients.
  for (const code of ["upstream_settings", "listen_failed"]) codes.delete(code);
  expect(codes.size).toBeGreaterThan(8);
  expect([...codes].filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
});

it("names settings that exist, and the settings' defaults are the gateway's own", () => {
  expect(LIMITS.map(({ name }) => name).toSorted()).toEqual(Object.keys(GATEWAY_LIMITS).toSorted());
  for (const { setting } of LIMITS) if (setting !== undefined) expect(settingAt(setting)?.path).toBe(setting);
  expect(gatewayLimits(DEFAULTS)).toEqual(GATEWAY_LIMITS);
});

it("mentions every setting of the section and every variable and file of a client", () => {
  for (const word of [
    "gateway.on_fault",
    "gateway.token_env",
    "gateway.insecure",
    "gateway.tenant",
    "compression.mode",
  ])
    expect(page).toContain(word);
});
