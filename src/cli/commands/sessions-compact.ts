/** `precis sessions compact`: what the next request of a session goes out without. */
import type { CompactResult } from "../../gateway/history/contract.ts";
import { budgetOf } from "../amounts.ts";
import type { Arguments, Command } from "../command.ts";
import { compactionPage, unchangedPage } from "../compaction-page.ts";
import { EXIT, usageError, type ExitCode } from "../exit.ts";
import { HISTORY_ARGS, SESSION_ARG, sessionNamed, withHistory } from "../history.ts";
import { JSON_ARG, writeJson } from "../json-output.ts";
import { whileWaiting } from "../progress.ts";
import { ENGINE_FLAGS } from "../settings-flags.ts";
import type { Terminal } from "../terminal.ts";

export const compactCommand: Command = {
  name: "sessions compact",
  summary: "Compact a session now, so that its next request is shorter.",
  about: [
    "Records a compaction of the session, like a running gateway does. The next request of that conversation uses it, in any gateway on this store. It also cancels an undo.",
    "The gateway keeps neither system prompts nor tools, so they are not counted here.",
  ],
  examples: [
    { line: "precis sessions compact 3fa94c21", says: "before lunch, so that nobody waits for it later" },
    {
      line: "precis sessions compact 3fa94c21 --focus 'the failing migration'",
      says: "give most of the handoff to one topic",
    },
    { line: "precis sessions compact 3fa94c21 --messages 12-30", says: "only the results in one range" },
  ],
  args: {
    ...SESSION_ARG,
    focus: { type: "string", valueHint: "TOPIC", description: "Give this topic 60 to 70 % of the handoff." },
    budget: {
      type: "string",
      valueHint: "N|P%",
      description: "Size of the result, in tokens or as a share of the session; by the settings where not given.",
    },
    messages: {
      type: "string",
      valueHint: "N-M",
      description: "Only these messages: their results become digests, and nothing else changes.",
    },
    ...HISTORY_ARGS,
    ...ENGINE_FLAGS,
    ...JSON_ARG,
  },
  run: (args, terminal) =>
    withHistory(args, terminal, { readOnly: false, compacts: true }, async (opened) => {
      const [focus, budget, messages] = [args.text("focus"), args.text("budget"), args.text("messages")];
      if (messages !== undefined && (focus ?? budget) !== undefined)
        throw usageError("--messages excludes --focus and --budget", "Compact the range, or the whole session.");
      const work = opened.history.compact(sessionNamed(args, opened), {
        ...(messages === undefined ? {} : { messages }),
        ...(focus === undefined ? {} : { focus }),
        ...(budget === undefined ? {} : { budget: (whole) => budgetOf(budget, whole) }),
      });
      const result = await whileWaiting(terminal.err, () => "compacting", work);
      return writeResult(args, terminal, result, budget === undefined && messages === undefined ? NEXT : undefined);
    }),
};

export async function writeResult(
  args: Arguments,
  terminal: Terminal,
  result: CompactResult,
  next: string | undefined,
): Promise<ExitCode> {
  const { out } = terminal;
  if (args.is("json")) await writeJson(terminal, result);
  else if (result.kind === "compacted")
    await out.say(compactionPage(result.report, "`precis recall ID` prints the original", out));
  else await out.say(unchangedPage({ irreducible: undefined, next, ...result }, out));
  const irreducible = result.kind === "compacted" ? result.report.irreducible : result.irreducible;
  return irreducible === undefined ? EXIT.done : EXIT.irreducible;
}

const NEXT = "`--budget 20%` sets the size of the result; `--context-length` says how large the window is";
