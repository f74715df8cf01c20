/** A compaction before and after, side by side: every message linked to what became of it, and its original one click away. */
import { useMemo, useState } from "preact/hooks";
import type { CompactionView, MessageInFull } from "../../src/session/history.ts";
import { get, sessionPath, type SessionRef } from "../api.ts";
import { firstLine, short, whole } from "../format.ts";
import { Parts, RoleBadge } from "../parts/message.tsx";
import { usePages, type Pages } from "../parts/pages.ts";
import { Empty, Loaded } from "../parts/states.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { useResource } from "../resource.ts";
import { RecallLink } from "./original.tsx";

export const COMPARE_PAGE = 100;
const ROW_PX = 40;

type Before = CompactionView["before"][number];
type Became = CompactionView["map"][number];

const NAMES: Readonly<Record<Became["kind"], string>> = {
  kept: "kept",
  edited: "shortened",
  summarised: "in the handoff",
  removed: "removed",
};

const ORIGINS: Readonly<Record<string, string>> = {
  summary: "handoff",
  anchor: "request, repeated",
  note: "note",
  digest: "digest",
  stub: "stub",
};

interface CompareProps {
  readonly session: SessionRef;
  /** The first page. */
  readonly view: CompactionView;
  /** Says which compaction it is. */
  readonly id: string;
  readonly load: (from: number, count: number) => Promise<CompactionView>;
}

type Selected = { readonly side: "before" | "after"; readonly at: number } | undefined;

export function Compare({ session, view, id, load }: CompareProps) {
  const [selected, select] = useState<Selected>();
  const pages = usePages(id, COMPARE_PAGE, async (from, count) => (await load(from + 1, count)).before);
  const { map, after } = view;
  const sources = useMemo(() => sourcesOf(view), [view]);
  const linked = linkedTo(selected, view, sources);
  return (
    <div class="compare">
      <BeforePanel map={map} pages={pages} linked={linked.before} onSelect={(at) => select({ side: "before", at })} />
      <section class="panel">
        <h2>
          After <small>{whole(after.length)} messages</small>
        </h2>
        <p class="kinds dim">Sent instead; the messages after {whole(map.length)} follow unchanged.</p>
        <VirtualList
          label="After the compaction"
          total={after.length}
          rowPx={ROW_PX}
          show={linked.after}
          onOpen={(at) => select({ side: "after", at })}
          row={(at) => (
            <AfterRow
              message={after[at]!}
              linked={linked.after === at}
              sources={sources.get(at)?.length ?? 0}
              onSelect={() => select({ side: "after", at })}
            />
          )}
        />
      </section>
      <Detail session={session} view={view} linked={linked} pages={pages} />
    </div>
  );
}

interface BeforePanelProps {
  readonly map: CompactionView["map"];
  readonly pages: Pages<Before>;
  readonly linked: readonly number[];
  readonly onSelect: (at: number) => void;
}

function BeforePanel({ map, pages, linked, onSelect }: BeforePanelProps) {
  const [only, setOnly] = useState<Became["kind"] | "">("");
  const shown = useMemo(() => map.flatMap(({ kind }, at) => (only === "" || kind === only ? [at] : [])), [map, only]);
  const marked = useMemo(() => new Set(linked), [linked]);
  const [first] = linked;
  return (
    <section class="panel">
      <h2>
        Before <small>{whole(map.length)} messages</small>
      </h2>
      <Kinds map={map} only={only} setOnly={setOnly} />
      {shown.length === 0 ? (
        <Empty title="No such message" />
      ) : (
        <VirtualList
          label="Before the compaction"
          total={shown.length}
          rowPx={ROW_PX}
          show={first === undefined ? undefined : shown.indexOf(first)}
          onSight={(from, end) => pages.want(shown[from] ?? 0, (shown[end - 1] ?? 0) + 1)}
          onOpen={(index) => onSelect(shown[index]!)}
          row={(index) => {
            const at = shown[index]!;
            return (
              <BeforeRow
                at={at}
                pages={pages}
                became={map[at]!}
                linked={marked.has(at)}
                onSelect={() => onSelect(at)}
              />
            );
          }}
        />
      )}
    </section>
  );
}

/** The messages that each message of the result comes from. What the handoff summarises belongs to the handoff. */
function sourcesOf({ map, after }: CompactionView): ReadonlyMap<number, readonly number[]> {
  const handoff = after.findIndex(({ origin }) => origin === "summary");
  const sources = new Map<number, number[]>();
  map.forEach((became, at) => {
    const to = became.kind === "kept" || became.kind === "edited" ? became.at : handoff;
    if (to < 0) return;
    const known = sources.get(to);
    if (known === undefined) sources.set(to, [at]);
    else known.push(at);
  });
  return sources;
}

interface Linked {
  readonly before: readonly number[];
  readonly after: number | undefined;
}

function linkedTo(
  selected: Selected,
  { map, after }: CompactionView,
  sources: ReadonlyMap<number, readonly number[]>,
): Linked {
  if (selected === undefined) return { before: [], after: undefined };
  if (selected.side === "after") return { before: sources.get(selected.at) ?? [], after: selected.at };
  const became = map[selected.at]!;
  const to =
    became.kind === "kept" || became.kind === "edited"
      ? became.at
      : after.findIndex(({ origin }) => origin === "summary");
  return { before: [selected.at], after: to < 0 ? undefined : to };
}

