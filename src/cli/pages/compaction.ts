/** One compaction as part of a page: its figures, the picture, the receipt, the handoff, and both sides message by message. */
import { type CompactionReport } from "../../core/compaction/compaction.ts";
import type { MessageShown } from "../../gateway/history/contract.ts";
import { change, count, counted } from "../amounts.ts";
import { fateText, RECEIPT_NAMES } from "../receipt-names.ts";
import { alignedRuns, tokensOf, type AlignedRun, type Fate } from "./alignment.ts";
import type { MessageAfter, MessageBefore, ShownCompaction } from "./compaction-shown.ts";
import { flowPicture } from "./flow.ts";
import { handoffDocument, type Targets } from "./handoff-document.ts";
import { markup, type Html } from "./html.ts";

/** A longer message is folded. */
const OPEN_CHARS_MAX = 500;
const PREVIEW_CHARS_MAX = 160;

const FATES: Readonly<Record<Fate, string>> = {
  kept: "kept word for word",
  shortened: "shortened in place",
  replaced: "replaced",
};

/** `prefix` keeps the ids of several compactions on one page apart. */
export function compactionSections(view: ShownCompaction, prefix: string): Html {
  const runs = alignedRuns(view);
  const row = (at: number): string => `${prefix}r${at + 1}`;
  const targets = targetsOf(view, prefix);
  const handoff = view.after.find(({ origin }) => origin === "summary");
  const { tokens, messages } = view.report;
  return markup`<p class="size">
      ${count(tokens.before)} → ${count(tokens.after)} <small>tokens</small>
      <span class="less">${change(tokens.before, tokens.after)}</span>
    </p>
    ${tiles(view.report, handoff?.tokens ?? 0)}
    <figure class="picture">
      <p class="ends"><span>before: ${counted(messages.before, "message")}</span></p>
      ${flowPicture({ runs, target: row })}
      <p class="ends"><span>after: ${counted(messages.after, "message")}</span></p>
      <figcaption>${legend(runs)}<span>Widths are tokens. Select a piece to see its messages.</span></figcaption>
    </figure>
    ${receiptTable(view.report)}
    ${
      handoff === undefined
        ? ""
        : markup`<h2 id="${prefix}handoff">The handoff</h2>
            <div class="card">${handoffDocument(handoff.text, targets)}</div>`
    }
    <h2 id="${prefix}messages">Before and after</h2>
    <div class="heads"><span>Before</span><span>After</span></div>
    ${runs.map((run, at) => rowOf(run, { id: row(at), prefix, targets }))}`;
}

function tiles({ messages, recall }: CompactionReport, handoffTokens: number): Html {
  const handoff = handoffTokens === 0 ? "replaced" : `in a handoff of ${counted(handoffTokens, "token")}`;
  return markup`<div class="tiles">
    ${tile("kept", messages.kept, "messages kept word for word")}
    ${tile("shortened", messages.edited, "messages shortened in place")}
    ${tile("replaced", messages.summarised, `messages ${handoff}`)}
    ${tile("", recall.length, "recall ids lead to originals")}
  </div>`;
}

function tile(fate: Fate | "", value: number, says: string): Html {
  return markup`<div class="${fate}"><b>${count(value)}</b><span>${says}</span></div>`;
}

function legend(runs: readonly AlignedRun[]): readonly Html[] {
  return (["kept", "shortened", "replaced"] as const)
    .filter((fate) => runs.some((run) => run.fate === fate))
    .map(
      (fate) => markup`<span class="key ${fate}">${fate === "replaced" ? "replaced by a handoff" : FATES[fate]}</span>`,
    );
}

function receiptTable({ receipt, degraded }: CompactionReport): Html {
  const remarks = degraded.map((line) => markup`<p>${line}</p>`);
  if (receipt === undefined || receipt.lines.length === 0) return markup`${remarks}`;
  const rows = receipt.lines.map(
    (line) =>
      markup`<tr>
        <td>${RECEIPT_NAMES[line.kind]}</td>
        <td class="number">${line.message ?? ""}</td>
        <td class="wide">${line.text}</td>
        <td>${fateText(line)}</td>
      </tr>`,
  );
  return markup`<h2>The receipt</h2>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th>what</th>
            <th class="number">message</th>
            <th>begins</th>
            <th>became</th>
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>
    ${remarks}`;
}

