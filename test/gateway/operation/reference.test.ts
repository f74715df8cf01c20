/** docs/gateway.md says what the code does: its tables are generated, and every code of an error is in it. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { DEFAULTS } from "../../../src/config/defaults.ts";
import { settingAt, SETTINGS } from "../../../src/config/settings.ts";
import { gatewayLimits } from "../../../src/cli/gateway/options.ts";
import { GATEWAY_LIMITS } from "../../../src/gateway/limits.ts";
import { clientSetups } from "../../../src/gateway/operation/clients.ts";
import { LIMITS } from "../../../scripts/docs/gateway-limits.ts";
import { withGatewayReference } from "../../../scripts/docs/gateway.ts";
import { createRegistry, lookUp } from "../../../src/models/registry/registry.ts";

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
  for (const code of ["upstream_settings", "proxy_settings", "listen_failed"]) codes.delete(code);
  expect(codes.size).toBeGreaterThan(8);
  expect([...codes].filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
});

it("names settings that exist, and the settings' defaults are the gateway's own", () => {
  expect(LIMITS.filter(({ setting }) => setting !== undefined).length).toBeGreaterThan(2);
  for (const { setting } of LIMITS) if (setting !== undefined) expect(settingAt(setting)?.path).toBe(setting);
  expect(gatewayLimits(DEFAULTS)).toEqual(GATEWAY_LIMITS);
});

it("shows clients models as they are known, in files that their programs can read", () => {
  const setups = clientSetups("http://127.0.0.1:1");
  expect(setups.every(({ lines }) => lines.some((line) => line.includes("http://127.0.0.1:1")))).toBe(true);
  const files = setups.filter(({ language }) => language === "json");
  expect(files.length).toBe(2);
  for (const { lines } of files) {
    const text = lines.join("\n");
    expect(JSON.parse(text)).toHaveProperty(["provider" in (JSON.parse(text) as object) ? "provider" : "providers"]);
    const [name] = /gpt-[\w.-]+/.exec(text)!;
    const facts = lookUp(createRegistry(), name!)!;
    expect(text).toContain(String(facts.windowTokens));
    expect(text).toContain(String(facts.maxOutputTokens));
  }
});

it("says what each setting of the section is for, or where it is said", () => {
  const section = SETTINGS.map(({ path }) => path).filter((path) => /^gateway\.[a-z_]+$/.test(path));
  expect(section.length).toBeGreaterThan(6);
  const named = (path: string): boolean =>
    page.includes(path) ||
    page.includes(`--${path.slice("gateway.".length)}`) ||
    page.includes(`  ${path.slice("gateway.".length)}:`);
  expect(section.filter((path) => !named(path))).toEqual([]);
});
