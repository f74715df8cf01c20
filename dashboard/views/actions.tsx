/** What can be done to a session as a whole: its threshold, its learned window, undo, fork, drop and export; each asks before it changes anything. */
import { useState } from "preact/hooks";
import type { CompactResult, ForkResult, SessionShown } from "../../src/session/history.ts";
import type { SessionThreshold } from "../../src/core/engines/settings.ts";
import { ApiError, download, send, sessionPath, type SessionRef } from "../api.ts";
import { short, shortId, whole } from "../format.ts";
import { Dialog } from "../parts/dialog.tsx";
import { go, sessionHref } from "../route.ts";

type Open = "threshold" | "window" | "undo" | "fork" | "drop" | "export" | undefined;

interface ActionsProps {
  readonly session: SessionRef;
  readonly shown: SessionShown;
  readonly reload: () => void;
}

export function Actions(props: ActionsProps) {
  const [open, setOpen] = useState<Open>();
  const close = (): void => setOpen(undefined);
  const { shown, session } = props;
  return (
    <div class="actions">
      <a class="button primary" href={sessionHref(session, "compact")}>
        Compact…
      </a>
      <button type="button" onClick={() => setOpen("drop")}>
        Drop…
      </button>
      <button type="button" disabled={shown.compactions === 0} onClick={() => setOpen("undo")}>
        Undo…
      </button>
      <button type="button" onClick={() => setOpen("threshold")}>
        Threshold…
      </button>
      {shown.window?.from === "learned" ? (
        <button type="button" onClick={() => setOpen("window")}>
          Forget window…
        </button>
      ) : null}
      <button type="button" onClick={() => setOpen("fork")}>
        Fork…
      </button>
      <button type="button" onClick={() => setOpen("export")}>
        Export…
      </button>
      {open === "threshold" ? <ThresholdDialog {...props} onClose={close} /> : null}
      {open === "window" ? <WindowDialog {...props} onClose={close} /> : null}
      {open === "undo" ? <UndoDialog {...props} onClose={close} /> : null}
      {open === "fork" ? <ForkDialog {...props} onClose={close} /> : null}
      {open === "drop" ? <DropDialog {...props} onClose={close} messages="" /> : null}
      {open === "export" ? <ExportDialog {...props} onClose={close} /> : null}
    </div>
  );
}

interface OpenDialog extends ActionsProps {
  readonly onClose: () => void;
}

function UndoDialog({ session, shown, reload, onClose }: OpenDialog) {
  const standing = shown.history.find(({ stands }) => stands);
  const undo = async (): Promise<void> => {
    await send(sessionPath(session, "/undo"));
    reload();
  };
  return (
    <Dialog title="Undo the newest compaction" action="Undo" onAgree={undo} onClose={onClose}>
      {standing === undefined ? null : (
        <p>
          {standing.report.reason}: {whole(standing.report.tokens.before)} → {whole(standing.report.tokens.after)}{" "}
          tokens.
        </p>
      )}
      <p>
        The next request is sent without it. The session is not compacted automatically until a request overflows or you
        compact it yourself.
      </p>
    </Dialog>
  );
}

/** A learned window counts for every session of this tenant with this model at this upstream. */
function WindowDialog({ session, shown: { model, window }, reload, onClose }: OpenDialog) {
  const upstream = window?.learned?.upstream;
  const forget = async (): Promise<void> => {
    await send(`/windows/forget?${new URLSearchParams({ tenant: session.tenant })}`, { model, upstream });
    reload();
  };
  return (
    <Dialog title="Forget the learned window" action="Forget" onAgree={forget} onClose={onClose}>
      <p>
        The window of {model} at {upstream} counts as {whole(window?.tokens ?? 0)} tokens, because a request was refused
        there. From the next request on it counts as before, for every session of this tenant.
      </p>
      <p>If the window is still as small, it is learned again from one refusal, which the client does not see.</p>
    </Dialog>
  );
}

