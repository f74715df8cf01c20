/** What the catalogues of agents read of the package: complete, of one version, and valid by Claude Code's own validator where it is installed. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { claudeCode } from "../../e2e/claude-code.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const json = (path: string) => JSON.parse(read(path)) as Record<string, never>;
const { version, license, repository, keywords, pi, files } = json("package.json") as Readonly<
  Record<string, never>
> & {
  readonly pi: { readonly extensions: readonly string[]; readonly image: string };
  readonly repository: { readonly url: string };
};
const address = repository.url.replace(/^git\+|\.git$/g, "");

describe("what a catalogue reads", () => {
  it("is complete for pi", () => {
    expect(keywords).toContain("pi-package");
    expect(pi.extensions).toEqual(["./dist/integrations/pi/index.js"]);
    const [, image] = /\/main\/(.+\.(?:png|jpe?g|gif|webp))$/.exec(pi.image) ?? [];
    expect(existsSync(join(ROOT, image!))).toBe(true);
  });

  it("is complete for Hermes", () => {
    const plugin = parse(read("hosts/hermes/precis/plugin.yaml")) as object;
    expect(plugin).toMatchObject({ name: "precis", version, license });
    const entry = parse(read("hosts/hermes/catalog.yaml")) as Record<string, string>;
    expect(entry).toMatchObject({ name: "precis", repo: address, sha: expect.stringMatching(/^[0-9a-f]{40}$/) });
    expect(existsSync(join(ROOT, entry["subdir"]!, "plugin.yaml"))).toBe(true);
    expect(existsSync(join(ROOT, entry["subdir"]!, "__init__.py"))).toBe(true);
    const registers = [...read(`${entry["subdir"]}/__init__.py`).matchAll(/ctx\.(register_\w+)/g)].map(
      ([, name]) => name,
    );
    expect(registers).toEqual(["register_context_engine"]);
  });

  it("is complete for ClawHub", () => {
    expect(json("hosts/openclaw/openclaw.plugin.json")).toMatchObject({
      id: "precis",
      configSchema: { type: "object" },
    });
    expect(json("hosts/openclaw/package.json")).toMatchObject({
      version,
      license,
      repository: { url: repository.url },
      openclaw: {
        extensions: ["./index.js"],
        compat: { pluginApi: expect.stringMatching(/^>=\d+\.\d+\.\d+$/) },
        build: { openclawVersion: expect.stringMatching(/^\d+\.\d+\.\d+$/) },
      },
    });
  });

  it("is complete for Claude Code, by its own validator", ({ skip }) => {
    expect(files).toContain(".claude-plugin");
    expect(json(".claude-plugin/plugin.json")).toMatchObject({ name: "precis", version, license, homepage: address });
    const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
    const installed = join(cache, "precis-clients", `${claudeCode.name}-${claudeCode.version}`);
    const [program] = claudeCode.program({ installed, home: "", workspace: "", base: "" });
    if (!existsSync(program!))
      return skip(`Claude Code ${claudeCode.version} is not installed (npm run e2e:hosts installs it)`);
    const home = mkdtempSync(join(tmpdir(), "precis-catalogue-"));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    for (const path of [ROOT, join(ROOT, ".claude-plugin/marketplace.json")]) {
      const environment = { HOME: home, PATH: process.env["PATH"], CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" };
      const { stdout, stderr } = spawnSync(program!, ["plugin", "validate", path], {
        env: environment,
        encoding: "utf8",
      });
      expect(`${stdout}${stderr}`).toContain("Validation passed");
    }
  });
});
