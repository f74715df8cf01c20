/** What a compaction came to, in figures: sizes, what became of the messages, and the receipt. */
import {
  RECEIPT_FATES,
  RECEIPT_KINDS,
  type CompactionReport,
  type Receipt,
} from "../../src/core/compaction/compaction.ts";
import { FATE_NAMES, fateText, RECEIPT_NAMES } from "../../src/cli/screen/receipt-names.ts";
import { countIn } from "../../src/core/receipt/counts.ts";
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
      <ReceiptList receipt={report.receipt} />
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

function ReceiptList({ receipt }: { readonly receipt: Receipt | undefined }) {
  if (receipt === undefined || receipt.lines.length === 0) return null;
  const fates = RECEIPT_FATES.map((fate) => {
    const number = RECEIPT_KINDS.reduce((sum, kind) => sum + countIn(receipt, kind, fate), 0);
    return number === 0 ? [] : [`${whole(number)} ${FATE_NAMES[fate]}`];
  });
  return (
    <details class="receipt">
      <summary>Receipt: {fates.flat().join(", ")}</summary>
      <table>
        <thead>
          <tr>
            <th>what</th>
            <th>message</th>
            <th>begins</th>
            <th>became</th>
          </tr>
        </thead>
        <tbody>
          {receipt.lines.map((line, at) => (
            <tr key={at} class={line.fate}>
              <td>{RECEIPT_NAMES[line.kind]}</td>
              <td>{line.message ?? ""}</td>
              <td>{line.text}</td>
              <td>{fateText(line)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
