/** `precis report --html`: the report on recorded sessions as a page, with compactions of the sessions that change most to look at. */
import type { NamedOutlook } from "../../session/outlook/outlook.ts";
import type { OutlookCompaction } from "../../session/outlook/session.ts";
import { change, count, counted, percent } from "../amounts.ts";
import { bySavings, dollars, facts, shortName, verdict, type Report } from "../report-page.ts";
import { RECEIPT_NAMES } from "../receipt-names.ts";
import { version } from "../version.ts";
import { handoffDocument } from "./handoff-document.ts";
import { markup, pageText, type Html } from "./html.ts";
import { STYLE } from "./style.ts";

const SESSIONS_SHOWN_MAX = 100;
const EXAMPLES_SHOWN_MAX = 5;
const ISO_MINUTE_CHARS = 16;

export function reportHtml(report: Report): string {
  const body = markup`<main>
    <header><span class="eyebrow">precis · report</span><h1>${verdict(report)}</h1></header>
    ${tiles(report)}
    <table>
      <tbody>${facts(report).map(([name, says]) => markup`<tr><th>${name}</th><td>${says}</td></tr>`)}</tbody>
    </table>
    ${advice(report)} ${sessionTable(report)} ${missingTable(report)} ${examples(report)}
    <footer>Written by precis ${version()} from session files, which hold neither system prompts nor tools. Secrets that precis recognises are masked.</footer>
  </main>`;
  return pageText({ title: "What precis would have done", style: STYLE, body });
}

function tiles({ tokens, usd, compactions, sessions, later }: Report): Html {
  if (sessions.length === 0) return markup``;
  return markup`<div class="tiles">
    <div class="kept"><b>${change(tokens.without, tokens.with)}</b><span>input tokens</span></div>
    ${usd === undefined ? "" : markup`<div class="kept"><b>${dollars(usd.without)} → ${dollars(usd.with)}</b><span>by the price table, with a prompt cache</span></div>`}
    <div class="replaced"><b>${count(compactions)}</b><span>compactions of ${counted(sessions.length, "session")}</span></div>
    ${later.used === 0 ? "" : markup`<div class="shortened"><b>${percent(later.held / later.used)}</b><span>of what was used later would still have been there</span></div>`}
  </div>`;
}

function advice({ advice: all }: Report): Html {
  if (all.length === 0) return markup``;
  const items = all.map(
    ({ setting, because }) =>
      markup`<li>${setting === undefined ? "" : markup`<code>${setting}</code> `}${because}</li>`,
  );
  return markup`<h2>Settings that follow</h2><ul>${items}</ul>`;
}

function sessionTable({ sessions: all }: Report): Html {
  const changed = bySavings(all);
  if (changed.length === 0) return markup``;
  const rows = changed.slice(0, SESSIONS_SHOWN_MAX).map((one, at) => {
    const name =
      at < EXAMPLES_SHOWN_MAX
        ? markup`<a href="#s${at + 1}">${shortName(one.name)}</a>`
        : markup`${shortName(one.name)}`;
    return markup`<tr><td class="wide">${name}</td><td>${one.model ?? ""}</td><td class="number">${count(one.requests)}</td><td class="number">${count(one.largest.without)}</td><td class="number">${count(one.largest.with)}</td><td class="number">${count(one.compactions.length)}</td><td class="number">${change(one.without.inputTokens, one.with.inputTokens)}</td></tr>`;
  });
  const more = changed.length - rows.length;
  return markup`<h2>Sessions that would have been compacted</h2>
    <div class="scroll"><table>
      <thead><tr><th>session</th><th>model</th><th class="number">requests</th><th class="number">largest</th><th class="number">with precis</th><th class="number">compactions</th><th class="number">input</th></tr></thead>
      <tbody>${rows}</tbody>
    </table></div>
    ${more > 0 ? markup`<p class="dim">And ${counted(more, "more session")}.</p>` : ""}`;
}

function missingTable({ missing: kinds }: Report): Html {
  if (kinds.length === 0) return markup``;
  const rows = kinds.map(
    ({ kind, recallable, lost, examples: some }) =>
      markup`<tr><td>${RECEIPT_NAMES[kind]}</td><td class="number">${count(recallable)}</td><td class="number">${count(lost)}</td><td>${some.map((one) => markup`<code>${one}</code> `)}</td></tr>`,
  );
  return markup`<h2>What the results do not hold</h2>
    <div class="scroll"><table>
      <thead><tr><th>kind</th><th class="number">recallable</th><th class="number">lost</th><th>examples</th></tr></thead>
      <tbody>${rows}</tbody>
    </table></div>`;
}

function examples({ sessions: all }: Report): Html {
  const shown = bySavings(all).slice(0, EXAMPLES_SHOWN_MAX);
  return markup`${shown.map((one, at) => example(one, `s${at + 1}`))}`;
}

function example({ name, compactions, thresholdTokens, windowTokens }: NamedOutlook, id: string): Html {
  return markup`<section id="${id}"><h2>${shortName(name)}</h2>
    <p class="dim">compacted from ${count(thresholdTokens)} tokens on, of a window of ${count(windowTokens)}</p>
    ${compactions.map((one) => compaction(one))}</section>`;
}

function compaction({ request, atMs, report, later, handoff }: OutlookCompaction): Html {
  const when =
    atMs === undefined ? "" : `, ${new Date(atMs).toISOString().slice(0, ISO_MINUTE_CHARS).replace("T", " ")} UTC`;
  const { tokens, messages } = report;
  const missing = later.missing.map((one) => markup`<code>${one}</code> `);
  const used =
    later.used === 0
      ? markup``
      : markup`<p>The agent then used ${counted(later.used, "identifier")} from before; ${count(later.held)} would still have been in its context.${missing.length === 0 ? "" : markup` Not there: ${missing}`}</p>`;
  const document =
    handoff === ""
      ? markup``
      : markup`<details><summary>the handoff</summary>${handoffDocument(handoff, NO_TARGETS)}</details>`;
  return markup`<div class="card"><h3>Before request ${request}${when}: ${count(tokens.before)} → ${count(tokens.after)} tokens (${change(tokens.before, tokens.after)})</h3>
    <p>${count(messages.kept)} messages kept, ${count(messages.edited)} shortened, ${count(messages.summarised)} in the handoff.</p>
    ${used}${document}</div>`;
}

const NO_TARGETS = { message: () => undefined, recall: () => undefined };
