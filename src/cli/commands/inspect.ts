/** `precis inspect`: where the tokens are, and what a compaction would do about it. Changes nothing. */
import { engineLimits } from "../../config/computed.ts";
import { engineSettingsOf } from "../../config/engine-settings.ts";
import { loadConfiguration } from "../../config/load.ts";
import { createMeasure } from "../../core/transcript/measure.ts";
import { count } from "../amounts.ts";
import { censusOf } from "../context-breakdown.ts";
import { censusPage, type DryRun } from "../inspect-page.ts";
import type { Command } from "../command.ts";
import { compactInput, type CompactionOutcome } from "../compaction.ts";
import { headingOf } from "../compaction-page.ts";
import { withEngine } from "../engine.ts";
import { EXIT } from "../exit.ts";
import { imagesOf } from "../images.ts";
import { INPUT_ARGS, inputBytes, readInput } from "../input.ts";
import { isLarge } from "../large-file.ts";
import { giveMemoryBack } from "../lean-memory.ts";
import { withProgress } from "../progress.ts";
import { windowFor } from "../window.ts";
import { CONFIG_FLAGS, configurationRequest, ENGINE_FLAGS } from "../settings-flags.ts";

const BUDGET_DEFAULT = "20%";

export const inspectCommand: Command = {
  name: "inspect",
  summary: "Show where a transcript's tokens are, and what a compaction would do.",
  about: [
    "Tokens by role and by tool, the largest results, duplicate results, and a dry run at the configured window and at a budget.",
  ],
  examples: [
    { line: "precis inspect session.jsonl", says: "show what fills the window" },
    { line: "precis inspect session.jsonl --context-length 64k --budget 10%", says: "try another window" },
  ],
  args: {
    ...INPUT_ARGS,
    budget: {
      type: "string",
      valueHint: "N|P%",
      description: `The budget of the second dry run; ${BUDGET_DEFAULT} by default.`,
    },
    json: { type: "boolean", description: "Print JSON." },
    ...ENGINE_FLAGS,
    ...CONFIG_FLAGS,
  },
  run: async (args, terminal) => {
    const configuration = await loadConfiguration(configurationRequest(args, terminal));
    const budget = args.text("budget") ?? BUDGET_DEFAULT;
    const { input, census, atWindow, atBudget } = await withProgress(terminal.err, async (progress) => {
      progress.expect(inputBytes(args, terminal));
      await progress.stage("reading", 0);
      const read = await readInput(args, terminal);
      progress.expect(read.chars);
      await progress.stage("counting", 0.2);
      const counts = censusOf(read.transcript, createMeasure(imagesOf(read.transcript, configuration)));
      await progress.stage("trying a compaction", 0.4);
      return withEngine(configuration, terminal, async (engine) => {
        const first = dryRun("at this window", await compactInput(read, configuration, { force: true, engine }));
        if (isLarge(read.chars)) giveMemoryBack();
        await progress.stage("trying another", 0.7);
        const second = dryRun(`at ${budget}`, await compactInput(read, configuration, { force: true, engine, budget }));
        return { input: read, census: counts, atWindow: first, atBudget: second };
      });
    });
    const dryRuns = [atWindow, atBudget];
    const { name, format, protocol, notes, transcript } = input;
    const window = windowFor(args, configuration, transcript.model);
    const { usableTokens, thresholdTokens } = engineLimits(
      configuration.context.engine,
      engineSettingsOf(configuration, transcript.model),
      createMeasure().transcript({ ...transcript, messages: [] }),
    );
    const heading = headingOf({ name, format, to: protocol, notes }, terminal.out).join("\n");
    if (args.is("json")) {
      const figures = { format, protocol, ...census, window, usableTokens, thresholdTokens, dryRuns, notes };
      await terminal.out.write(`${JSON.stringify(figures, null, 2)}\n`);
    } else {
      const page = censusPage(census, { window, usableTokens, thresholdTokens }, dryRuns, terminal.out);
      await terminal.out.say(`${heading}\n${page}\n`);
    }
    return EXIT.done;
  },
};

function dryRun(name: string, result: CompactionOutcome): DryRun {
  if (result.kind === "unchanged") return { name, before: result.before, after: result.before, says: result.because };
  const { tokens, messages, irreducible } = result.compaction.report;
  const kept = `${count(messages.kept)} kept, ${count(messages.summarised)} summarised`;
  return { name, ...tokens, says: irreducible === undefined ? kept : `irreducible, ${kept}` };
}
