/** A handoff as a document, or what it changed against the one before it; every citation leads to its messages. */
import { diffLines } from "diff";
import { useMemo, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import type { CompactionView } from "../../src/session/history.ts";
import { get, sessionPath, type SessionRef } from "../api.ts";
import { counted } from "../format.ts";
import { Empty, Loaded } from "../parts/states.tsx";
import { useResource } from "../resource.ts";
import { sessionHref } from "../route.ts";
import { chosenNumber, NoCompaction, Numbers } from "./compactions.tsx";
import { RecallLink } from "./original.tsx";
import type { TabProps } from "./session.tsx";

export function HandoffTab({ session, shown, number }: TabProps) {
  const chosen = chosenNumber(shown.history.length, number);
  const [mode, setMode] = useState<"document" | "changes">("document");
  const id = `${session.tenant}/${session.id} ${chosen} ${shown.history[chosen - 1]?.createdAt ?? ""}`;
  const texts = useResource(id, async (signal) => {
    const read = (of: number): Promise<CompactionView> =>
      get(sessionPath(session, `/compactions/${of}`, { from: "1", count: "1" }), signal);
    const [current, previous] = await Promise.all([read(chosen), chosen > 1 ? read(chosen - 1) : undefined]);
    return { current: current.handoff, previous: previous?.handoff };
  });
  if (chosen === 0) return <NoCompaction session={session} />;
  return (
    <>
      <div class="bar-row">
        <Numbers session={session} total={shown.history.length} chosen={chosen} tab="handoff" />
        <p class="kinds" role="group" aria-label="Show">
          <button type="button" class="chip" aria-pressed={mode === "document"} onClick={() => setMode("document")}>
            document
          </button>
          <button
            type="button"
            class="chip"
            aria-pressed={mode === "changes"}
            disabled={chosen < 2}
            onClick={() => setMode("changes")}
          >
            changes against {chosen < 2 ? "the one before" : `handoff ${chosen - 1}`}
          </button>
        </p>
      </div>
      <Loaded of={texts}>
        {({ current, previous }) =>
          current === undefined ? (
            <Empty title="This compaction wrote no handoff">
              <p>Its engine only shortened results.</p>
            </Empty>
          ) : mode === "changes" && chosen > 1 ? (
            <Changes before={previous ?? ""} after={current} />
          ) : (
            <HandoffDocument text={current} session={session} />
          )
        }
      </Loaded>
    </>
  );
}

export function HandoffDocument({ text, session }: { readonly text: string; readonly session: SessionRef }) {
  const sections = useMemo(() => sectionsOf(text), [text]);
  return (
    <div class="handoff">
      <nav class="contents" aria-label="Sections">
        {sections.map(({ title }, at) => (
          <button
            key={at}
            type="button"
            class="link"
            onClick={() => document.querySelector(`#section-${at}`)?.scrollIntoView({ behavior: "smooth" })}
          >
            {title}
          </button>
        ))}
      </nav>
      <article class="panel document">
        {sections.map(({ title, lines }, at) => (
          <section key={at} id={`section-${at}`}>
            <h2>{title}</h2>
            {lines.map((line, index) => (
              <Line key={index} line={line} session={session} />
            ))}
          </section>
        ))}
      </article>
    </div>
  );
}

interface Section {
  readonly title: string;
  readonly lines: readonly string[];
}

function sectionsOf(text: string): readonly Section[] {
  const sections: { title: string; lines: string[] }[] = [];
  for (const line of text.split("\n")) {
    const heading = /^## (.+)$/.exec(line);
    if (heading !== null) sections.push({ title: heading[1]!, lines: [] });
    else if (sections.length === 0) sections.push({ title: "Opening", lines: [line] });
    else sections.at(-1)!.lines.push(line);
  }
  return sections;
}

function Line({ line, session }: { readonly line: string; readonly session: SessionRef }) {
  if (line.trim() === "") return null;
  const depth = /^(\s+)/.exec(line)?.[1]?.length ?? 0;
  const kind = /^(?:- |\d+\. )/.test(line) ? "item" : depth > 0 ? "item deeper" : "";
  return <p class={kind}>{linked(line.trim(), session)}</p>;
}

/** `[57-59]`, `[12, 15]` and `messages 6-114` cite messages; `r4c6912214` is an original that can be recalled. */
const LINKS =
  /(messages \d{1,6}(?:-\d{1,6})?|\[\d{1,6}(?:-\d{1,6})?(?:, ?\d{1,6}(?:-\d{1,6})?)*\]|\br[0-9a-f]{9}(?:[0-9a-f]{7})?\b|`[^`]+`)/g;

function linked(line: string, session: SessionRef): ComponentChildren {
  return line.split(LINKS).map((piece, at) => {
    if (at % 2 === 0) return piece;
    if (piece.startsWith("`")) return <code key={at}>{piece.slice(1, -1)}</code>;
    if (piece.startsWith("r")) return <RecallLink key={at} tenant={session.tenant} id={piece} />;
    const first = Number(/\d+/.exec(piece)![0]);
    return (
      <a key={at} href={sessionHref(session, "messages", first)}>
        {piece}
      </a>
    );
  });
}

function Changes({ before, after }: { readonly before: string; readonly after: string }) {
  const changes = useMemo(() => diffLines(before, after), [before, after]);
  const count = (kind: "added" | "removed"): number =>
    changes.filter((change) => change[kind]).reduce((sum, change) => sum + (change.count ?? 0), 0);
  return (
    <section class="panel">
      <p class="dim">
        {counted(count("added"), "line")} added, {counted(count("removed"), "line")} removed
      </p>
      <div class="diff" role="region" aria-label="Changes" tabIndex={0}>
        {changes.flatMap((change, at) =>
          linesOf(change.value).map((line, index) => (
            <p key={`${at} ${index}`} class={change.added ? "added" : change.removed ? "removed" : "same"}>
              <span aria-hidden="true">{change.added ? "+" : change.removed ? "−" : " "}</span>
              <span class="hidden">{change.added ? "added: " : change.removed ? "removed: " : ""}</span>
              {line}
            </p>
          )),
        )}
      </div>
    </section>
  );
}

function linesOf(text: string): readonly string[] {
  return text.replace(/\n$/, "").split("\n");
}