/** Without a threshold the configuration decides. */
function ThresholdDialog({ session, shown, reload, onClose }: OpenDialog) {
  const { threshold, timing, undone } = shown;
  const [text, setText] = useState(threshold === undefined ? "" : typed(threshold));
  const set = async (): Promise<void> => {
    const wanted = text.trim();
    await send(sessionPath(session, "/threshold"), wanted === "" ? {} : { threshold: wanted });
    reload();
  };
  return (
    <Dialog title="Set the threshold of this session" action="Set" onAgree={set} onClose={onClose}>
      <label>
        Compact from
        <input
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          maxLength={20}
          placeholder="as configured"
        />
      </label>
      <p>
        Tokens, such as 90k, or a share of the window from 5 to 85 %, such as 60%. Empty: as configured.
        {timing === undefined ? "" : ` It is compacted from ${whole(timing.thresholdTokens)} tokens on now.`}
      </p>
      <p>The threshold holds from the next request on, and after a restart.</p>
      {undone ? (
        <p class="warn">
          The newest compaction was undone: the threshold holds once a request overflows or you compact the session
          yourself.
        </p>
      ) : null}
    </Dialog>
  );
}

export function thresholdText(threshold: SessionThreshold): string {
  return "tokens" in threshold ? `${whole(threshold.tokens)} tokens` : `${typed(threshold)} of the window`;
}

function typed(threshold: SessionThreshold): string {
  return "tokens" in threshold ? String(threshold.tokens) : `${Number((threshold.share * 100).toFixed(2))}%`;
}

export function DropDialog({ session, reload, onClose, messages }: OpenDialog & { readonly messages: string }) {
  const [range, setRange] = useState(messages);
  const drop = async (): Promise<void> => {
    const made = await send<CompactResult>(sessionPath(session, "/drop"), { messages: range.trim() });
    if (made.kind === "unchanged") throw new ApiError(409, { message: `nothing was dropped: ${made.because}` });
    reload();
  };
  return (
    <Dialog title="Drop messages" action="Drop" onAgree={drop} onClose={onClose}>
      <label>
        Messages
        <input
          value={range}
          onInput={({ currentTarget }) => setRange(currentTarget.value)}
          required
          pattern="\d+(-\d+)?"
          placeholder="12-30"
        />
      </label>
      <p>
        They are not sent any more; one line with a recall id takes their place. Undo brings them back. The newest
        exchange and pinned messages cannot be dropped.
      </p>
    </Dialog>
  );
}

export function ForkDialog({ session, shown, onClose, at }: OpenDialog & { readonly at?: number }) {
  const [after, setAfter] = useState(String(at ?? shown.messages));
  const [name, setName] = useState("");
  const fork = async (): Promise<void> => {
    const body = { at: Number(after), ...(name === "" ? {} : { name }) };
    const made = await send<ForkResult>(sessionPath(session, "/fork"), body);
    go(sessionHref({ tenant: session.tenant, id: made.session }));
  };
  return (
    <Dialog title="Fork the session" action="Fork" onAgree={fork} onClose={onClose}>
      <label>
        After message
        <input
          type="number"
          min={1}
          max={shown.messages}
          required
          value={after}
          onInput={({ currentTarget }) => setAfter(currentTarget.value)}
        />
      </label>
      <label>
        Name (optional)
        <input value={name} maxLength={128} onInput={({ currentTarget }) => setName(currentTarget.value)} />
      </label>
      <p>
        Nothing is copied. A client continues the fork by sending its messages with the header{" "}
        <code>x-precis-session</code>.
      </p>
    </Dialog>
  );
}

function ExportDialog({ session, shown, onClose }: OpenDialog) {
  const [form, setForm] = useState({ format: "json", compacted: "false", secrets: "mask" });
  const set = (part: Partial<typeof form>): void => setForm({ ...form, ...part });
  const save = (): Promise<void> =>
    download(
      sessionPath(session, "/export", form),
      `${shortId(session.id)}.${form.format === "json" ? "json" : "jsonl"}`,
    );
  return (
    <Dialog title="Export the session" action="Export" onAgree={save} onClose={onClose}>
      <label>
        What
        <select value={form.compacted} onChange={({ currentTarget }) => set({ compacted: currentTarget.value })}>
          <option value="false">
            the conversation as its client knows it (≈ {short(shown.estimate.original)} tokens)
          </option>
          <option value="true">as it would be sent (≈ {short(shown.estimate.sent)} tokens)</option>
        </select>
      </label>
      <label>
        Format
        <select value={form.format} onChange={({ currentTarget }) => set({ format: currentTarget.value })}>
          <option value="json">one JSON array</option>
          <option value="jsonl">JSON lines</option>
        </select>
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={form.secrets === "keep"}
          onChange={({ currentTarget }) => set({ secrets: currentTarget.checked ? "keep" : "mask" })}
        />
        With secrets, byte for byte
      </label>
    </Dialog>
  );
}
