/** What was found is kept in a folder, a file a unit of work, so that an evaluation goes on where it was ended. */
import { hash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface Cache {
  /** What is known under the key; otherwise it is made and kept. The key names everything that the value depends on. */
  readonly get: <Value>(key: readonly unknown[], make: () => Promise<Value> | Value) => Promise<Value>;
}

/** Without a folder nothing is kept. `version` is of the code that makes the values. */
export function createCache(folder: string | undefined, version: string): Cache {
  if (folder === undefined) return { get: async (_, make) => make() };
  mkdirSync(folder, { recursive: true });
  return {
    get: async (key, make) => {
      const path = join(folder, `${hash("sha256", JSON.stringify([version, ...key]))}.json`);
      const known = readKept(path);
      if (known !== undefined) return known.value as Awaited<ReturnType<typeof make>>;
      const value = await make();
      const draft = `${path}.${process.pid}.${hash("sha256", path + performance.now()).slice(0, 8)}.tmp`;
      writeFileSync(draft, JSON.stringify({ value }));
      renameSync(draft, path);
      return value;
    },
  };
}

/** Nothing where there is none, or where it cannot be read: it is made again. */
function readKept(path: string): { readonly value: unknown } | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as { value: unknown };
  } catch {
    return undefined;
  }
}

/** What the findings depend on besides their input: the core, the readers of session files, the measure and the evaluation. */
const CODE_FOLDERS = [
  "../../../src/core",
  "../../../src/logs",
  "../../../src/session/outlook",
  "../recall",
  "../measure",
];

/** A hash of the code, so that no figure of an older one is taken for today's. */
export function codeVersion(): string {
  const texts = CODE_FOLDERS.flatMap((name) => {
    const folder = new URL(`${name}/`, import.meta.url);
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => /(?<!\.d)\.[jt]s$/.test(file))
      .toSorted()
      .map((file) => readFileSync(new URL(file, folder), "utf8"));
  });
  return hash("sha256", texts.join("\n"));
}
