/** `search`: words to the places that hold them, each with the lines around it, so that one call often is enough. */
import { oneLine, type Answer } from "../../core/recall/pages.ts";
import type { ToolContext, Hit } from "./contract.ts";
import { sessionOf } from "./scope.ts";

export interface SearchArguments {
  readonly words: string;
  readonly session?: string | undefined;
  readonly hits?: number | undefined;
}

const LABEL_CHARS_MAX = 100;

export async function search(context: ToolContext, { words, session, hits }: SearchArguments): Promise<Answer> {
  const { archive, tenant, limits } = context;
  // One session is all that may be seen, or the one that was asked for.
  const only =
    session === undefined && context.session === undefined ? undefined : (await sessionOf(context, session)).id;
  const scope = only === undefined ? {} : { session: only };
  const found = await archive.search({ tenant, words, limit: hits ?? limits.hits, ...scope });
  const name = JSON.stringify(oneLine(words, LABEL_CHARS_MAX));
  if (found.length === 0)
    return { head: `Nothing contains ${name}. Try fewer or other words.`, body: [], rest: () => "" };
  const body = found.map((hit) => `── ${titleOf(hit)}${withoutWords(hit)}\n${hit.text}`);
  return {
    head: "",
    body,
    rest: (shown) => {
      const left = body.length - shown;
      return left === 0 ? "" : `(${left} more did not fit: ask for more tokens, or use other words)`;
    },
  };
}

function titleOf(hit: Hit): string {
  const message = hit.number === undefined ? "" : `, message ${hit.number}, ${hit.role}`;
  if (hit.kind === "message")
    return `session ${hit.session}${message}${hit.recall === undefined ? "" : `, in ${hit.recall}`}`;
  return message === "" ? `${hit.id} (${oneLine(hit.label, LABEL_CHARS_MAX)})` : `${hit.id}${message}`;
}

function withoutWords({ missing }: Hit): string {
  return missing.length === 0 ? "" : `, without ${missing.join(", ")}`;
}
