/** `precis undo`: takes the newest compaction of a session back. */
import { wrapped } from "../screen/text.ts";
import type { CompactionReport } from "../../core/compaction/compaction.ts";
import { change, count } from "../screen/amounts.ts";
import { toggle, type Command } from "../program/command.ts";
import { EXIT } from "../program/exit.ts";
import { HISTORY_ARGS, refuseCopy, SESSION_ARG, sessionNamed, withHistory } from "../store/history.ts";

export const undoCommand: Command = {
  name: "undo",
  summary: "Undo the newest compaction of a session.",
  about: [
    "Its next request is sent as before that compaction, byte for byte; the record is kept and marked as undone. The conversation is then not compacted automatically until a request overflows or you run `precis sessions compact`. Exits with 1 if no compaction is active.",
  ],
  examples: { "precis undo 3fa94c21": "by the id that `precis sessions` lists" },
  args: { ...SESSION_ARG, ...HISTORY_ARGS, json: toggle("Print JSON.") },
  run: (args, terminal) =>
    withHistory(args, terminal, { readOnly: false }, async (opened) => {
      const { out, err } = terminal;
      const session = sessionNamed(args, opened);
      await refuseCopy(
        opened,
        session,
        "Type `/compact undo` in Claude Code: its next request then has the messages again.",
      );
      const result = await opened.history.undo(session);
      if (args.is("json")) await out.put(`${JSON.stringify(result ?? null, null, 2)}\n`);
      else if (result === undefined)
        await err.say(`${err.paint("warn", "nothing to undo:")} no compaction is active for this session\n`);
      else {
        const standing =
          result.standing === undefined
            ? "The next request sends the whole conversation."
            : `The previous compaction (${count(result.standing.tokens.after)} tokens) is active again.`;
        const then = `${standing} The session is not compacted automatically until a request overflows or you run \`precis sessions compact\`.`;
        const masked = opened.masks
          ? wrapped(
              "The client sends the original. The kept copy has its secrets masked, as do recall and export.",
              out.columns,
            )
          : [];
        const lines = [
          `${out.paint("good", "undone")}  ${said(result.undone)}`,
          ...wrapped(then, out.columns),
          ...masked,
        ];
        await out.say(`${lines.join("\n")}\n`);
      }
      return result === undefined ? EXIT.failed : EXIT.done;
    }),
};

function said({ reason, tokens: { before, after } }: CompactionReport): string {
  return `the compaction (${reason}) of ${count(before)} → ${count(after)} tokens (${change(before, after)})`;
}
