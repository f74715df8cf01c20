/** Tenants from a file: their keys, limits of their own, and what happens at each limit; a change holds without a restart. */
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { configuredTenants, readTenants } from "../../src/cli/gateway/tenants.ts";
import { DEFAULTS } from "../../src/config/defaults.ts";
import type { Configuration } from "../../src/config/schema.ts";
import type { TenantLimitSettings, TenantsSource } from "../../src/gateway/tenants/directory.ts";
import type { Writer } from "../../src/core/handoff/model/writer.ts";
import { ask, bodyOf, PROTOCOLS, worked } from "./support/asking.ts";
import { stand, temporaryFolder } from "./support/standing.ts";

const sha256 = (key: string): string => createHash("sha256").update(key).digest("hex");
const small = (protocol: (typeof PROTOCOLS)[number]): string => bodyOf(protocol, worked("tenants", 1));
const chat = (steps: number): string => bodyOf("openai-chat", worked("tenants", steps, 120));
const WINDOW_TOKENS = 6_000;

interface InFile {
  readonly tenants: TenantsSource;
  /** What the file says of all. */
  readonly tenantLimits: TenantLimitSettings;
  readonly write: (text: string) => void;
}

function tenantsIn(text: string): InFile {
  const folder = temporaryFolder();
  const file = join(folder, "tenants.yaml");
  const write = (now: string): void => writeFileSync(file, now);
  write(text);
  const gateway = { ...DEFAULTS.gateway, tenants_file: file } as unknown as Configuration["gateway"];
  const { tenants, tenantLimits } = configuredTenants({ gateway }, { folder });
  return { tenants: tenants!, tenantLimits: tenantLimits!, write };
}

const reloaded = (): boolean => process.emit("SIGHUP");

