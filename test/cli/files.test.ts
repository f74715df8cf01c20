/** `precis compact` with the folder that an agent worked in: what it read last is put back as it is now, and changes are marked. */
import { mkdirSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { chatMessages, precis, precisHere, temporaryFolder, type Folder } from "./precis.ts";

const TOKEN = `ghp_${"a1B2c3D4e5F6g7H8i9J0".repeat(2).slice(0, 36)}`;
/** What fills the tail, so that no file stands in it. */
const EXPLAINED = Array.from({ length: 2_500 }, (_, at) => `reason${at % 97}`).join(" ");
const MESSAGES = [
  ...chatMessages({ turns: 40, lines: 20 }),
  { role: "assistant", content: EXPLAINED },
  { role: "user", content: "Go on." },
];

let folder: Folder;
beforeEach(() => {
  folder = temporaryFolder();
  folder.write("session.json", JSON.stringify(MESSAGES));
  mkdirSync(join(folder.path, "shop/src"), { recursive: true });
  for (const { role, content, tool_call_id: id } of MESSAGES)
    if (role === "tool")
      writeFileSync(join(folder.path, `shop/src/part${String(id).slice(5)}.ts`), `${String(content)}\n`);
});
afterEach(() => folder.remove());

const WORDS = [
  "compact",
  "session.json",
  "--engine",
  "layered",
  "--force",
  "--context-length",
  "40k",
  "--out",
  "out.json",
];
const put = (): string => readFileSync(join(folder.path, "out.json"), "utf8");
const titles = (): readonly string[] =>
  [...put().matchAll(/## (src\/part\d+\.ts, [^\\]+)/g)].map(([, title = ""]) => title);

it("puts the five read last back, marks what changed, and reads nothing outside", async () => {
  await precis([...WORDS, "--files", "shop"], { folder: folder.path });
  const five = titles();
  expect(five).toHaveLength(5);
  expect(new Set(five.map((title) => title.replace(/^\S+ /, "")))).toEqual(new Set(["read again just now"]));
  const [changed, outside] = five.map((title) => title.split(",")[0]!);
  writeFileSync(join(folder.path, "shop", changed!), `the new text of it\nconst token = "${TOKEN}";\n`);
  folder.write("outside.txt", "not for the model");
  unlinkSync(join(folder.path, "shop", outside!));
  symlinkSync(join(folder.path, "outside.txt"), join(folder.path, "shop", outside!));
  const { code } = await precis([...WORDS, "--files", "shop"], { folder: folder.path });
  expect(code).toBe(0);
  expect(titles()).toContain(`${changed}, read again just now: changed since it was last read`);
  expect(titles()).toContain(`${outside}, as it was last read`);
  expect(put()).toContain("the new text of it");
  expect(put()).not.toContain("not for the model");
  expect(put()).not.toContain(TOKEN);
});

it("reads no file where no folder is named", async () => {
  await precisHere(WORDS, { folder: folder.path });
  expect(new Set(titles().map((title) => title.replace(/^\S+ /, "")))).toEqual(new Set(["as it was last read"]));
});

it("refuses what is no folder, a relative path in a file, and a gateway that others reach", async () => {
  const here = (...words: string[]) => precisHere(words, { folder: folder.path });
  expect(await here(...WORDS, "--files", "missing")).toMatchObject({
    code: 2,
    err: expect.stringContaining("missing") as string,
  });
  expect(await here(...WORDS, "--set", "context.files_folder=shop")).toMatchObject({ code: 2 });
  const files = `context.files_folder=${folder.path}`;
  const open = await here("serve", "--host", "0.0.0.0", "--set", "gateway.token_env=TOKEN", "--set", files);
  expect(open).toMatchObject({ code: 2, err: expect.stringContaining("context.files_folder") as string });
  expect((await here("config", "check", "--set", files)).out).toMatch(/context\.files_folder[^]*does not use it/);
});
