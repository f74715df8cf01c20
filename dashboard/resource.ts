/** Something that is loaded: what there is of it, why it failed, and how to load it again. Old content stays while new is on its way. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";

export interface Resource<Content> {
  readonly content: Content | undefined;
  readonly error: Error | undefined;
  readonly reload: () => void;
}

/** `key` says what is loaded: another key begins anew. */
export function useResource<Content>(key: string, load: (signal: AbortSignal) => Promise<Content>): Resource<Content> {
  const [held, hold] = useState<{ readonly key: string; readonly content?: Content; readonly error?: Error }>({ key });
  const [turn, setTurn] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    const abort = new AbortController();
    const run = async (): Promise<void> => {
      try {
        const content = await latest.current(abort.signal);
        if (!abort.signal.aborted) hold({ key, content });
      } catch (error) {
        if (abort.signal.aborted) return;
        const why = error instanceof Error ? error : new Error(String(error));
        hold((before) => ({ ...(before.key === key ? before : { key }), error: why }));
      }
    };
    void run();
    return () => abort.abort();
  }, [key, turn]);
  const current = held.key === key ? held : { key };
  const reload = useCallback(() => setTurn((before) => before + 1), []);
  return { content: current.content, error: current.error, reload };
}
