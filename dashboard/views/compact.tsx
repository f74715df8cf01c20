/** Compact now: with a focus and a size, looked at, perhaps edited, before it is applied. What is applied is exactly what was shown. */
import { useState } from "preact/hooks";
import type { CompactionPreview, CompactionView, CompactResult, SessionShown } from "../../src/session/history.ts";
import { get, send, sessionPath, type SessionRef } from "../api.ts";
import { short } from "../format.ts";
import { Empty, Failed } from "../parts/states.tsx";
import { go, sessionHref } from "../route.ts";
import { Compare, COMPARE_PAGE } from "./compare.tsx";
import { HandoffDocument } from "./handoff.tsx";
import { Report } from "./report.tsx";
import type { TabProps } from "./session.tsx";

interface Shown {
  readonly preview: string;
  readonly view: CompactionView;
}

type Outcome = Shown | { readonly unchanged: string } | { readonly error: Error } | undefined;

export function Compact({ session, shown, reload }: TabProps) {
  const [outcome, setOutcome] = useState<Outcome>();
  const [busy, setBusy] = useState(false);
  const during = async (work: () => Promise<Outcome>): Promise<void> => {
    setBusy(true);
    const made = await work().catch((why: unknown) => ({ error: why instanceof Error ? why : new Error(String(why)) }));
    setOutcome(made);
    setBusy(false);
  };
  const apply = (id: string): Promise<void> =>
    during(async () => {
      await send(sessionPath(session, "/compact"), { apply: id });
      reload();
      go(sessionHref(session, "compactions"));
      return undefined;
    });
  return (
    <>
      <Request busy={busy} onPreview={(request) => void during(() => preview(session, request))} />
      {busy ? (
        <p class="loading" role="status">
          Compacting…
        </p>
      ) : (
        <Result
          session={session}
          estimate={shown.estimate}
          outcome={outcome}
          onApply={(id) => void apply(id)}
          onEdited={setOutcome}
          onDiscard={() => setOutcome(undefined)}
        />
      )}
    </>
  );
}

interface Asked {
  readonly focus: string;
  readonly budget: string;
}

async function preview(session: SessionRef, { focus, budget }: Asked): Promise<Outcome> {
  const body = {
    preview: true,
    ...(focus.trim() === "" ? {} : { focus: focus.trim() }),
    ...(budget.trim() === "" ? {} : { budget: budget.trim() }),
  };
  const made = await send<CompactionPreview | CompactResult>(sessionPath(session, "/compact"), body);
  if (made.kind === "unchanged") return { unchanged: made.because };
  if (made.kind !== "preview") return undefined;
  return shownOf(session, made);
}

async function shownOf(session: SessionRef, { preview: id }: CompactionPreview): Promise<Shown> {
  return { preview: id, view: await viewOf(session, id, 1, COMPARE_PAGE) };
}

function viewOf(session: SessionRef, id: string, from: number, count: number): Promise<CompactionView> {
  return get(sessionPath(session, `/previews/${id}`, { from: String(from), count: String(count) }));
}

function Request({ busy, onPreview }: { readonly busy: boolean; readonly onPreview: (asked: Asked) => void }) {
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    onPreview({ focus: String(form.get("focus")), budget: String(form.get("budget")) });
  };
  return (
    <form class="panel request" onSubmit={submit}>
      <label class="grow">
        Focus <span class="dim">what the handoff should say most about; optional</span>
        <input name="focus" maxLength={2_000} placeholder="the refunds and their tests" />
      </label>
      <label>
        Size <span class="dim">tokens or a share</span>
        <input name="budget" size={8} placeholder="by settings" />
      </label>
      <button type="submit" class="primary" disabled={busy}>
        Preview
      </button>
    </form>
  );
}

interface ResultProps {
  readonly session: SessionRef;
  readonly estimate: SessionShown["estimate"];
  readonly outcome: Outcome;
  readonly onApply: (preview: string) => void;
  readonly onEdited: (shown: Shown) => void;
  readonly onDiscard: () => void;
}

function Result({ session, estimate, outcome, ...does }: ResultProps) {
  if (outcome === undefined)
    return (
      <Empty title="Nothing is changed yet">
        <p>The preview shows what a compaction would make of each message. It changes nothing until you apply it.</p>
      </Empty>
    );
  if ("error" in outcome) return <Failed error={outcome.error} />;
  if ("unchanged" in outcome)
    return (
      <Empty title="There is nothing to compact">
        <p>
          {outcome.unchanged.charAt(0).toUpperCase() + outcome.unchanged.slice(1)}. A share is one of the whole
          conversation, ≈ {short(estimate.original)} tokens; what is sent now has ≈ {short(estimate.sent)}.
        </p>
      </Empty>
    );
  return <Preview key={outcome.preview} session={session} shown={outcome} {...does} />;
}

interface PreviewProps extends Pick<ResultProps, "session" | "onApply" | "onEdited" | "onDiscard"> {
  readonly shown: Shown;
}

function Preview({ session, shown, onApply, onEdited, onDiscard }: PreviewProps) {
  const [editing, setEditing] = useState(false);
  const { preview: id, view } = shown;
  const { handoff } = view;
  return (
    <>
      <section class="panel preview">
        <h2>Preview</h2>
        <Report report={view.report} />
        <p class="buttons">
          <button type="button" onClick={onDiscard}>
            Discard
          </button>
          {handoff === undefined || editing ? null : (
            <button type="button" onClick={() => setEditing(true)}>
              Edit the handoff
            </button>
          )}
          {editing ? null : (
            <button type="button" class="primary" onClick={() => onApply(id)}>
              Apply
            </button>
          )}
        </p>
      </section>
      {handoff !== undefined && editing ? (
        <EditHandoff
          session={session}
          shown={shown}
          handoff={handoff}
          onEdited={onEdited}
          onCancel={() => setEditing(false)}
        />
      ) : null}
      <Compare id={id} session={session} view={view} load={(from, count) => viewOf(session, id, from, count)} />
      {handoff === undefined || editing ? null : <HandoffDocument text={handoff} session={session} />}
    </>
  );
}

interface EditProps extends Pick<PreviewProps, "session" | "shown" | "onEdited"> {
  readonly handoff: string;
  readonly onCancel: () => void;
}

/** The lines of the frame, which name the originals, are not edited. */
const OPENING_LINES = 2;

/** The text as a person wants it. The gateway checks it and answers with a preview of the result. */
function EditHandoff({ session, shown, handoff, onEdited, onCancel }: EditProps) {
  const [text, setText] = useState(() => handoff.split("\n").slice(OPENING_LINES, -1).join("\n"));
  const [error, setError] = useState<Error>();
  const [busy, setBusy] = useState(false);
  const check = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      const path = sessionPath(session, `/previews/${shown.preview}`);
      onEdited(await shownOf(session, await send<CompactionPreview>(path, { handoff: text })));
    } catch (why) {
      setError(why instanceof Error ? why : new Error(String(why)));
      setBusy(false);
    }
  };
  return (
    <form class="panel edit" onSubmit={(event) => void check(event)}>
      <label>
        The handoff
        <textarea
          rows={20}
          required
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <p class="dim">
        Its first lines, which say where the originals are, stay. The text holds until the next compaction writes a new
        handoff; pin a fact that every handoff must state.
      </p>
      {error === undefined ? null : <Failed error={error} />}
      <p class="buttons">
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
        <button type="submit" class="primary" disabled={busy}>
          Preview this text
        </button>
      </p>
    </form>
  );
}
