/** How full the window is and has been, what fills it, and what is pinned. */
import { useCallback, useMemo } from "preact/hooks";
import type uPlot from "uplot";
import type { ContextView } from "../../src/session/history.ts";
import { get, sessionPath } from "../api.ts";
import { ago, counted, dollars, moment, percent, short, whole } from "../format.ts";
import { axes, Chart, FONT, type Colours } from "../parts/chart.tsx";
import { RoleBadge } from "../parts/message.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { useResource } from "../resource.ts";
import { sessionHref } from "../route.ts";
import { Pins } from "./pins.tsx";
import type { TabProps } from "./session.tsx";

const CHART_PX = 320;
/** Above this many windows the whole conversation is left out of the scale: what was sent would be a line at the bottom. */
const SCALE_WINDOWS_MAX = 2;
const HEADROOM = 1.06;

export function Context({ session, shown }: TabProps) {
  const { tenant, id, messages, history, threshold, window } = shown;
  const key = `${tenant}/${id} ${messages} ${JSON.stringify(threshold)} ${window?.tokens} ${history.map(({ undone }) => Number(undone)).join("")}`;
  const context = useResource(key, (signal) => get<ContextView>(sessionPath(session, "/context"), signal));
  return (
    <Loaded of={context}>
      {(view) => (
        <div class="columns">
          <div class="stack">
            <section class="panel">
              <h2>Context after each message</h2>
              <Legend view={view} />
              <ContextChart view={view} />
            </section>
            <CompactionTable shown={shown} session={session} />
            <RequestTable view={view} />
          </div>
          <div class="stack">
            <Fills view={view} />
            <Pins session={session} messages={messages} />
          </div>
        </div>
      )}
    </Loaded>
  );
}

function Legend({ view: { original, sent, windowTokens, thresholdTokens } }: { readonly view: ContextView }) {
  return (
    <p class="legend">
      <span>
        <i class="key sent" /> sent {short(sent.at(-1) ?? 0)}
      </span>
      <span>
        <i class="key original" /> without compaction {short(original.at(-1) ?? 0)}
      </span>
      <span>
        <i class="key reported" /> reported by the provider
      </span>
      {thresholdTokens === undefined ? null : (
        <span>
          <i class="key threshold" /> threshold {short(thresholdTokens)}
        </span>
      )}
      {windowTokens === undefined ? null : (
        <span>
          <i class="key window" /> window {short(windowTokens)}
        </span>
      )}
    </p>
  );
}

function ContextChart({ view }: { readonly view: ContextView }) {
  const data = useMemo(() => chartData(view), [view]);
  const options = useCallback((colours: Colours) => chartOptions(view, colours), [view]);
  const { sent, windowTokens, compactions } = view;
  const label = `Context over ${counted(sent.length, "message")}: ${short(sent.at(-1) ?? 0)} tokens now${
    windowTokens === undefined ? "" : ` of a window of ${short(windowTokens)}`
  }, ${counted(compactions.length, "compaction")}.`;
  return <Chart label={label} height={CHART_PX} data={data} options={options} />;
}

function chartData({ original, sent, requests }: ContextView): uPlot.AlignedData {
  const reported: (number | null)[] = original.map(() => null);
  for (const { message, input } of requests) if (message > 0) reported[message - 1] = input;
  return [original.map((_, at) => at + 1), [...original], [...sent], reported];
}

function topOf({ original, sent, windowTokens, thresholdTokens = 0, requests }: ContextView): number {
  const mostSent = [...requests.map(({ input }) => input), ...sent].reduce((most, one) => Math.max(most, one), 1);
  const most = Math.max(mostSent, original.at(-1) ?? 0, thresholdTokens);
  const isTooMuch = windowTokens !== undefined && most > windowTokens * SCALE_WINDOWS_MAX;
  return (isTooMuch ? Math.max(mostSent, windowTokens) : most) * HEADROOM;
}

function chartOptions(view: ContextView, colours: Colours): Omit<uPlot.Options, "width" | "height"> {
  const top = topOf(view);
  return {
    legend: { show: false },
    cursor: { y: false, points: { size: 6 } },
    scales: { x: { time: false }, y: { range: () => [0, top] } },
    axes: axes(colours, { x: whole, y: short }),
    series: [
      {},
      { stroke: colours.of("faint"), width: 1.5, points: { show: false } },
      { stroke: colours.of("ink"), fill: colours.of("ink-soft"), width: 2, points: { show: false } },
      {
        stroke: colours.of("ink"),
        fill: colours.of("page"),
        paths: () => null,
        points: { show: true, size: 5, width: 1.5 },
      },
    ],
    hooks: { draw: [(plot) => drawMarks(plot, view, colours)], setCursor: [(plot) => say(plot, view)] },
  };
}

/** Threshold and window as dashed lines, compactions as marked places. */
function drawMarks(plot: uPlot, { windowTokens, thresholdTokens, compactions }: ContextView, colours: Colours): void {
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.font = FONT.replace("11px", `${11 * ratio}px`);
  ctx.lineWidth = ratio;
  ctx.textAlign = "left";
  const level = (tokens: number | undefined, name: string, colour: string): void => {
    if (tokens === undefined || tokens > (plot.scales["y"]?.max ?? 0)) return;
    const y = plot.valToPos(tokens, "y", true);
    ctx.strokeStyle = colours.of(colour);
    ctx.fillStyle = colours.of(colour);
    ctx.setLineDash([5 * ratio, 4 * ratio]);
    line(ctx, [bbox.left, y], [bbox.left + bbox.width, y]);
    ctx.fillText(name, bbox.left + 6 * ratio, y - 4 * ratio);
  };
  level(windowTokens, "window", "bad");
  level(thresholdTokens, "threshold", "warn");
  ctx.setLineDash([]);
  ctx.textAlign = "center";
  compactions.forEach(({ since, undone }, index) => {
    const x = plot.valToPos(since, "x", true);
    ctx.strokeStyle = ctx.fillStyle = colours.of(undone ? "faint" : "made");
    line(ctx, [x, bbox.top], [x, bbox.top + bbox.height]);
    ctx.fillText(String(index + 1), x, bbox.top - 3 * ratio);
  });
  ctx.restore();
}

