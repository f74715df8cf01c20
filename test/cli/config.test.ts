/** `precis config`: a file that means the defaults, figures that follow, errors with their place. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { precisHere, temporaryFolder, type Folder, type Ran } from "./precis.ts";

let folder: Folder;
beforeEach(() => (folder = temporaryFolder()));
afterEach(() => folder.remove());

const config = (...words: string[]): Promise<Ran> => precisHere(["config", ...words], { folder: folder.path });

interface Checked {
  readonly files: readonly { kind: string; path: string }[];
  readonly settings: Readonly<Record<string, { value: unknown; kind: string; place: string }>>;
  readonly computed: Readonly<Record<string, { tokens: number; from: readonly string[] }>>;
  readonly warnings: readonly { code: string }[];
  readonly errors: readonly { place: string; fix: string }[];
}

describe("config init", () => {
  it("writes a commented file that changes nothing, and does not replace one", async () => {
    const before = await config("check", "--json");
    const { code, out, err } = await config("init");
    expect([code, out]).toEqual([0, ""]);
    expect(err).toContain("precis.yaml");
    const file = join(folder.path, "precis.yaml");
    const written = readFileSync(file, "utf8");
    expect(written).toMatch(/^ {2}# threshold: 0\.5$/m);
    const after = JSON.parse((await config("check", "--json")).out) as Checked;
    expect(after.settings).toEqual((JSON.parse(before.out) as Checked).settings);
    expect(after.files).toEqual([{ path: file, kind: "project" }]);

    folder.write("precis.yaml", "model: { context_length: 64000 }");
    const again = await config("init");
    expect([again.code, again.err]).toEqual([2, expect.stringContaining("--force") as string]);
    expect(readFileSync(file, "utf8")).toContain("64000");
    expect((await config("init", "--force")).code).toBe(0);
    expect(readFileSync(file, "utf8")).toBe(written);
    expect(statSync(file).mode & 0o111).toBe(0);
  });

  it("writes a person's own file where asked", async () => {
    expect((await config("init", "--user")).code).toBe(0);
    expect(existsSync(join(folder.path, ".config/precis/config.yaml"))).toBe(true);
  });
});

describe("config check", () => {
  it("shows figures, a picture, places and warnings, and exits with 0", async () => {
    folder.write("precis.yaml", "compression:\n  threshold: 0.19\n");
    const { code, out, err } = await config("check", "--context-length", "64k");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/threshold +12,160 +█+/);
    expect(out).toMatch(/compression\.threshold +0\.19 +precis\.yaml:2:14/);
    expect(out).toMatch(/model\.context_length +64000 +--context-length/);
    expect(out).toContain("! compression.threshold: 0.19 compacts every few turns");
  });

  it("gives the same as JSON", async () => {
    const { out } = await config(
      "check",
      "--json",
      "--set",
      "compression.target_ratio=0.6",
      "--set",
      "model.context_length=200000",
    );
    const checked = JSON.parse(out) as Checked;
    expect(checked.settings["compression.target_ratio"]).toEqual({ value: 0.6, kind: "flag", place: "--set" });
    expect(checked.computed["tail"]).toMatchObject({
      tokens: 60_000,
      from: expect.arrayContaining(["compression.target_ratio"]) as string[],
    });
    expect(checked.warnings.map(({ code }) => code)).toEqual(["no_room"]);
    expect(checked.errors).toEqual([]);
  });

  it("exits with 2 over a wrong value, with its place, the range and the fix", async () => {
    folder.write("precis.yaml", "# mine\ncompression:\n  threshold: 50\n");
    const { code, out, err } = await config("check");
    expect([code, out]).toEqual([2, ""]);
    expect(err).toBe(
      [
        "precis: `compression.threshold` is 50; expected a number from 0 to 1",
        "  at    precis.yaml:3:14",
        "  next  Write `threshold: 0.5`.",
        "",
      ].join("\n"),
    );
    const json = await config("check", "--json");
    expect([json.code, (JSON.parse(json.out) as Checked).errors]).toEqual([
      2,
      [expect.objectContaining({ place: "precis.yaml:3:14" })],
    ]);
  });
});

describe("config init --schema", () => {
  it("prints a JSON Schema", async () => {
    const { code, out, err } = await config("init", "--schema");
    expect([code, err]).toEqual([0, ""]);
    expect(JSON.parse(out)).toMatchObject({ type: "object", additionalProperties: false });
  });
});