interface KindsProps {
  readonly map: CompactionView["map"];
  readonly only: Became["kind"] | "";
  readonly setOnly: (kind: Became["kind"] | "") => void;
}

function Kinds({ map, only, setOnly }: KindsProps) {
  const counts = new Map<Became["kind"], number>();
  for (const { kind } of map) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return (
    <p class="kinds" role="group" aria-label="Show only">
      <button type="button" class="chip" aria-pressed={only === ""} onClick={() => setOnly("")}>
        all
      </button>
      {[...counts].map(([kind, count]) => (
        <button
          key={kind}
          type="button"
          class={`chip ${kind}`}
          aria-pressed={only === kind}
          onClick={() => setOnly(kind)}
        >
          {NAMES[kind]} {whole(count)}
        </button>
      ))}
    </p>
  );
}

interface BeforeRowProps {
  readonly at: number;
  readonly pages: Pages<Before>;
  readonly became: Became;
  readonly linked: boolean;
  readonly onSelect: () => void;
}

function BeforeRow({ at, pages, became, linked, onSelect }: BeforeRowProps) {
  const message = pages.at(at);
  return (
    <button
      type="button"
      tabIndex={-1}
      class={linked ? "line linked" : "line"}
      aria-pressed={linked}
      onClick={onSelect}
    >
      <span class="n">{at + 1}</span>
      {message === undefined ? <span class="role" /> : <RoleBadge role={message.role} />}
      <span class="text">{message === undefined ? "…" : lineOf(message)}</span>
      <span class="n">{message === undefined ? "" : short(message.tokens)}</span>
      <span class={`chip ${became.kind}`}>{NAMES[became.kind]}</span>
    </button>
  );
}

interface AfterRowProps {
  readonly message: CompactionView["after"][number];
  readonly linked: boolean;
  readonly sources: number;
  readonly onSelect: () => void;
}

function AfterRow({ message, linked, sources, onSelect }: AfterRowProps) {
  const { number, role, tokens, origin } = message;
  return (
    <button
      type="button"
      tabIndex={-1}
      class={linked ? "line linked" : "line"}
      aria-pressed={linked}
      onClick={onSelect}
    >
      <span class="n">{number}</span>
      <RoleBadge role={role} />
      <span class="text">{lineOf(message)}</span>
      <span class="n">{short(tokens)}</span>
      <span class={`chip ${origin ?? "kept"}`}>
        {origin === undefined ? "as it was" : (ORIGINS[origin] ?? origin)}
        {sources > 1 ? ` of ${whole(sources)}` : ""}
      </span>
    </button>
  );
}

function lineOf({ text, calls }: { readonly text: string; readonly calls: readonly string[] }): string {
  const said = firstLine(text);
  const called = calls.length === 0 ? "" : `⚙ ${calls.join(", ")}`;
  return [said, called].filter((part) => part !== "").join("  ") || "(no text)";
}

interface DetailProps {
  readonly session: SessionRef;
  readonly view: CompactionView;
  readonly linked: Linked;
  readonly pages: Pages<Before>;
}

function Detail({ session, view, linked, pages }: DetailProps) {
  const [first] = linked.before;
  const after = linked.after === undefined ? undefined : view.after[linked.after];
  if (first === undefined && after === undefined)
    return <p class="panel wide dim hint">Choose a message to see its original beside what became of it.</p>;
  return (
    <>
      <section class="panel detail" aria-label="Original" tabIndex={0}>
        {first === undefined ? (
          <p class="dim">precis wrote this message; it comes from none of the conversation.</p>
        ) : (
          <OriginalMessage
            session={session}
            at={first}
            others={linked.before.length - 1}
            recall={pages.at(first)?.recall}
          />
        )}
      </section>
      <section class="panel detail" aria-label="What is sent instead" tabIndex={0}>
        {after === undefined ? (
          <p class="dim">Nothing is sent of it. Its original can be recalled.</p>
        ) : (
          <>
            <p class="place">
              <RoleBadge role={after.role} /> <b>After {after.number}</b>{" "}
              <span class="dim">{whole(after.tokens)} tokens</span>
            </p>
            <p class="said">{after.origin === "summary" ? view.handoff : after.text}</p>
            {after.calls.map((call) => (
              <p key={call} class="mono call">
                {call}
              </p>
            ))}
          </>
        )}
      </section>
    </>
  );
}

interface OriginalMessageProps {
  readonly session: SessionRef;
  readonly at: number;
  readonly others: number;
  readonly recall: string | undefined;
}

function OriginalMessage({ session, at, others, recall }: OriginalMessageProps) {
  const message = useResource(`${session.tenant}/${session.id} ${at}`, (signal) =>
    get<readonly MessageInFull[]>(sessionPath(session, "/messages", { from: String(at + 1), count: "1" }), signal),
  );
  return (
    <Loaded of={message}>
      {([whatWas]) =>
        whatWas === undefined ? (
          <Empty title="The message is not stored any more" />
        ) : (
          <>
            <p class="place">
              <RoleBadge role={whatWas.role} /> <b>Message {whatWas.number}</b>{" "}
              <span class="dim">
                {whole(whatWas.tokens)} tokens{others > 0 ? `, and ${whole(others)} more` : ""}
              </span>
              {recall === undefined ? null : <RecallLink tenant={session.tenant} id={recall} />}
            </p>
            <Parts parts={whatWas.parts} />
          </>
        )
      }
    </Loaded>
  );
}
