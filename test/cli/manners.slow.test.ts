/** What the reports of the evaluation say of themselves, where every engine or a whole example is measured for them. */
import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EXIT } from "../../src/cli/program/exit.ts";
import { ENGINE_NAMES } from "../../src/core/engines/names.ts";
import { LEGEND } from "../../eval/src/measure/report.ts";
import { BASELINES } from "../../eval/src/recall/baselines.ts";
import { chatMessages, precisHere, temporaryFolder, type Folder, type Ran } from "./precis.ts";

const EXAMPLE = resolve(import.meta.dirname, "../../examples/refunds.openai-chat.json");

let folder: Folder;
beforeAll(() => {
  folder = temporaryFolder();
  folder.write("chat.json", JSON.stringify({ model: "gpt-5.4", messages: chatMessages() }));
});
afterAll(() => folder.remove());

const run = (...words: string[]): Promise<Ran> => precisHere(words, { folder: folder.path });

describe("eval", () => {
  it("explains every head and every baseline of its tables", async () => {
    const { out } = await run("precis-eval", "measure", EXAMPLE, "--engines", "none", "--budgets", "10");
    const legend = out.slice(out.indexOf("Terms"));
    const heads = ["kept", "bound", "interval", "held", "unaided", "recallable", ...BASELINES];
    for (const head of heads) {
      expect(out.slice(0, out.indexOf("Terms"))).toContain(head);
      expect(legend).toMatch(new RegExp(`^  ${head} +\\S`, "m"));
    }
    expect(LEGEND.map(([name]) => name).toSorted()).toEqual(heads.toSorted());
  });

  it("replays all engines", async () => {
    const { code, out } = await run(
      "precis-eval",
      "replay",
      "chat.json",
      "--engines",
      "all",
      "--json",
      "--context-length",
      "16k",
    );
    expect(code).toBe(EXIT.done);
    const { runs } = JSON.parse(out) as { runs: readonly { strategy: { compaction?: { engine: string } } }[] };
    const engines = new Set(runs.flatMap(({ strategy: { compaction } }) => compaction?.engine ?? []));
    expect([...engines].toSorted()).toEqual([...ENGINE_NAMES].toSorted());
  });
});
