/** `precis sessions threshold`: from where on one session is compacted, whatever the configuration says. */
import type { ThresholdResult } from "../../gateway/history/contract.ts";
import { thresholdFrom, thresholdText } from "../../session/threshold.ts";
import { count } from "../amounts.ts";
import type { Command } from "../command.ts";
import { EXIT, usageError } from "../exit.ts";
import { HISTORY_ARGS, SESSION_ARG, sessionNamed, withHistory } from "../history.ts";
import { JSON_ARG, writeJson } from "../json-output.ts";
import { ENGINE_FLAGS } from "../settings-flags.ts";

export const thresholdCommand: Command = {
  name: "sessions threshold",
  summary: "Set from where on one session is compacted.",
  about: [
    "The threshold holds for this session and its branches in every gateway on this store, from the next request on and after a restart, until --remove. A share is one of the window less what is reserved for the answer. A session is compacted at 85 % of that at the latest. `precis sessions show` says what is set.",
    "An undo comes first: after `precis undo`, the threshold holds again once the session is compacted by `precis sessions compact`, or by a request that overflows.",
  ],
  examples: [
    { line: "precis sessions threshold 3fa94c21 60%", says: "a share of the window" },
    { line: "precis sessions threshold 3fa94c21 90k", says: "tokens" },
    { line: "precis sessions threshold 3fa94c21 --remove", says: "as configured again" },
  ],
  args: {
    ...SESSION_ARG,
    threshold: {
      type: "positional",
      required: false,
      valueHint: "N|P%",
      description: "Tokens (at least 1,000), or a share of the window from 5 to 85 %.",
    },
    remove: { type: "boolean", description: "Compact this session as configured again." },
    ...HISTORY_ARGS,
    ...ENGINE_FLAGS,
    ...JSON_ARG,
  },
  run: (args, terminal) => {
    const given = args.text("threshold");
    if ((given === undefined) !== args.is("remove"))
      throw usageError("give either a threshold or --remove", "Write for example `60%` or `90k`.");
    const threshold = given === undefined ? undefined : thresholdFrom(given);
    return withHistory(args, terminal, { readOnly: false, compacts: true }, async (opened) => {
      const result = await opened.history.setThreshold(sessionNamed(args, opened), threshold);
      if (args.is("json")) await writeJson(terminal, result);
      else await terminal.out.say(`${resultText(result)}\n`);
      return EXIT.done;
    });
  },
};

function resultText({ session, set, thresholdTokens, undone }: ThresholdResult): string {
  const from = set === undefined ? "as configured" : `set to ${thresholdText(set)}`;
  const line = `compacted at ${count(thresholdTokens)} tokens, ${from}`;
  if (undone !== true) return line;
  return [
    line,
    "This does not hold yet, because the newest compaction was undone: nothing is compacted until a request overflows.",
    `To compact now, and automatically from then on, run \`precis sessions compact ${session}\`.`,
  ].join("\n");
}
