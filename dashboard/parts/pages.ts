/** Content that is loaded page by page as it comes into sight. What is asked for twice is loaded once. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";

export interface Pages<Item> {
  readonly at: (index: number) => Item | undefined;
  readonly loaded: readonly Item[];
  readonly error: Error | undefined;
  /** Loads the pages of these items. */
  readonly want: (from: number, end: number) => void;
  /** Loads the pages that there are again. */
  readonly reload: () => void;
}

export function usePages<Item>(
  key: string,
  size: number,
  load: (from: number, count: number) => Promise<readonly Item[]>,
): Pages<Item> {
  const pages = useRef(new Map<number, readonly Item[]>());
  const asked = useRef(new Set<number>());
  const current = useRef(key);
  const latest = useRef(load);
  latest.current = load;
  const [, redraw] = useState(0);
  const [error, setError] = useState<Error>();
  if (current.current !== key) {
    current.current = key;
    pages.current = new Map();
    asked.current = new Set();
  }
  const fetchPage = useCallback(
    async (page: number): Promise<void> => {
      asked.current.add(page);
      try {
        const items = await latest.current(page * size, size);
        if (current.current !== key) return;
        pages.current.set(page, items);
        setError(undefined);
        redraw((turn) => turn + 1);
      } catch (why) {
        asked.current.delete(page);
        if (current.current === key) setError(why instanceof Error ? why : new Error(String(why)));
      }
    },
    [key, size],
  );
  const want = useCallback(
    (from: number, end: number): void => {
      for (let page = Math.floor(from / size); page * size < end; page++)
        if (!asked.current.has(page)) void fetchPage(page);
    },
    [fetchPage, size],
  );
  const reload = useCallback(() => pages.current.forEach((_, page) => void fetchPage(page)), [fetchPage]);
  useEffect(() => want(0, 1), [want]);
  return {
    at: (index) => pages.current.get(Math.floor(index / size))?.[index % size],
    loaded: [...pages.current.keys()].toSorted((one, other) => one - other).flatMap((page) => pages.current.get(page)!),
    error,
    want,
    reload,
  };
}
