/** What a recall id leads to, in a dialog: the original, byte for byte, as the model could recall it. */
import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "../api.ts";
import { counted } from "../format.ts";
import { Loaded } from "../parts/states.tsx";
import { useResource } from "../resource.ts";

interface OriginalShown {
  readonly id: string;
  readonly kind: string;
  readonly label: string;
  readonly text: string;
}

export function RecallLink({ tenant, id }: { readonly tenant: string; readonly id: string }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="link mono" onClick={() => setOpen(true)} title="Show the original">
        {id}
      </button>
      {open ? <OriginalDialog tenant={tenant} id={id} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

interface OriginalDialogProps {
  readonly tenant: string;
  readonly id: string;
  readonly onClose: () => void;
}

function OriginalDialog({ tenant, id, onClose }: OriginalDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current!.showModal(), []);
  const original = useResource(`${tenant} ${id}`, (signal) =>
    get<OriginalShown>(`/recall/${encodeURIComponent(id)}?tenant=${encodeURIComponent(tenant)}`, signal),
  );
  return (
    <dialog ref={dialog} class="wide" onClose={onClose} aria-label={`The original ${id}`}>
      <h2>
        Original <span class="mono">{id}</span>
      </h2>
      <Loaded of={original}>
        {({ kind, label, text }) => (
          <>
            <p class="dim">
              {label} · {counted(text.length, "character")}. Originals are shown as they were, secrets included.
            </p>
            <pre tabIndex={0}>{kind === "span" ? spanText(text) : text}</pre>
          </>
        )}
      </Loaded>
      <p class="buttons">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </p>
    </dialog>
  );
}

/** A span is one JSON text for each message, each on a line of its own. */
function spanText(text: string): string {
  return text
    .split("\n")
    .map((line) => {
      try {
        return JSON.stringify(JSON.parse(line), null, 2);
      } catch {
        return line;
      }
    })
    .join("\n\n");
}
