/** The gateway's settings: read from every source, refused with place, range and fix, and never quoting a password. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findWarnings } from "../../src/config/computed.ts";
import { DEFAULTS } from "../../src/config/defaults.ts";
import { readEnvironment } from "../../src/config/environment.ts";
import { historyFile, isLoopback } from "../../src/config/locate.ts";
import { resolve, type Resolved } from "../../src/config/resolve.ts";
import { readYaml } from "../../src/config/yaml-source.ts";

/** What a file's `gateway` section comes to. */
function read(lines: readonly string[], environment: Readonly<Record<string, string>> = {}): Resolved {
  const file = readYaml(["gateway:", ...lines.map((line) => `  ${line}`)].join("\n"), "precis.yaml");
  expect(file.problems).toEqual([]);
  const variables = readEnvironment(environment);
  expect(variables.problems).toEqual([]);
  return resolve([
    { kind: "project", stated: file.stated },
    { kind: "environment", stated: variables.stated },
  ]);
}

describe("the gateway's settings", () => {
  it("come from a file and from variables, upstreams name by name", () => {
    const { configuration, problems } = read(
      [
        "port: 8080",
        "upstreams:",
        "  local: { url: http://127.0.0.1:1234, protocol: openai }",
        "  far: { url: https://far.test }",
      ],
      {
        PRECIS_GATEWAY_UPSTREAMS: '{"far": {"url": "https://further.test/api"}}',
        PRECIS_GATEWAY_LIMITS_STORE_MB: "500",
        PRECIS_GATEWAY_TENANT: "team",
        PRECIS_COMPRESSION_MODE: "observe",
      },
    );
    expect(problems).toEqual([]);
    expect(configuration.gateway).toEqual({
      ...DEFAULTS.gateway,
      port: 8080,
      tenant: "team",
      upstreams: {
        local: { url: "http://127.0.0.1:1234", protocol: "openai" },
        far: { url: "https://further.test/api" },
      },
      limits: { ...DEFAULTS.gateway.limits, store_mb: 500 },
    });
    expect(configuration.compression.mode).toBe("observe");
  });

  it.each([
    ["port: 70000", "2:9", "a whole number from 0 to 65535", "port: 4020"],
    ["on_fault: refuze", "2:13", "`pass` or `refuse`", "Write `on_fault: refuse`."],
    ["tenant: my team", "2:11", "`auto`, `per_key` or a name", "per_key"],
    ["limits: { body_mb: 0 }", "2:22", "a whole number from 1 to 1024", "body_mb: 64"],
    ["limits: { body_kb: 9 }", "2:13", "there is no setting", "gateway.limits.body_mb"],
    ["upstreams: [a]", "2:14", "a mapping of names to addresses", "127.0.0.1:8080"],
    ["upstreams: { local: 8080 }", "2:14", "expected settings below it", "url, protocol"],
    ["upstreams: { local: { url: localhost } }", "2:14", "`gateway.upstreams.local.url`", "url: http://127.0.0.1:8080"],
    ["upstreams: { local: { adress: 'http://a' } }", "2:14", "`gateway.upstreams.local.url` is missing", "url: http"],
    ["upstreams: { local: { url: 'http://a', protokol: openai } }", "2:14", "cannot say `protokol`", "`protocol`"],
    ["upstreams: { 'my/own': { url: 'http://a' } }", "2:14", 'the name "my/own"', "`local`"],
    ["token_env: my-token-itself", "2:14", "a name of letters, digits and underscores", "PRECIS_TOKEN"],
  ])("%s is refused with its place, what is allowed and the fix", (line, place, message, fix) => {
    const { problems, configuration } = read([line]);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({
      place: `precis.yaml:${place}`,
      message: expect.stringContaining(message) as string,
      fix: expect.stringContaining(fix) as string,
    });
    expect(configuration).toEqual(DEFAULTS);
  });

  it.each(["http://me:hunter2@host", "https://hunter2@host/v1"])("%s is refused and not repeated", (url) => {
    const { problems } = read([`upstreams: { local: { url: "${url}" } }`]);
    expect(problems).toHaveLength(1);
    expect(JSON.stringify(problems)).not.toContain("hunter2");
  });
});

it("listening beyond this machine without a token is a warning", () => {
  const codes = (...lines: string[]): string[] => findWarnings(read(lines).configuration).map(({ code }) => code);
  expect(codes("host: 0.0.0.0")).toContain("gateway_open");
  expect(codes("host: 0.0.0.0", "token_env: TOKEN")).not.toContain("gateway_open");
  expect(codes("host: localhost")).not.toContain("gateway_open");
});

it("knows which addresses stay on this machine", () => {
  expect(
    ["127.0.0.1", "127.9.9.9", "::1", "[::1]", "localhost", "a.localhost"].filter((host) => !isLoopback(host)),
  ).toEqual([]);
  expect(["0.0.0.0", "::", "10.0.0.1", "127.0.0.1.example.org", "example.org"].filter(isLoopback)).toEqual([]);
});

it("keeps the history in the person's data folder", () => {
  expect(historyFile({ HOME: "/home/me" }, "linux")).toBe(join("/home/me", ".local/share/precis/history.db"));
  expect(historyFile({ HOME: "/home/me", XDG_DATA_HOME: "/data" }, "linux")).toBe(join("/data", "precis/history.db"));
  expect(historyFile({ HOME: "/home/me", LOCALAPPDATA: "/local" }, "win32")).toBe(join("/local", "precis/history.db"));
});
