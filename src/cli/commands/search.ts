/** `precis search`: words to where they were said, in every conversation that was kept and in everything that was removed. */
import type { Found } from "../../gateway/history/contract.ts";
import { wholeOf } from "../amounts.ts";
import { clip, columnWidths, padEnd } from "../bars.ts";
import type { Command } from "../command.ts";
import { EXIT } from "../exit.ts";
import { HISTORY_ARGS, noSessions, withHistory } from "../history.ts";
import { around } from "../hits.ts";
import { shortIds } from "../sessions-page.ts";
import type { Stream } from "../terminal.ts";

const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 1_000;
const PLACE_COLUMNS_MAX = 28;
const LINE_COLUMNS_MIN = 20;

export const searchCommand: Command = {
  name: "search",
  summary: "Search every message that was kept, and everything that compactions removed.",
  about: [
    "Finds words, parts of camelCase and snake_case names, and any piece of Chinese, Japanese or Korean; a hit holds each word of the query. Messages are listed with their session, number and role, removed originals with the id that `precis recall` takes; both newest first, with the line that holds the words, secrets masked. Exits with 1 when there is nothing.",
  ],
  examples: [
    { line: "precis search 'connection refused'", says: "in all sessions" },
    { line: "precis search 端口 --session 3fa94c21", says: "in one" },
    { line: "precis search ECONNREFUSED --limit 5 --json | jq -r '.[].line'", says: "for a script" },
  ],
  args: {
    words: {
      type: "positional",
      valueHint: "QUERY",
      description: "Words; a hit holds all of them, whatever the case.",
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
      else if (found.length > 0) await terminal.out.say(listed(found, words, terminal.out));
      else {
        const empty = (await history.list(tenant, 1)).length === 0;
        const why = empty ? `; there is ${await noSessions(opened)}` : "";
        await terminal.err.say(`${terminal.err.paint("warn", "nothing")} holds "${clip(words, 60)}"${why}\n`);
      }
      return found.length === 0 ? EXIT.failed : EXIT.done;
    }),
};

function listed(found: readonly Found[], query: string, { paint, columns }: Stream): string {
  const ids = shortIds(found.map((one) => (one.kind === "message" ? one.session : one.id)));
  const places = found.map((one, at) => [
    clip(ids[at]!, PLACE_COLUMNS_MAX),
    one.kind === "message" ? `${one.number} ${one.role}` : clip(one.label, PLACE_COLUMNS_MAX),
  ]);
  const [left = 0, middle = 0] = columnWidths(places);
  const lines = found.map(({ line }, at) => {
    const [id = "", place = ""] = places[at]!;
    const room = Math.max(LINE_COLUMNS_MIN, columns - left - middle - 4);
    return `${paint("accent", padEnd(id, left))}  ${padEnd(place, middle)}  ${paint("dim", around(line, query, room))}`;
  });
  return `${lines.join("\n")}\n`;
}
