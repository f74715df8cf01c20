/** A dialog of the browser's own: it keeps the focus, and Escape closes it. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Failed } from "./states.tsx";

export interface DialogProps {
  readonly title: string;
  readonly action: string;
  /** Done when the person agrees; the dialog closes when it is over and shows why where it failed. */
  readonly onAgree: () => Promise<unknown>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function Dialog({ title, action, onAgree, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  useEffect(() => dialog.current!.showModal(), []);
  const agree = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      await onAgree();
      onClose();
    } catch (why) {
      setError(why instanceof Error ? why : new Error(String(why)));
    } finally {
      setBusy(false);
    }
  };
  return (
    <dialog ref={dialog} onClose={onClose} aria-label={title}>
      <form onSubmit={(event) => void agree(event)}>
        <h2>{title}</h2>
        {children}
        {error === undefined ? null : <Failed error={error} />}
        <p class="buttons">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={busy}>
            {action}
          </button>
        </p>
      </form>
    </dialog>
  );
}
