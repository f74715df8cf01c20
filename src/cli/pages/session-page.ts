/** `precis sessions show ID --html`: a stored session with its size over time, what fills it, and its newest compactions. */
import type { ContextView, SessionShown } from "../../gateway/history/contract.ts";
import { change, count, counted, percent } from "../amounts.ts";
import type { ShownCompaction } from "./compaction-shown.ts";
import { footer } from "./compact-page.ts";
import { compactionSections, messageText } from "./compaction.ts";
import { contextChart } from "./context-chart.ts";
import { markup, pageText, type Html } from "./html.ts";
import { STYLE } from "./style.ts";

const FILLS_SHOWN_MAX = 12;
const BAR_WIDTH = 200;
const ISO_MINUTE_CHARS = 16;

export interface NumberedCompaction {
  /** From 1, as in the session's history. */
  readonly number: number;
  readonly view: ShownCompaction;
}

export interface SessionPage {
  readonly session: SessionShown;
  readonly context: ContextView;
  /** The newest first; a session may have more. */
  readonly compactions: readonly NumberedCompaction[];
}

export function sessionHtml({ session, context, compactions }: SessionPage): string {
  const title = session.title === "" ? `Session ${session.id.slice(0, 12)}` : session.title;
  const body = markup`<main>
    <header><span class="eyebrow">precis · session</span><h1>${title}</h1><p class="dim">${facts(session)}</p></header>
    ${size(session)} ${contextChart(context)} ${fills(context)} ${history(session, compactions)}
    ${compactions.map(compactionPart)} ${newest(session)} ${footer()}
  </main>`;
  return pageText({ title: `${title}: a session in precis`, style: STYLE, body });
}

function facts({ id, model, protocol, messages, createdAt, updatedAt }: SessionShown): string {
  const used = `${minute(createdAt)} to ${minute(updatedAt)} UTC`;
  return [id.slice(0, 16), model, protocol, counted(messages, "message"), used]
    .filter((one) => one !== undefined)
    .join(" · ");
}

function size({ estimate }: SessionShown): Html {
  if (estimate.sent === estimate.original)
    return markup`<p class="size">${count(estimate.original)} <small>tokens, nothing compacted</small></p>`;
  return markup`<p class="size">${count(estimate.original)} → ${count(estimate.sent)} <small>tokens</small> <span class="less">${change(estimate.original, estimate.sent)}</span></p>`;
}

function fills({ fills: all }: ContextView): Html {
  const whole = Math.max(
    1,
    all.reduce((sum, { tokens }) => sum + tokens, 0),
  );
  const rows = all.slice(0, FILLS_SHOWN_MAX).map(({ role, tool, messages, tokens }) => {
    const width = Math.max(1, (tokens / Math.max(1, all[0]!.tokens)) * BAR_WIDTH).toFixed(1);
    return markup`<tr><td>${tool ?? (messages === 0 ? "system prompt and tools" : role)}</td><td class="number">${count(messages)}</td><td class="number">${count(tokens)}</td><td class="number">${percent(tokens / whole)}</td><td><svg class="bar" viewBox="0 0 ${BAR_WIDTH} 8" preserveAspectRatio="none" aria-hidden="true"><rect width="${width}" height="8" /></svg></td></tr>`;
  });
  return markup`<h2>What fills it</h2>
    <div class="scroll"><table>
      <thead><tr><th>role or tool</th><th class="number">messages</th><th class="number">tokens</th><th class="number">share</th><th></th></tr></thead>
      <tbody>${rows}</tbody>
    </table></div>`;
}

function history({ history: all }: SessionShown, shown: readonly NumberedCompaction[]): Html {
  if (all.length === 0) return markup`<h2>Compactions</h2><p>None so far.</p>`;
  const detailed = new Set(shown.map(({ number }) => number));
  const rows = all.map(({ report, covered, undone, stands, createdAt }, at) => {
    const number = at + 1;
    const name = detailed.has(number) ? markup`<a href="#c${number}">${number}</a>` : markup`${number}`;
    const state = undone ? "undone" : stands ? "active" : "replaced by a later one";
    return markup`<tr><td>${name}</td><td>${minute(createdAt)}</td><td>${report.reason}</td><td class="number">${count(covered)}</td><td class="number">${count(report.tokens.before)} → ${count(report.tokens.after)}</td><td>${state}</td></tr>`;
  });
  return markup`<h2>Compactions</h2>
    <div class="scroll"><table>
      <thead><tr><th></th><th>when</th><th>reason</th><th class="number">messages covered</th><th class="number">tokens</th><th>state</th></tr></thead>
      <tbody>${rows}</tbody>
    </table></div>`;
}

function compactionPart({ number, view }: NumberedCompaction): Html {
  return markup`<section id="c${number}"><h2>Compaction ${number}</h2>${compactionSections(view, `c${number}-`)}</section>`;
}

function newest({ tail }: SessionShown): Html {
  const messages = tail.map(
    (one) =>
      markup`<article><div class="head"><b>${one.number}</b> <span>${one.role}</span><span class="end">${count(one.tokens)}</span></div>${messageText(one)}</article>`,
  );
  return markup`<h2>Newest messages</h2>${messages}`;
}

function minute(ms: number): string {
  return new Date(ms).toISOString().slice(0, ISO_MINUTE_CHARS).replace("T", " ");
}
