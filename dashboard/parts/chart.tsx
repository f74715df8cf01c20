/** A uPlot chart that fits its box, takes its colours from the style sheet, and says in words what it shows. */
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

export interface ChartProps {
  readonly label: string;
  readonly height: number;
  readonly data: uPlot.AlignedData;
  /** Built anew when the data, the size of the box or the colours change. */
  readonly options: (colours: Colours) => Omit<uPlot.Options, "width" | "height">;
}

export interface Colours {
  readonly of: (name: string) => string;
}

export const FONT = "11px system-ui, sans-serif";

export function Chart({ label, height, data, options }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current!;
    let plot: uPlot | undefined;
    const draw = (): void => {
      plot?.destroy();
      const colours = coloursOf(element);
      plot = new uPlot({ ...options(colours), width: element.clientWidth, height }, data, element);
    };
    draw();
    const resized = new ResizeObserver(() => plot?.setSize({ width: element.clientWidth, height }));
    resized.observe(element);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", draw);
    return () => {
      resized.disconnect();
      scheme.removeEventListener("change", draw);
      plot?.destroy();
    };
  }, [data, height, options]);
  return <div ref={box} class="chart" role="img" aria-label={label} style={{ minHeight: `${height}px` }} />;
}

/** A canvas takes plain colours only, and the style sheet has pairs of them: an element shows which one is in force. */
function coloursOf(element: HTMLElement): Colours {
  const probe = element.appendChild(document.createElement("span"));
  const known = new Map<string, string>();
  return {
    of: (name) => {
      const before = known.get(name);
      if (before !== undefined) return before;
      if (!probe.isConnected) element.append(probe);
      probe.style.color = `var(--${name})`;
      const colour = getComputedStyle(probe).color;
      probe.remove();
      known.set(name, colour);
      return colour;
    },
  };
}

export function axes(
  colours: Colours,
  {
    x,
    y,
    yPx = 52,
  }: { readonly x: (value: number) => string; readonly y: (value: number) => string; readonly yPx?: number },
): uPlot.Axis[] {
  const shared = {
    stroke: colours.of("dim"),
    font: FONT,
    grid: { stroke: colours.of("line"), width: 1 },
    ticks: { show: false },
  };
  return [
    {
      ...shared,
      grid: { show: false },
      size: 28,
      values: (_, all) => all.map((value) => (value % 1 === 0 ? x(value) : "")),
    },
    { ...shared, size: yPx, values: (_, all) => all.map(y) },
  ];
}

/** The ends of the gradient-free bars of `uPlot`, each on top of those before it. */
export function stacked(series: readonly (readonly number[])[]): number[][] {
  const sums: number[][] = [];
  for (const values of series) {
    const below = sums.at(-1);
    sums.push(values.map((value, at) => value + (below?.[at] ?? 0)));
  }
  return sums;
}
