/** Money and speed: what requests cost, what the cache and what compaction saved, delays and errors, by day and model. */
import { useCallback, useMemo, useState } from "preact/hooks";
import uPlot from "uplot";
import type { DayFigures } from "../../src/gateway/dashboard/figures.ts";
import { get } from "../api.ts";
import { dollars, percent, short, whole } from "../format.ts";
import { useLive } from "../live.ts";
import { axes, Chart, stacked, type Colours } from "../parts/chart.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { useResource } from "../resource.ts";
import { delayOf, errorsOf, sumOf, type Sums } from "./sums.ts";

const DAYS = [1, 7, 14, 30, 90];
const CHART_PX = 200;
/** Colours there are for models; further ones share the last. */
const PALETTE = ["series-1", "series-2", "series-3", "series-4", "series-5", "series-6"];

export function Money() {
  const [days, setDays] = useState(14);
  const figures = useResource(`figures ${days}`, (signal) =>
    get<readonly DayFigures[]>(`/figures?days=${days}`, signal),
  );
  useLive(figures.reload);
  return (
    <main>
      <div class="bar-row">
        <h1>Money and speed</h1>
        <label class="pick">
          <span class="hidden">Days</span>
          <select value={days} onChange={({ currentTarget }) => setDays(Number(currentTarget.value))}>
            {DAYS.map((count) => (
              <option key={count} value={count}>
                {count === 1 ? "today" : `${count} days`}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Loaded of={figures}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="No requests in these days">
              <p>Every request that goes through the gateway is counted here from now on.</p>
            </Empty>
          ) : (
            <Shown figures={all} />
          )
        }
      </Loaded>
    </main>
  );
}

function Shown({ figures }: { readonly figures: readonly DayFigures[] }) {
  const total = sumOf(figures);
  const byModel = useMemo(() => grouped(figures, ({ model }) => model), [figures]);
  const byDay = useMemo(() => grouped(figures, ({ day }) => day).toReversed(), [figures]);
  return (
    <>
      <Tiles total={total} />
      <div class="columns even">
        <section class="panel">
          <h2>Spend by day</h2>
          <ByDay figures={figures} value={({ spendUsd }) => spendUsd} shown={dollars} what="Spend" by="model" />
        </section>
        <section class="panel">
          <h2>Input tokens by day</h2>
          <InputByDay figures={figures} />
        </section>
      </div>
      <Figures title="By model" name="Model" rows={byModel} />
      <Figures title="By day" name="Day (UTC)" rows={byDay} />
      <p class="dim">
        Amounts are the reported usage at list prices
        {total.unpriced === 0
          ? ""
          : `; ${whole(total.unpriced)} requests of models without a known price are not in them`}
        . What the cache saved is against the full price of the same tokens. What compaction saved is an estimate: the
        tokens that were not sent, at the average price of the input that was.
      </p>
    </>
  );
}

function grouped(
  figures: readonly DayFigures[],
  keyOf: (one: DayFigures) => string,
): readonly (readonly [name: string, sums: Sums])[] {
  const groups = Map.groupBy(figures, keyOf);
  return [...groups].map(([name, members]) => [name, sumOf(members)] as const);
}

function Tiles({ total }: { readonly total: Sums }) {
  const tiles: readonly (readonly [name: string, value: string, more: string])[] = [
    ["Spend", dollars(total.spendUsd), `${whole(total.requests)} requests`],
    [
      "Saved by the cache",
      dollars(total.cacheSavedUsd),
      `${percent(total.cacheReadTokens, total.inputTokens)} of the input read from it`,
    ],
    ["Saved by compaction", `≈ ${dollars(total.notSentUsd)}`, `${short(total.notSentTokens)} tokens not sent`],
    [
      "Compactions",
      whole(total.compactions),
      `${whole(total.compactionsAhead)} ahead of need, ${dollars(total.compactionUsd)} for models`,
    ],
    ["Added latency", delayOf(total.heldMs, 0.5), `median; 95 %: ${delayOf(total.heldMs, 0.95)}`],
    ["First byte", delayOf(total.firstByteMs, 0.5), `median; 95 %: ${delayOf(total.firstByteMs, 0.95)}`],
    [
      "Errors",
      whole(errorsOf(total)),
      `${percent(errorsOf(total), total.requests)} of requests, ${whole(total.retried)} repaired`,
    ],
  ];
  return (
    <dl class="tiles">
      {tiles.map(([name, value, more]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <b>{value}</b>
            <small>{more}</small>
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface ByDayProps {
  readonly figures: readonly DayFigures[];
  readonly value: (one: DayFigures) => number;
  readonly shown: (value: number) => string;
  readonly what: string;
  readonly by: "model";
}

function ByDay({ figures, value, shown, what }: ByDayProps) {
  const models = useMemo(() => [...new Set(figures.map(({ model }) => model))], [figures]);
  const series = models.map((model) => ({
    name: model,
    value: (one: DayFigures) => (one.model === model ? value(one) : 0),
  }));
  return <Bars figures={figures} series={series} shown={shown} what={what} />;
}

const INPUT_SERIES = [
  { name: "read from the cache", value: ({ cacheReadTokens }: DayFigures) => cacheReadTokens },
  { name: "written to it", value: ({ cacheWriteTokens }: DayFigures) => cacheWriteTokens },
  {
    name: "read afresh",
    value: ({ inputTokens, cacheReadTokens, cacheWriteTokens }: DayFigures) =>
      Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens),
  },
  { name: "not sent", value: ({ notSentTokens }: DayFigures) => notSentTokens },
];

function InputByDay({ figures }: { readonly figures: readonly DayFigures[] }) {
  return <Bars figures={figures} series={INPUT_SERIES} shown={short} what="Input tokens" />;
}

interface Series {
  readonly name: string;
  readonly value: (one: DayFigures) => number;
}

interface BarsProps {
  readonly figures: readonly DayFigures[];
  readonly series: readonly Series[];
  readonly shown: (value: number) => string;
  readonly what: string;
}

function Bars({ figures, series, shown, what }: BarsProps) {
  const days = useMemo(() => [...new Set(figures.map(({ day }) => day))].toSorted(), [figures]);
  const names = series.map(({ name }) => name).join("\n");
  const sums = useMemo(
    () =>
      stacked(
        series.map(({ value }) =>
          days.map((day) => figures.filter((one) => one.day === day).reduce((sum, one) => sum + value(one), 0)),
        ),
      ),
    [figures, names],
  );
  // The tallest is drawn first, so that each bar shows above the next one.
  const data = useMemo<uPlot.AlignedData>(() => [days.map((_, at) => at), ...sums.toReversed()], [sums]);
  const options = useCallback(
    (colours: Colours) => barOptions({ days, count: sums.length, shown, colours }),
    [days, sums.length, shown],
  );
  const totals = sums.at(-1) ?? [];
  const label = `${what} by day: ${days.map((day, at) => `${day} ${shown(totals[at] ?? 0)}`).join(", ")}`;
  return (
    <>
      <p class="legend">
        {series.map(({ name }, at) => (
          <span key={name}>
            <i class={`key ${PALETTE[Math.min(at, PALETTE.length - 1)]}`} /> {name}
          </span>
        ))}
      </p>
      <Chart label={label} height={CHART_PX} data={data} options={options} />
    </>
  );
}

interface BarOptions {
  readonly days: readonly string[];
  readonly count: number;
  readonly shown: (value: number) => string;
  readonly colours: Colours;
}

function barOptions({ days, count, shown, colours }: BarOptions): Omit<uPlot.Options, "width" | "height"> {
  const colourOf = (at: number): string => colours.of(PALETTE[Math.min(at, PALETTE.length - 1)]!);
  return {
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: false, range: () => [-0.6, Math.max(days.length - 0.4, 6.6)] },
      y: { range: (_, _min, max) => [0, max * 1.08 || 1] },
    },
    axes: axes(colours, { x: (at) => days[at]?.slice("2026-".length) ?? "", y: shown, yPx: 60 }),
    series: [
      {},
      ...Array.from({ length: count }, (_, at) => ({
        fill: colourOf(count - 1 - at),
        width: 0,
        paths: uPlot.paths.bars!({ size: [0.7, 56] }),
        points: { show: false },
      })),
    ],
  };
}

interface FiguresProps {
  readonly title: string;
  readonly name: string;
  readonly rows: readonly (readonly [name: string, sums: Sums])[];
}

const COLUMNS: readonly (readonly [name: string, value: (sums: Sums) => string])[] = [
  ["Requests", (sums) => whole(sums.requests)],
  ["Errors", (sums) => whole(errorsOf(sums))],
  ["Spend", (sums) => (sums.unpriced === sums.requests ? "–" : dollars(sums.spendUsd))],
  ["Input", (sums) => short(sums.inputTokens)],
  ["From cache", (sums) => percent(sums.cacheReadTokens, sums.inputTokens)],
  ["Written", (sums) => short(sums.cacheWriteTokens)],
  ["Output", (sums) => short(sums.outputTokens)],
  ["Cache saved", (sums) => dollars(sums.cacheSavedUsd)],
  ["Cache missed", (sums) => dollars(sums.cacheMissedUsd)],
  ["Compactions", (sums) => whole(sums.compactions)],
  ["Not sent", (sums) => short(sums.notSentTokens)],
  ["≈ saved", (sums) => dollars(sums.notSentUsd)],
  ["Added p50", (sums) => delayOf(sums.heldMs, 0.5)],
  ["p95", (sums) => delayOf(sums.heldMs, 0.95)],
  ["First byte p50", (sums) => delayOf(sums.firstByteMs, 0.5)],
];

function Figures({ title, name, rows }: FiguresProps) {
  return (
    <section class="panel">
      <h2>{title}</h2>
      <div class="scroll" tabIndex={0} role="region" aria-label={title}>
        <table>
          <thead>
            <tr>
              <th scope="col">{name}</th>
              {COLUMNS.map(([column]) => (
                <th key={column} scope="col" class="number">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(([row, sums]) => (
              <tr key={row}>
                <th scope="row">{row}</th>
                {COLUMNS.map(([column, value]) => (
                  <td key={column} class="number">
                    {value(sums)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
