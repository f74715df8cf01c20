/** A list of any length, of which only the rows in sight are in the document. All rows have the same height. */
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

export interface VirtualListProps {
  readonly label: string;
  readonly total: number;
  readonly rowPx: number;
  readonly row: (index: number) => ComponentChildren;
  /** The row to be in sight, when it changes. */
  readonly show?: number | undefined;
  /** Called with the rows in sight, the last one excluded. */
  readonly onSight?: (from: number, end: number) => void;
  /** The row that the keys are at; Enter opens it. */
  readonly onOpen?: (index: number) => void;
  readonly class?: string;
}

const OVERSCAN_ROWS = 8;

export function VirtualList(props: VirtualListProps) {
  const { label, total, rowPx, row, show, onSight, onOpen } = props;
  const { box, measure, from, end, page, bring } = useSight(total, rowPx);
  const [active, setActive] = useState(-1);
  useEffect(() => onSight?.(from, end), [from, end, total]);
  useEffect(() => {
    if (show === undefined || show < 0) return;
    setActive(show);
    bring(show);
  }, [show]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = nextRow(event.key, active, { total, page });
    if (next !== undefined) {
      event.preventDefault();
      setActive(next);
      bring(next);
    } else if (event.key === "Enter" && event.target === box.current && active >= 0) onOpen?.(active);
  };
  const rows = Array.from({ length: Math.max(0, end - from) }, (_, at) => from + at);
  return (
    <div
      ref={box}
      class={`virtual ${props.class ?? ""}`}
      role="list"
      aria-label={label}
      tabIndex={0}
      onScroll={measure}
      onKeyDown={onKeyDown}
    >
      <div class="virtual-space" style={{ height: `${total * rowPx}px` }} role="presentation">
        {rows.map((index) => (
          <div
            key={index}
            role="listitem"
            aria-setsize={total}
            aria-posinset={index + 1}
            class={index === active ? "virtual-row active" : "virtual-row"}
            style={{ top: `${index * rowPx}px`, height: `${rowPx}px` }}
          >
            {row(index)}
          </div>
        ))}
      </div>
    </div>
  );
}

/** Which rows are in sight, the last one excluded, and how to bring one there. */
function useSight(total: number, rowPx: number) {
  const box = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState({ top: 0, height: 800 });
  const measure = (): void => {
    const { scrollTop: top, clientHeight: height } = box.current!;
    setSeen((before) => (before.top === top && before.height === height ? before : { top, height }));
  };
  useLayoutEffect(() => {
    const observer = new ResizeObserver(measure);
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  const bring = (index: number): void => {
    const { scrollTop, clientHeight } = box.current!;
    const top = index * rowPx;
    if (top < scrollTop || top + rowPx > scrollTop + clientHeight)
      box.current!.scrollTop = Math.max(0, top - (clientHeight - rowPx) / 2);
  };
  return {
    box,
    measure,
    bring,
    from: Math.max(0, Math.min(total, Math.floor(seen.top / rowPx) - OVERSCAN_ROWS)),
    end: Math.min(total, Math.ceil((seen.top + seen.height) / rowPx) + OVERSCAN_ROWS),
    page: Math.max(1, Math.floor(seen.height / rowPx) - 1),
  };
}

function nextRow(
  key: string,
  active: number,
  { total, page }: { readonly total: number; readonly page: number },
): number | undefined {
  const within = (index: number): number => Math.max(0, Math.min(total - 1, index));
  switch (key) {
    case "ArrowDown":
    case "j":
      return within(active + 1);
    case "ArrowUp":
    case "k":
      return within(active - 1);
    case "PageDown":
      return within(active + page);
    case "PageUp":
      return within(active - page);
    case "Home":
      return 0;
    case "End":
      return within(total - 1);
    default:
      return undefined;
  }
}
