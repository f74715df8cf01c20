/** `precis search`: words to where they were said, in every conversation that was kept and in everything that was removed. */
import type { FoundOriginal } from "../../gateway/history/contract.ts";
import { wholeOf } from "../amounts.ts";
import { clip } from "../bars.ts";
import type { Command } from "../command.ts";
import { EXIT } from "../exit.ts";
import { HISTORY_ARGS, noSessions, withHistory } from "../history.ts";
import { listed, type HitShown } from "../hits.ts";
import { shortIds } from "../sessions-page.ts";

const LIMIT_DEFAULT = 10;
const LIMIT_MAX = 1_000;

export const searchCommand: Command = {
  name: "search",
  summary: "Search all kept messages, and everything that compactions removed.",
  about: [
    "Finds English words in any form, parts of camelCase and snake_case names and of paths, and any text in Chinese, Japanese or Korean. Passages with every word come first, then those with most of them, with about 300 characters of context and secrets masked. Each hit has the id of its session or original and the number of the message; `precis recall` takes both. Exits with 1 if nothing was found.",
  ],
  examples: [
    { line: "precis search 'connection refused'", says: "in all sessions" },
    { line: "precis search 端口 --session 3fa94c21", says: "in one" },
    { line: "precis search ECONNREFUSED --limit 5 --json | jq -r '.[].text'", says: "for a script" },
  ],
  args: {
    words: {
      type: "positional",
      valueHint: "QUERY",
      description: "Words, whatever the case.",
    },
    session: { type: "string", valueHint: "ID", description: "Only in this session." },
    limit: { type: "string", valueHint: "N", description: `Maximum number of hits; ${LIMIT_DEFAULT} by default.` },
    ...HISTORY_ARGS,
    json: { type: "boolean", description: "Print a list of hits." },
  },
  run: (args, terminal) =>
    withHistory(args, terminal, { readOnly: true }, async (opened) => {
      const { history, tenant } = opened;
      const words = args.text("words")!;
      const session = args.text("session");
      const limit = wholeOf(args.text("limit") ?? String(LIMIT_DEFAULT), "--limit", LIMIT_MAX);
      const found = await history.search({ tenant, words, limit, ...(session === undefined ? {} : { session }) });
      if (args.is("json")) await terminal.out.write(`${JSON.stringify(found, null, 2)}\n`);
      else if (found.length > 0) await terminal.out.say(listed(shown(found), terminal.out));
      else {
        const empty = (await history.list(tenant, 1)).length === 0;
        const why = empty ? `; there is ${await noSessions(opened)}` : "";
        await terminal.err.say(`${terminal.err.paint("warn", "nothing")} holds "${clip(words, 60)}"${why}\n`);
      }
      return found.length === 0 ? EXIT.failed : EXIT.done;
    }),
};

function shown(found: readonly FoundOriginal[]): readonly HitShown[] {
  const ids = shortIds(found.map((one) => (one.kind === "message" ? one.session : one.id)));
  return found.map((one, at) => ({ ...one, id: ids[at]! }));
}