interface RowContext {
  readonly id: string;
  readonly prefix: string;
  readonly targets: Targets;
}

function rowOf(run: AlignedRun, context: RowContext): Html {
  const { fate, before, after } = run;
  const weight = `${count(tokensOf(before))} → ${count(tokensOf(after))} tokens`;
  const [first, last] = [before[0]?.number, before.at(-1)?.number];
  const which =
    first === undefined ? "Written by precis" : first === last ? `Message ${first}` : `Messages ${first}–${last}`;
  const said = first === undefined ? "" : fate === "replaced" && after.length === 0 ? ": left out" : `: ${FATES[fate]}`;
  return markup`<section class="row ${fate}" id="${context.id}">
    <h3>${which}${said} · ${weight}</h3>
    <div>${before.map((message) => beforeArticle(message, context))}</div>
    <div class="after">
      ${fate === "kept" ? keptPlaces(run, context) : after.map((message) => afterArticle(message, context))}
    </div>
  </section>`;
}

function beforeArticle(message: MessageBefore, { id, prefix }: RowContext): Html {
  const { became, recall } = message;
  const where = "at" in became ? `${prefix}a${became.at + 1}` : id;
  const says = { kept: "kept", edited: "shortened", summarised: "in the handoff", removed: "removed" }[became.kind];
  const notes = markup`${recall === undefined ? "" : markup`<span class="tag">${recall}</span>`}
    <a href="#${where}">${says}</a>`;
  return article(message, { id: `${prefix}b${message.number}`, notes, body: messageText(message) });
}

function afterArticle(message: MessageAfter, { prefix, targets }: RowContext): Html {
  const { origin } = message;
  const says = origin === undefined ? "" : ORIGINS[origin];
  const body =
    origin === "summary"
      ? markup`<details open>
          <summary>the handoff</summary>
          ${handoffDocument(message.text, targets)}
        </details>`
      : messageText(message);
  const notes = says === "" ? markup`` : markup`<span class="tag">${says}</span>`;
  return article(message, { id: `${prefix}a${message.number}`, notes, body });
}

const ORIGINS = {
  summary: "handoff",
  anchor: "live request, repeated",
  note: "note by precis",
  digest: "digest",
  stub: "digest",
} as const;

/** What was kept is shown once, on the left. */
function keptPlaces({ after }: AlignedRun, { prefix }: RowContext): Html {
  return markup`<p class="dim">
    The same ${after.length === 1 ? "message" : `${count(after.length)} messages`}, byte for
    byte${after.map(({ number }) => markup`<span class="place" id="${prefix}a${number}"></span>`)}, now
    ${after.length === 1 ? `number ${after[0]!.number}` : `numbers ${after[0]?.number ?? ""}–${after.at(-1)?.number ?? ""}`}.
  </p>`;
}

interface ArticleParts {
  readonly id: string;
  readonly notes: Html;
  readonly body: Html;
}

function article({ number, role, tokens }: MessageShown, { id, notes, body }: ArticleParts): Html {
  return markup`<article id="${id}">
    <div class="head"><b>${number}</b> <span>${role}</span> ${notes}<span class="end">${count(tokens)}</span></div>
    ${body}
  </article>`;
}

/** Calls and short texts are open; long ones are folded below their first line. */
export function messageText({ text, calls, role }: MessageShown): Html {
  const called = calls.map((call) => markup`<div><code>→ ${call}</code></div>`);
  const said = text.trim();
  if (said === "") return markup`${called}`;
  if (role !== "tool" && said.length <= OPEN_CHARS_MAX)
    return markup`<pre>${said}</pre>
      ${called}`;
  const preview = said.slice(0, PREVIEW_CHARS_MAX).replaceAll(/\s+/g, " ");
  return markup`<details>
      <summary>${preview}</summary>
      <pre>${said}</pre>
    </details>
    ${called}`;
}

function targetsOf({ before }: ShownCompaction, prefix: string): Targets {
  const recalls = new Map<string, number>();
  for (const { recall, number } of before)
    if (recall !== undefined && !recalls.has(recall)) recalls.set(recall, number);
  return {
    message: (number) => (number >= 1 && number <= before.length ? `${prefix}b${number}` : undefined),
    recall: (id) => (recalls.has(id) ? `${prefix}b${recalls.get(id)}` : undefined),
  };
}
