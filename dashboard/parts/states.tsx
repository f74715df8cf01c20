/** What is shown where there is nothing to show: it loads, it failed, or there is none yet. */
import type { ComponentChildren } from "preact";
import { ApiError } from "../api.ts";
import type { Resource } from "../resource.ts";

export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="state">
      <p class="state-title">{title}</p>
      {children}
    </div>
  );
}

export function Failed({ error, again }: { readonly error: Error; readonly again?: () => void }) {
  const isApi = error instanceof ApiError;
  return (
    <div class="state failed" role="alert">
      <p class="state-title">{isApi ? sentence(error.message) : "The gateway cannot be reached."}</p>
      <p>{isApi ? error.hint : "Is it still running? The page tries again when it is back."}</p>
      {again === undefined ? null : (
        <button type="button" onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}

function sentence(text: string): string {
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}

/** The content of a resource once there is some. */
export function Loaded<Content>({
  of: { content, error, reload },
  children,
}: {
  readonly of: Resource<Content>;
  readonly children: (content: Content) => ComponentChildren;
}) {
  if (content !== undefined)
    return (
      <>
        {error === undefined ? null : <Failed error={error} again={reload} />}
        {children(content)}
      </>
    );
  return error === undefined ? (
    <p class="loading" role="status">
      Loading…
    </p>
  ) : (
    <Failed error={error} again={reload} />
  );
}
