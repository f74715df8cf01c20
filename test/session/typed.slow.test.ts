/** The types of the SDKs go through a session and come back as they are, in a strict program that is not ours. */
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

const COMPILER = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");

/** What the compiler says of a program. */
function diagnosticsOf(project: string): string {
  try {
    return execFileSync(process.execPath, [COMPILER, "--project", project, "--pretty", "false"], { encoding: "utf8" });
  } catch (error) {
    return (error as { readonly stdout: string }).stdout;
  }
}

it("bodies, usages and errors of `openai`, `@anthropic-ai/sdk` and `ai` compile, streaming and not", () => {
  expect(diagnosticsOf(join(import.meta.dirname, "typed/tsconfig.json"))).toBe("");
});
