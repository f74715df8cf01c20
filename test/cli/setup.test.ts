/** `precis setup`: settings of clients are changed only where they have to be, and restored byte for byte. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { parse as parseJson } from "jsonc-parser";
import { afterAll, describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import { CLIENT_FILES } from "../../src/cli/clients/settings.ts";
import { precisHere } from "./precis.ts";

const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

const URL = "http://127.0.0.1:4020";

const CASES: Readonly<Record<string, { readonly file: string; readonly own: string; readonly added: string }>> = {
  claude: {
    file: ".claude/settings.json",
    own: '{\n\t"permissions": { "allow": ["Bash(npm test)"] },\n\t"env": { "A": "1" }\n}',
    added: '{\n\t"model": "opus",',
  },
  codex: {
    file: ".codex/config.toml",
    own: '# mine\nmodel = "gpt-5.6"\nmodel_provider = "azure"   # work\n\n[model_providers.azure]\nname = "azure"\n\n[tui]\ntheme = "dark"\n',
    added: '# mine\napproval_policy = "never"',
  },
  gemini: { file: ".gemini/.env", own: "GEMINI_API_KEY=x\n", added: "GEMINI_API_KEY=y\n#" },
  opencode: {
    file: ".config/opencode/opencode.json",
    own: '{\n  // mine\n  "theme": "tokyo",\n  "provider": {\n    "openai": { "options": { "baseURL": "https://proxy.example/v1", "timeout": 5 } },\n  },\n}\n',
    added: '{\n  "autoupdate": false,',
  },
};

function home(text?: string, file = ""): string {
  const folder = mkdtempSync(join(tmpdir(), "precis-setup-"));
  folders.push(folder);
  if (text !== undefined) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text, { mode: 0o640 });
  }
  return folder;
}

const setup = (folder: string, ...words: readonly string[]) =>
  precisHere(["setup", ...words], { folder, environment: { HOME: folder } });

describe.each(Object.entries(CASES))("precis setup %s", (name, { file, own, added }) => {
  it("writes only when it is told to, and shows what", async () => {
    const folder = home(own, file);
    const shown = await setup(folder, name);
    expect([shown.code, shown.out]).toEqual([0, expect.stringContaining("nothing was written: add --yes")]);
    expect(shown.out).toMatch(/^\+ .*127\.0\.0\.1:4020/m);
    expect(readFileSync(join(folder, file), "utf8")).toBe(own);
  });

  it("is undone byte for byte, also twice and after a second address", async () => {
    const folder = home(own, file);
    await setup(folder, name, "--yes");
    expect(readFileSync(join(folder, file), "utf8")).toContain(URL);
    const once = readFileSync(join(folder, file), "utf8");
    expect((await setup(folder, name, "--yes")).out).toContain("already");
    expect(readFileSync(join(folder, file), "utf8")).toBe(once);
    await setup(folder, name, "--yes", "--url", "http://10.0.0.7:4020");
    expect(readFileSync(join(folder, file), "utf8")).toContain("10.0.0.7");
    expect((await setup(folder, name, "--undo")).out).toContain("nothing was written");
    expect((await setup(folder, name, "--undo", "--yes")).out).toContain("taken back");
    expect(readFileSync(join(folder, file), "utf8")).toBe(own);
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o640);
    expect((await setup(folder, name, "--undo", "--yes")).out).toContain("has not written anything");
  });

  it("leaves what was changed since", async () => {
    const folder = home(own, file);
    await setup(folder, name, "--yes");
    const head = own.slice(0, own.indexOf("\n"));
    const path = join(folder, file);
    const changed = (text: string): string => text.replace(head, added);
    writeFileSync(path, changed(readFileSync(path, "utf8")));
    await setup(folder, name, "--undo", "--yes");
    expect(readFileSync(path, "utf8").replace(/\s+$/, "")).toBe(changed(own).replace(/\s+$/, ""));
  });

  it("makes the file where there is none, for its owner alone, and removes it again", async () => {
    const folder = home();
    const { code, err } = await setup(folder, name, "--yes");
    expect([code, err]).toEqual([0, ""]);
    expect(readFileSync(join(folder, file), "utf8")).toContain("127.0.0.1:4020");
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
    await setup(folder, name, "--undo", "--yes");
    expect(existsSync(join(folder, file))).toBe(false);
  });
});

interface HostCase {
  readonly words: readonly string[];
  readonly file: string;
  readonly own: string;
  readonly shows: string;
  /** A later change of the person's own. */
  readonly head: string;
  readonly changed: string;
}

