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
  summary: "Search every message that was kept, and everything that compactions removed.",
  about: [
    "Finds words whatever their English ending, parts of camelCase and snake_case names and of paths, and any piece of Chinese, Japanese or Korean. Places that hold every word come first, then those that hold most, each once, with about 300 characters around the words and secrets masked. A hit is named by its session or its recall id and by the number of the message: `precis recall` takes both. Exits with 1 when there is nothing.",
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
    limit: { type: "string", valueHint: "N", description: `At most so many hits; ${LIMIT_DEFAULT} by default.` },
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
