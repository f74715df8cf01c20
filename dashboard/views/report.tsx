/** What a compaction came to, in figures: sizes, what became of the messages, what was lost and what can be recalled. */
import type { CompactionReport } from "../../src/core/compaction/compaction.ts";
import { counted, dollars, percent, whole } from "../format.ts";

export function Report({ report, when }: { readonly report: CompactionReport; readonly when?: string }) {
  const { tokens, messages, recall, degraded, summary, costUsd, modelCalls, irreducible } = report;
  return (
    <div class="report">
      <Sizes tokens={tokens} />
      <dl class="figures">
        {when === undefined ? null : <Figure name="When">{when}</Figure>}
        <Figure name="Engine">
          {report.engine}, {report.reason}
        </Figure>
        <Figure name="Messages">
          {whole(messages.kept)} kept, {whole(messages.edited)} shortened, {whole(messages.summarised)} in the handoff
        </Figure>
        <Figure name="Handoff">
          {summary === undefined ? "none" : summary.by === "model" ? "written by a model" : "written by code"}
          {summary?.edited === true ? ", edited by a person" : ""}
          {modelCalls > 0 ? `, ${counted(modelCalls, "call")}, ${dollars(costUsd)}` : ""}
        </Figure>
        <Figure name="Recallable">{counted(recall.length, "original")}</Figure>
      </dl>
      <Lost report={report} />
      {irreducible === undefined ? null : <p class="warn">{irreducible.because}</p>}
      {degraded.map((line) => (
        <p key={line} class="warn">
          {line}
        </p>
      ))}
    </div>
  );
}

function Figure({ name, children }: { readonly name: string; readonly children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Sizes({ tokens: { before, after } }: Pick<CompactionReport, "tokens">) {
  return (
    <div class="sizes">
      <p>
        <b class="big">
          {whole(before)} → {whole(after)}
        </b>{" "}
        tokens, <b class="made">{percent(before - after, before)} less</b>
      </p>
      <span class="bar" aria-hidden="true">
        <i class="sent" style={{ width: `${(after / Math.max(1, before)) * 100}%` }} />
      </span>
    </div>
  );
}

function Lost({ report: { lost } }: { readonly report: CompactionReport }) {
  const kinds = Object.entries(lost).filter(([, { absent }]) => absent > 0);
  if (kinds.length === 0) return <p class="dim">Nothing that was looked for is missing from the result.</p>;
  return (
    <details class="lost">
      <summary>
        Not in the result: {kinds.map(([kind, { absent }]) => of(absent, kind)).join(", ")}{" "}
        <span class="dim">(examples)</span>
      </summary>
      <dl>
        {kinds.map(([kind, { absent, unrecallable, examples }]) => (
          <div key={kind}>
            <dt>
              {of(absent, kind)}
              {unrecallable === 0 ? ", all behind a recall id" : `, ${whole(unrecallable)} of them behind no recall id`}
            </dt>
            {examples.map((example) => (
              <dd key={example}>{example}</dd>
            ))}
          </div>
        ))}
      </dl>
    </details>
  );
}

/** Kinds are named in the plural. */
function of(count: number, kind: string): string {
  return `${whole(count)} ${count === 1 ? kind.replace(/s$/, "") : kind}`;
}