const HOSTS: Readonly<Record<string, HostCase>> = {
  claude: {
    words: ["claude", "--inside"],
    file: ".claude/settings.json",
    own: '{\n  "enabledPlugins": { "other@market": true },\n  "model": "opus"\n}\n',
    shows: "precis@precis",
    head: '"opus"',
    changed: '"sonnet"',
  },
  opencode: {
    words: ["opencode", "--inside"],
    file: ".config/opencode/opencode.json",
    own: '{\n  // mine\n  "plugin": ["other"],\n}\n',
    shows: "/integrations/opencode/index",
    head: "{\n  // mine",
    changed: '{\n  // mine\n  "autoupdate": false,',
  },
  pi: {
    words: ["pi"],
    file: ".pi/agent/settings.json",
    own: '{ "theme": "dark", "packages": ["npm:other"] }',
    shows: "packages",
    head: '"dark"',
    changed: '"light"',
  },
  openclaw: {
    words: ["openclaw"],
    file: ".openclaw/openclaw.json",
    own: '{\n  // mine\n  "plugins": { "slots": { "contextEngine": "legacy", "memory": "none" } },\n}\n',
    shows: "hosts/openclaw",
    head: '"memory": "none"',
    changed: '"memory": "other"',
  },
  dsh: {
    words: ["dsh"],
    file: ".dsh/cordis.patch.yml",
    own: "# mine\n- id: llm-deepseek\n  config:\n    maxTokens: 4000   # short\n",
    shows: "/integrations/dsh/index",
    head: "maxTokens: 4000",
    changed: "maxTokens: 8000",
  },
  hermes: {
    words: ["hermes"],
    file: ".hermes/config.yaml",
    own: "# mine\nmodel:\n  default: 'gpt-5.4'   # quoted\nplugins:\n  enabled:\n  - other\n",
    shows: "plugins/precis →",
    head: "'gpt-5.4'",
    changed: "'gpt-5.6'",
  },
  litellm: {
    words: ["litellm"],
    file: "config.yaml",
    own: "model_list:\n  - model_name: a # first\n    litellm_params:\n      model: openai/a\n",
    shows: "guardrail: headroom",
    head: "openai/a",
    changed: "openai/b",
  },
};