function line(
  ctx: CanvasRenderingContext2D,
  [x, y]: readonly [number, number],
  [toX, toY]: readonly [number, number],
): void {
  ctx.beginPath();
  ctx.moveTo(x, y);
  ctx.lineTo(toX, toY);
  ctx.stroke();
}

/** The figures under the pointer, as the title of the chart. */
function say(plot: uPlot, { original, sent }: ContextView): void {
  const { idx } = plot.cursor;
  plot.over.title =
    typeof idx === "number" && sent[idx] !== undefined
      ? `message ${idx + 1}: ${whole(sent[idx])} sent, ${whole(original[idx] ?? 0)} without compaction`
      : "";
}

function Fills({ view: { fills } }: { readonly view: ContextView }) {
  const total = fills.reduce((sum, { tokens }) => sum + tokens, 0);
  return (
    <section class="panel">
      <h2>What fills it</h2>
      <table class="fills">
        <thead class="hidden">
          <tr>
            <th scope="col">Role and tool</th>
            <th scope="col">Messages</th>
            <th scope="col">Tokens</th>
            <th scope="col">Share</th>
          </tr>
        </thead>
        <tbody>
          {fills.map(({ role, tool, messages, tokens }) => (
            <tr key={`${role} ${tool ?? ""}`}>
              <td>
                <RoleBadge role={role} /> {tool ?? (messages === 0 ? "prompt and tools" : "")}
                <span class="bar">
                  <i class={role} style={{ width: `${(tokens / Math.max(1, fills[0]!.tokens)) * 100}%` }} />
                </span>
              </td>
              <td class="number dim">{whole(messages)}</td>
              <td class="number">{short(tokens)}</td>
              <td class="number">{percent(tokens, total)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="dim">The whole conversation, as its client knows it, in tokens as the provider counts them.</p>
    </section>
  );
}

function CompactionTable({ shown: { history }, session }: Pick<TabProps, "shown" | "session">) {
  return (
    <section class="panel">
      <h2>Compactions</h2>
      {history.length === 0 ? (
        <Empty title="Nothing was compacted yet">
          <p>
            The conversation is sent as its client knows it.{" "}
            <a href={sessionHref(session, "compact")}>Compact it now</a>
          </p>
        </Empty>
      ) : (
        <div class="scroll" tabIndex={0} role="region" aria-label="Compactions">
          <table>
            <thead>
              <tr>
                <th scope="col">Number</th>
                <th scope="col">Why</th>
                <th scope="col">Engine</th>
                <th scope="col" class="number">
                  Tokens
                </th>
                <th scope="col" class="number">
                  Messages
                </th>
                <th scope="col">When</th>
                <th scope="col">State</th>
              </tr>
            </thead>
            <tbody>
              {history.map(({ covered, undone, stands, createdAt, report }, at) => (
                <tr key={at} class={undone ? "undone" : ""}>
                  <td>
                    <a href={sessionHref(session, "compactions", at + 1)}>Compaction {at + 1}</a>
                  </td>
                  <td>{report.reason}</td>
                  <td>{report.engine}</td>
                  <td class="number">
                    {whole(report.tokens.before)} → {whole(report.tokens.after)}
                  </td>
                  <td class="number">{whole(covered)}</td>
                  <td title={moment(createdAt)}>{ago(createdAt)}</td>
                  <td>{undone ? "undone" : stands ? <b class="made">in effect</b> : "replaced"}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

const REQUESTS_SHOWN = 12;

function RequestTable({ view: { requests } }: { readonly view: ContextView }) {
  if (requests.length === 0) return null;
  const latest = requests.slice(-REQUESTS_SHOWN).toReversed();
  return (
    <section class="panel">
      <h2>Newest requests, as reported</h2>
      <div class="scroll" tabIndex={0} role="region" aria-label="Newest requests">
        <table>
          <thead>
            <tr>
              <th scope="col">Message</th>
              <th scope="col">Model</th>
              <th scope="col" class="number">
                Input
              </th>
              <th scope="col" class="number">
                From cache
              </th>
              <th scope="col" class="number">
                Written
              </th>
              <th scope="col" class="number">
                Output
              </th>
              <th scope="col" class="number">
                Cost
              </th>
              <th scope="col">When</th>
            </tr>
          </thead>
          <tbody>
            {latest.map(({ message, model, input, cacheRead, cacheWrite, output, costUsd, at }, index) => (
              <tr key={index}>
                <td class="number">{whole(message)}</td>
                <td>{model}</td>
                <td class="number">{whole(input)}</td>
                <td class="number">
                  {whole(cacheRead)} <small>{percent(cacheRead, input)}</small>
                </td>
                <td class="number">{whole(cacheWrite)}</td>
                <td class="number">{whole(output)}</td>
                <td class="number">{dollars(costUsd)}</td>
                <td title={moment(at)}>{ago(at)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
