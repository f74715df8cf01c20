/** Files read again below one folder: whatever names them, nothing outside of it is read. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readFilesIn } from "../../src/session/read-files.ts";

let home: string;
let folder: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "precis-files-"));
  folder = join(home, "shop");
  for (const name of ["shop/src", "shop-backup", "elsewhere"]) mkdirSync(join(home, name), { recursive: true });
  for (const name of ["shop/src/a.ts", "shop-backup/a.ts", "elsewhere/secret.txt"])
    writeFileSync(join(home, name), `text of ${name}`);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

it("reads what stands below it, by relative and absolute paths and by links within", async () => {
  symlinkSync("src", join(folder, "link"));
  symlinkSync(folder, join(home, "linked-shop"));
  const paths = [
    "src/a.ts",
    "./src/../src/a.ts",
    join(folder, "src/a.ts"),
    "link/a.ts",
    join(home, "linked-shop/src/a.ts"),
  ];
  for (const reader of [readFilesIn(folder), readFilesIn(join(home, "linked-shop"))])
    for (const path of paths) expect([path, await reader(path)]).toEqual([path, "text of shop/src/a.ts"]);
});

it("reads nothing outside of it", async () => {
  symlinkSync("../elsewhere/secret.txt", join(folder, "file-link"));
  symlinkSync("../elsewhere", join(folder, "folder-link"));
  symlinkSync("/", join(folder, "root-link"));
  const secret = join(home, "elsewhere/secret.txt");
  const paths = [
    "../elsewhere/secret.txt",
    "src/../../elsewhere/secret.txt",
    secret,
    "file-link",
    "folder-link/secret.txt",
  ];
  const more = [
    `root-link${secret}`,
    join(home, "shop-backup/a.ts"),
    "../shop-backup/a.ts",
    ".",
    "..",
    "",
    "src",
    "\0",
  ];
  const reader = readFilesIn(folder);
  for (const path of [...paths, ...more]) expect([path, await reader(path)]).toEqual([path, undefined]);
});

it("reads text files of a bounded size only, and waits for no pipe", async () => {
  writeFileSync(join(folder, "large"), "x".repeat(1024 * 1024 + 1));
  writeFileSync(join(folder, "largest"), "x".repeat(1024 * 1024));
  writeFileSync(join(folder, "binary"), "a\0b");
  writeFileSync(join(folder, "latin"), Buffer.from([0x63, 0xe9]));
  execFileSync("sh", ["-c", `mkfifo "$0"`, join(folder, "pipe")]);
  const reader = readFilesIn(folder);
  for (const path of ["large", "binary", "latin", "pipe", "missing"])
    expect([path, await reader(path)]).toEqual([path, undefined]);
  expect(await reader("largest")).toHaveLength(1024 * 1024);
});

it.each(["missing", "shop/src/a.ts"])("says so where the folder is none: %s", (name) => {
  expect(() => readFilesIn(join(home, name))).toThrow(expect.objectContaining({ code: "bad_folder" }));
});