describe("keys of tenants", () => {
  it.each(PROTOCOLS)("are known by their hash, with limits of their own; others are refused: %s", async (protocol) => {
    const { tenants, tenantLimits } = tenantsIn(`
others: refuse
limits: { requests_per_minute: 1 }
tenants:
  team-a: { keys: ["sha256:${sha256("a1")}", ${sha256("a2")}], requests_per_minute: 3 }
  team-b: { keys: [${sha256("b")}], requests_per_minute: null }`);
    const { url, events, provider } = await stand({
      provider: { script: { text: "Done." } },
      gateway: { tenant: "per_key", tenants, tenantLimits },
    });
    const send = (key: string) => ask(url, { protocol, body: small(protocol), key });
    const statuses: number[] = [];
    for (const key of ["a1", "a2", "a1", "a2", "b", "b", "b"]) statuses.push((await send(key)).status);
    expect(statuses).toEqual([200, 200, 200, 429, 200, 200, 200]);
    const stranger = await send("c");
    expect([stranger.status, stranger.text]).toEqual([401, expect.stringContaining("belongs to no tenant")]);
    expect(provider.requests).toHaveLength(6);
    const named = events.flatMap((event) => (event.kind === "request" ? [event.tenant] : []));
    expect(new Set(named.filter((name) => name !== ""))).toEqual(new Set(["team-a", "team-b"]));
  });

  it("change while the gateway runs, and stay as they were where the file cannot be read", async () => {
    const { tenants, write } = tenantsIn(`{ others: refuse, tenants: { one: { keys: [${sha256("old")}] } } }`);
    const { url, events } = await stand({ provider: { script: { text: "Done." } }, gateway: { tenants } });
    const send = async (key: string) =>
      (await ask(url, { protocol: "openai-chat", body: small("openai-chat"), key })).status;
    expect([await send("old"), await send("new")]).toEqual([200, 401]);
    write(`{ others: refuse, tenants: { one: { keys: [${sha256("new")}] } } }`);
    reloaded();
    expect([await send("old"), await send("new")]).toEqual([401, 200]);
    write("tenants: { one: { keys: [sk-a-key-itself] } }");
    reloaded();
    expect(await send("new")).toBe(200);
    const notices = events.filter((event) => event.kind === "notice" && event.code === "tenants_unchanged");
    expect(notices).toHaveLength(1);
    expect(JSON.stringify(notices)).not.toContain("sk-a-key-itself");
  });

  it("have a file whose mistakes are named, and never a key", () => {
    const problemOf = (text: string): string => {
      try {
        readTenants(text, "tenants.yaml");
        return "";
      } catch (error) {
        return (error as Error).message;
      }
    };
    const key = sha256("k");
    expect(problemOf("tenants: { a: { keys: [sk-secret-1234] } }")).toMatch(/tenants\.a\.keys\.0` is no SHA-256/);
    expect(problemOf(`tenants: { local: { keys: [${key}] } }`)).toMatch(/cannot be called/);
    expect(problemOf(`tenants: { a: { keys: [${key}] }, b: { keys: [${key.toUpperCase()}] } }`)).toMatch(/there twice/);
    expect(problemOf("tenants: [")).toMatch(/not valid YAML/);
    expect(problemOf("")).toMatch(/no `tenants`/);
    expect(problemOf(`tenants: { a: { keys: [${key}], requests: 4 } }`)).toMatch(/tenants\.a/);
    expect(problemOf(`tenants: { a: { keys: [${key}] } }`)).toBe("");
  });
});

describe("what a tenant may store", () => {
  it("ends with nothing new stored or compacted; its requests go on, and others are as ever", async () => {
    const { url, store, events } = await stand({
      provider: { every: { windowTokens: 2 * WINDOW_TOKENS }, script: { text: "Done." } },
      gateway: { tenant: "per_key", contextLength: WINDOW_TOKENS, tenantLimits: { storedBytes: 6_000 } },
    });
    const send = (steps: number, key: string) => ask(url, { protocol: "openai-chat", body: chat(steps), key });
    const treatments: string[] = [];
    for (const steps of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) treatments.push((await send(steps, "a")).treatment);
    expect(treatments.slice(0, 2)).toEqual(["unchanged", "unchanged"]);
    expect(treatments.slice(-4)).toEqual(Array.from({ length: 4 }, () => "untouched; because=tenant_store_full"));
    const [entry] = await store.listTenants();
    const { bytes, compactions } = await store.holdings(entry!.tenant);
    expect([bytes < 12_000, compactions]).toEqual([true, 0]);
    expect((await send(1, "b")).treatment).toBe("unchanged");
    const notices = events.flatMap((event) => (event.kind === "notice" ? [event.code] : []));
    expect(notices.filter((code) => code !== "pressure")).toEqual(["tenant_limit"]);
  });
});

describe("what a tenant may spend on summaries", () => {
  it("ends with handoffs by code until the next day, in all processes on the store", async () => {
    let clockMs = Date.UTC(2026, 0, 5, 12);
    let asked = 0;
    const auxiliary: Writer = {
      model: "writer",
      windowTokens: 100_000,
      ask: async () => {
        asked += 1;
        return {
          kind: "failed",
          failure: { class: "network", message: "it is away" },
          usage: { inputTokens: 10, outputTokens: 0, requests: 1, costUsd: 0.6 },
        };
      },
    } as unknown as Writer;
    const gateway = {
      // A handoff of so few tokens as in a smaller window would be written by code.
      contextLength: 4 * WINDOW_TOKENS,
      writers: { auxiliary },
      tenantLimits: { summariesUsdPerDay: 0.5 },
      now: () => clockMs,
    };
    const one = await stand({ provider: { script: { text: "Done." } }, gateway });
    const converse = async (at: Pick<typeof one, "url" | "gateway">, name: string): Promise<number> => {
      const before = asked;
      for (const steps of [8, 9, 10, 11, 12]) {
        const body = bodyOf("openai-chat", worked(name, steps, 600));
        expect((await ask(at.url, { protocol: "openai-chat", body })).status).toBe(200);
        await at.gateway.settled();
      }
      return asked - before;
    };
    expect(await converse(one, "first")).toBeGreaterThan(0);
    const { front } = await import("./support/standing.ts");
    const other = await front(one.providerUrl, { ...gateway, store: one.store });
    await converse(other, "warms up what the other process knows");
    expect(await converse(one, "second")).toBe(0);
    expect(await converse(other, "third")).toBe(0);
    const notices = one.events.filter((event) => event.kind === "notice" && event.code === "tenant_limit");
    expect(notices).toMatchObject([{ message: expect.stringContaining("limit is $0.50") }]);
    clockMs += 24 * 60 * 60 * 1_000;
    expect(await converse(one, "next day")).toBeGreaterThan(0);
  });
});
