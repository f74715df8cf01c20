/** A request's steps are the same in docs/architecture.md, in the file that calls them, and in the folder that holds them. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const FOLDER = join(ROOT, "src/gateway/request");
const STEP_LINES_MAX = 200;

/** The files that the steps of the document's list lead to. */
function documentedSteps(): readonly string[] {
  const page = readFileSync(join(ROOT, "docs/architecture.md"), "utf8");
  const section = page.split("### A request through the gateway")[1]!.split("\n### ")[0]!;
  return Array.from(section.matchAll(/^\d+\. \[[\w-]+\.ts\]\(\.\.\/(src\/[\w/-]+\.ts)\)/gm), ([, file]) => file!);
}

/** What the pipeline calls, by the file that each function comes from, in the order of the calls. */
function calledSteps(): readonly string[] {
  const text = readFileSync(join(FOLDER, "handle.ts"), "utf8");
  const fileOf = new Map(
    Array.from(text.matchAll(/^import \{ ([^}]+) \} from "\.\/([\w-]+\.ts)";/gm)).flatMap(([, names, file]) =>
      names!.split(", ").map((name) => [name, file!] as const),
    ),
  );
  const pipeline = text.split("function handleModelRequest(")[1]!.split("\n}\n")[0]!;
  const called = Array.from(pipeline.matchAll(/\b(\w+)\(/g), ([, name]) => fileOf.get(name!)).filter(
    (file) => file !== undefined,
  );
  return [...new Set(called)];
}

describe("a request to a model", () => {
  it("is documented in steps, each of which has its file", () => {
    const steps = documentedSteps();
    expect(steps.length).toBeGreaterThan(6);
    expect(steps.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  it("takes the steps that the pipeline calls in the documented order", () => {
    const called = calledSteps();
    const steps = ["receive", "chat-command", "send", "keep", "thread", "respond"];
    expect(called).toEqual(steps.map((step) => `${step}.ts`));
    const documented = documentedSteps();
    const order = called.map((file) => documented.indexOf(`src/gateway/request/${file}`));
    expect(order).toEqual(order.toSorted((one, other) => one - other));
  });

  it("has no step that is longer than a person reads at once", () => {
    const files = readdirSync(FOLDER);
    expect(files.length).toBeGreaterThan(10);
    const lines = (file: string): number => readFileSync(join(FOLDER, file), "utf8").split("\n").length - 1;
    expect(files.filter((file) => lines(file) > STEP_LINES_MAX)).toEqual([]);
  });
});