describe.each(Object.entries(HOSTS))("precis setup of a host: %s", (_, { words, file, own, shows, head, changed }) => {
  const textIn = (folder: string): string => readFileSync(join(folder, file), "utf8");

  it("shows the difference, writes it, and is undone byte for byte", async () => {
    const folder = home(own, file);
    const shown = await setup(folder, ...words);
    expect([shown.code, shown.err]).toEqual([0, ""]);
    expect(shown.out).toContain(shows);
    expect(textIn(folder)).toBe(own);
    expect((await setup(folder, ...words, "--yes")).out).toContain(`\`precis setup ${words.join(" ")} --undo --yes\``);
    expect(textIn(folder)).not.toBe(own);
    expect(textIn(folder)).toContain(head);
    expect((await setup(folder, ...words, "--yes")).out).toContain("already");
    await setup(folder, ...words, "--undo");
    expect(textIn(folder)).not.toBe(own);
    await setup(folder, ...words, "--undo", "--yes");
    expect(textIn(folder)).toBe(own);
    expect(existsSync(join(folder, ".hermes/plugins/precis"))).toBe(false);
  });

  it("leaves what was changed since", async () => {
    const folder = home(own, file);
    await setup(folder, ...words, "--yes");
    writeFileSync(join(folder, file), textIn(folder).replace(head, changed));
    await setup(folder, ...words, "--undo", "--yes");
    const settings = (text: string): unknown => (file.endsWith("json") ? parseJson(text) : parseYaml(text));
    expect(settings(textIn(folder))).toEqual(settings(own.replace(head, changed)));
    expect(textIn(folder).match(/(?:#|\/\/) .*/g)).toEqual(own.match(/(?:#|\/\/) .*/g));
  });

  it("makes the file where there is none, and removes it again", async () => {
    const folder = home();
    expect((await setup(folder, ...words, "--yes")).code).toBe(0);
    expect(existsSync(join(folder, file))).toBe(true);
    await setup(folder, ...words, "--undo", "--yes");
    expect(existsSync(join(folder, file))).toBe(false);
  });
});

describe("precis setup of a host", () => {
  it("links Hermes's plugin to the package, and leaves one that is there", async () => {
    const folder = home();
    await setup(folder, "hermes", "--yes");
    expect(existsSync(join(folder, ".hermes/plugins/precis/plugin.yaml"))).toBe(true);
    const other = home("name: mine", ".hermes/plugins/precis/plugin.yaml");
    expect((await setup(other, "hermes", "--yes")).code).not.toBe(0);
    expect(readFileSync(join(other, ".hermes/plugins/precis/plugin.yaml"), "utf8")).toBe("name: mine");
    expect(existsSync(join(other, ".hermes/config.yaml"))).toBe(false);
  });

  it("takes another file, which is the one that is restored", async () => {
    const folder = home("model_list: []\n", "proxy/settings.yaml");
    await setup(folder, "litellm", "--file", "proxy/settings.yaml", "--yes", "--url", "http://10.0.0.7:4020");
    expect(readFileSync(join(folder, "proxy/settings.yaml"), "utf8")).toContain("http://10.0.0.7:4020");
    expect(await setup(folder, "litellm", "--yes")).toMatchObject({ code: 2, err: expect.stringContaining("--undo") });
    await setup(folder, "litellm", "--undo", "--yes");
    expect(readFileSync(join(folder, "proxy/settings.yaml"), "utf8")).toBe("model_list: []\n");
  });

  it("says which clients have no place for precis", async () => {
    const said = await setup(home(), "codex", "--inside");
    expect(said).toMatchObject({ code: 2, err: expect.stringContaining("Leave --inside out") });
  });
});

describe("settings in JSON", () => {
  const { withOurs, withoutOurs } = CLIENT_FILES["claude"]!;
  const names = fc.constantFrom("env", "statusLine", "model", "hooks", "ANTHROPIC_BASE_URL");
  const settings = fc.dictionary(names, fc.oneof(fc.string(), fc.dictionary(names, fc.string())));

  it("are the same without ours as before, whatever they were", () => {
    fc.assert(
      fc.property(settings, fc.constantFrom(0, 2, 4), (own, indent) => {
        const env = typeof own["env"] === "string" ? {} : own["env"];
        const before = JSON.stringify({ ...own, ...(env === undefined ? {} : { env }) }, null, indent);
        const after = withOurs(before, URL);
        const parsed = JSON.parse(after) as { env: Record<string, string> };
        expect(parsed.env["ANTHROPIC_BASE_URL"]).toBe(URL);
        const later = `${after}\n`;
        expect(JSON.parse(withoutOurs(later, { before, after }))).toEqual(JSON.parse(before));
      }),
    );
  });
});

describe("what cannot be changed", () => {
  it("is named", async () => {
    const folder = home('{ "env": { ', ".claude/settings.json");
    const broken = await setup(folder, "claude", "--yes");
    expect([broken.code, broken.err]).toEqual([2, expect.stringContaining("not valid JSON")]);
    expect(broken.err).toContain(".claude/settings.json");
    expect((await setup(folder, "emacs")).err).toContain(
      "claude, codex, dsh, gemini, hermes, litellm, openclaw, opencode, pi",
    );
    expect((await setup(folder, "claude", "--url", "ftp://x")).code).toBe(2);
  });
});

it("says where requests went before", async () => {
  const folder = home('{ "env": { "ANTHROPIC_BASE_URL": "http://proxy.example" } }', ".claude/settings.json");
  const { code, out } = await setup(folder, "claude");
  expect(code).toBe(0);
  expect(out).toContain("start the gateway with `precis serve --upstream http://proxy.example`");
  await setup(folder, "claude", "--yes");
  expect((await setup(folder, "claude", "--url", "http://127.0.0.1:4999")).out).not.toContain("--upstream");
});

it.each([
  ['{"packages": {"a": 1}}', "packages in the settings file is not a list"],
  ["[]", "the settings file holds no object but array"],
  ['{"a": }', "the settings file is not valid JSON"],
])("refuses settings that it would damage: %s", async (text, says) => {
  const folder = home(text, ".pi/agent/settings.json");
  const { code, err } = await setup(folder, "pi", "--yes");
  expect(code).not.toBe(0);
  expect(err).toContain(says);
  expect(readFileSync(join(folder, ".pi/agent/settings.json"), "utf8")).toBe(text);
});
