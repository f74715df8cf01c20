/** The parts of docs/gateway.md that are written from the code: clients, reasons, notices, limits, metrics. */
import { markdownTable, withGenerated } from "./markdown.ts";
import { DEFAULTS } from "../../src/config/defaults.ts";
import { ALL_NOTICES, ALL_REASONS } from "./gateway-codes.ts";
import { clientSetups } from "../../src/gateway/operation/clients.ts";
import { LIMITS } from "./gateway-limits.ts";
import { LABELS, METRICS, type MetricDefinition } from "../../src/gateway/operation/metric-list.ts";

const URL_SHOWN = `http://${DEFAULTS.gateway.host}:${DEFAULTS.gateway.port}`;

type Rows = readonly (readonly string[])[];

const TABLES: Readonly<Record<string, () => Rows>> = {
  reasons: () => [["because", "what it means"], ...coded(ALL_REASONS)],
  notices: () => [["code", "what it means"], ...coded(ALL_NOTICES)],
  limits: () => [
    ["limit", "by default", "setting", "what it bounds"],
    ...LIMITS.map(({ name, amount, setting, meaning }) => [
      `\`${name}\``,
      amount,
      setting === undefined ? "" : `\`${setting}\``,
      meaning,
    ]),
  ],
  metrics: () => [
    ["metric", "kind", "labels", "what it says"],
    ...(Object.entries(METRICS) as [string, MetricDefinition][]).map(([name, { kind, labels, help }]) => [
      `\`${name}\``,
      kind,
      labels.map((label) => `\`${label}\``).join(", "),
      help,
    ]),
  ],
  labels: () => [["label", "values"], ...Object.entries(LABELS).map(([name, values]) => [`\`${name}\``, values])],
};

/** docs/gateway.md with its tables and client settings renewed. */
export function withGatewayReference(page: string): string {
  const tables = Object.entries(TABLES).reduce(
    (renewed, [name, rows]) => withGenerated(renewed, name, markdownTable(rows())),
    page,
  );
  return withGenerated(tables, "clients", clientSections());
}

function coded(meanings: Readonly<Record<string, string>>): Rows {
  return Object.entries(meanings).map(([code, meaning]) => [`\`${code}\``, meaning]);
}

function clientSections(): string {
  const sections = clientSetups(URL_SHOWN).map(({ client, protocol, place, language, lines, note }) => {
    const where = language === "sh" ? "" : ` In \`${place}\`:`;
    return [`### ${client}`, `${protocol}.${where}`, ["```" + language, ...lines, "```"].join("\n"), note].join("\n\n");
  });
  return sections.join("\n\n");
}
