/**
 * `precis setup CLIENT --yes` and `--undo --yes`, over every client and host that there is: the home is as before, byte for byte, however
 * a person's files are written.
 */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { CLIENT_FILES, type ClientFile } from "../../src/cli/clients/settings.ts";
import { HOST_FILES } from "../../src/cli/clients/settings.ts";
import { precisHere, temporaryFolder } from "./precis.ts";

/** Where a person keeps something else in it already, in the form of each file. */
const OWN: Readonly<Record<string, string>> = {
  json: '{\n\t// mine – äöü 文\n\t"env": { "A": "1" },\n\t"plugin": [ "other" ],\n\t"theme": "dark",\n}\n',
  toml: '# mine – äöü 文\nmodel = "gpt-5.6"   # mine\nmodel_provider = "azure"\n\n[tui]\ntheme = "dark"\n',
  env: "# mine – äöü 文\nGEMINI_API_KEY=x\n",
  yaml: "# mine – äöü 文\nmodel:\n    default: 'gpt-5.4'   # quoted\nplugins:\n    enabled:\n    - other\n",
  yml: "# mine – äöü 文\n- id: llm-deepseek\n  config: {maxTokens: 4000}   # short\n",
};

const FORMS: Readonly<Record<string, (text: string) => string>> = {
  "as usual": (text) => text,
  "with lines of Windows": (text) => text.replaceAll("\n", "\r\n"),
  "without a last line end": (text) => text.trimEnd(),
  "behind a byte order mark": (text) => `\uFEFF${text}`,
  empty: () => "",
};

interface Setup {
  readonly words: readonly string[];
  readonly client: ClientFile;
}

const SETUPS: readonly Setup[] = [
  ...Object.entries(CLIENT_FILES).map(([name, client]) => ({ words: [name], client })),
  ...Object.entries(HOST_FILES).map(([name, client]) => ({
    words: name in CLIENT_FILES ? [name, "--inside"] : [name],
    client,
  })),
];

/** Every file, folder and link below, with its bytes or target and its mode. */
function treeOf(root: string, folder = root): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    const mode = (lstatSync(path).mode & 0o777).toString(8);
    const name = `${relative(root, path)} ${mode}`;
    if (entry.isDirectory()) return [name, ...treeOf(root, path)];
    return [entry.isSymbolicLink() ? `${name} -> ${readlinkSync(path)}` : `${name} ${readFileSync(path, "base64")}`];
  });
}

function home() {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const environment = { HOME: join(folder.path, "home"), XDG_STATE_HOME: join(folder.path, "state") };
  mkdirSync(environment.HOME);
  const setup = (...words: readonly string[]) =>
    precisHere(["setup", ...words, "--yes"], { folder: environment.HOME, environment });
  return { path: environment.HOME, setup, folder: folder.path };
}

const settingsPath = (client: ClientFile, path: string): string =>
  client.path({ environment: { HOME: path }, folder: path } as never);

describe.each(SETUPS)("precis setup $words", ({ words, client }) => {
  it.each(Object.entries(FORMS))("leaves the home as it was, with settings %s", async (_, form) => {
    const { path, setup } = home();
    const file = settingsPath(client, path);
    const own = OWN[file.split(".").at(-1)!]!;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, form(own));
    chmodSync(file, 0o644);
    const before = treeOf(path);
    expect(await setup(...words)).toMatchObject({ code: 0, err: "" });
    expect(treeOf(path)).not.toEqual(before);
    expect(await setup(...words, "--undo")).toMatchObject({ code: 0, err: "" });
    expect(treeOf(path)).toEqual(before);
  });

  it("leaves the home as it was, without settings, and with settings that are linked from elsewhere", async () => {
    const { path, setup, folder } = home();
    const file = settingsPath(client, path);
    expect(treeOf(path)).toEqual([]);
    await setup(...words);
    await setup(...words, "--undo");
    expect(treeOf(path)).toEqual([]);
    const target = join(folder, "dotfile");
    writeFileSync(target, OWN[file.split(".").at(-1)!]!);
    mkdirSync(dirname(file), { recursive: true });
    symlinkSync(target, file);
    const before = [treeOf(path), readFileSync(target, "utf8")];
    await setup(...words);
    await setup(...words, "--undo");
    expect([treeOf(path), readFileSync(target, "utf8")]).toEqual(before);
  });

  it("is taken back, and done again, where somebody has deleted the settings since", async () => {
    const { path, setup } = home();
    const file = settingsPath(client, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, OWN[file.split(".").at(-1)!]!);
    await setup(...words);
    rmSync(file);
    expect(await setup(...words)).toMatchObject({ code: 0, err: "" });
    expect(existsSync(file)).toBe(true);
    rmSync(file);
    expect(await setup(...words, "--undo")).toMatchObject({ code: 0, err: "" });
    expect(existsSync(file)).toBe(false);
  });

  it("does not touch settings that it cannot write as they were", async () => {
    const { path, setup } = home();
    const file = settingsPath(client, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, Buffer.from("# caf\u00E9\n", "latin1"));
    const before = treeOf(path);
    expect(await setup(...words)).toMatchObject({ code: 3, err: expect.stringContaining("Save it as UTF-8") });
    expect(treeOf(path)).toEqual(before);
  });
});

describe("what Claude Code notes once it has loaded precis", () => {
  const marketplace = (name: string) => ({ [name]: { source: { source: "directory", path: `/x/${name}` } } });
  const plugin = (name: string) => ({ [`${name}@${name}`]: [{ scope: "user", installPath: `/x/${name}` }] });
  const noted = (...names: readonly string[]) => ({
    "known_marketplaces.json": JSON.stringify(Object.assign({}, ...names.map(marketplace)), undefined, 2),
    "installed_plugins.json": JSON.stringify(
      { version: 2, plugins: Object.assign({}, ...names.map(plugin)) as object },
      undefined,
      2,
    ),
  });

  function claude(...names: readonly string[]) {
    const { path, setup } = home();
    const folder = join(path, ".claude/plugins");
    const note = (...now: readonly string[]): void => {
      mkdirSync(folder, { recursive: true });
      for (const [file, text] of Object.entries(noted(...now))) writeFileSync(join(folder, file), text);
    };
    const read = () =>
      Object.fromEntries(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), "utf8")]));
    if (names.length > 0) note(...names);
    return { path, setup, note, read };
  }

  it.each([[[]], [["other"]], [["other", "precis"]]])("is as before the setup, with %j in it before", async (names) => {
    const { path, setup, note } = claude(...names);
    mkdirSync(join(path, ".claude"), { recursive: true });
    const before = treeOf(path);
    await setup("claude", "--inside");
    note(...new Set([...names, "precis"]));
    const { out } = await setup("claude", "--inside", "--undo");
    expect(out.includes("installed_plugins.json")).toBe(!names.includes("precis"));
    expect(treeOf(path).filter((line) => !line.startsWith(".claude/plugins 755"))).toEqual(
      before.filter((line) => !line.startsWith(".claude/plugins 755")),
    );
  });

  it("keeps what was noted of others since", async () => {
    const { setup, note, read } = claude("other");
    await setup("claude", "--inside");
    note("other", "precis", "third");
    await setup("claude", "--inside", "--undo");
    expect(read()).toEqual(noted("other", "third"));
  });
});
