/** Everything that was ever said and removed, by words: each hit with its place, one click from the message. */
import type { FoundOriginal } from "../../src/session/history.ts";
import { get } from "../api.ts";
import { counted, shortId } from "../format.ts";
import { RoleBadge } from "../parts/message.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { useResource } from "../resource.ts";
import { sessionHref } from "../route.ts";
import { RecallLink } from "./original.tsx";

const HITS_MAX = 100;

export function Search({ words }: { readonly words: string }) {
  const found = useResource(words, (signal) =>
    words.trim() === ""
      ? Promise.resolve([])
      : get<readonly FoundOriginal[]>(`/search?limit=${HITS_MAX}&q=${encodeURIComponent(words)}`, signal),
  );
  return (
    <main>
      <h1>Search</h1>
      <Loaded of={found}>
        {(hits) =>
          hits.length === 0 ? (
            <Empty title={words === "" ? "Search everything that was said or removed" : `Nothing holds “${words}”`}>
              <p>
                Messages that are still in a conversation and originals that a compaction removed are both searched.
              </p>
            </Empty>
          ) : (
            <>
              <p class="count" role="status">
                {hits.length === HITS_MAX ? `The best ${HITS_MAX} hits` : counted(hits.length, "hit")} for “{words}”
              </p>
              <ol class="hits">
                {hits.map((hit, at) => (
                  <li key={at}>
                    <Hit hit={hit} words={words} />
                  </li>
                ))}
              </ol>
            </>
          )
        }
      </Loaded>
    </main>
  );
}

function Hit({ hit, words }: { readonly hit: FoundOriginal; readonly words: string }) {
  return (
    <>
      <p class="place">
        {hit.role === undefined ? null : <RoleBadge role={hit.role} />}
        {hit.kind === "message" ? (
          <a href={sessionHref({ tenant: hit.tenant, id: hit.session }, "messages", hit.number)}>
            Message {hit.number} of {shortId(hit.session)}
          </a>
        ) : (
          <span>{hit.label}</span>
        )}
        {hit.kind === "original" ? <RecallLink tenant={hit.tenant} id={hit.id} /> : null}
        {hit.kind === "message" && hit.recall !== undefined ? (
          <>
            <span class="dim">left the context in</span> <RecallLink tenant={hit.tenant} id={hit.recall} />
          </>
        ) : null}
        {hit.missing.length === 0 ? null : <span class="dim">without {hit.missing.join(", ")}</span>}
      </p>
      <p class="excerpt">{marked(hit.text, words)}</p>
    </>
  );
}

function marked(text: string, words: string) {
  const wanted = words
    .split(/\s+/)
    .filter((word) => word.length > 1)
    .map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  if (wanted.length === 0) return text;
  return text
    .split(new RegExp(`(${wanted.join("|")})`, "gi"))
    .map((piece, at) => (at % 2 === 1 ? <mark key={at}>{piece}</mark> : piece));
}
