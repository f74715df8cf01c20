/** The parts of docs/gateway.md that are written from the code: clients, reasons, notices, limits, metrics. */
import { definitions, withGenerated } from "./markdown.ts";
import { DEFAULTS } from "../../src/config/defaults.ts";
import { ALL_NOTICES, ALL_REASONS } from "./gateway-codes.ts";
import { clientSetups } from "../../src/gateway/operation/clients.ts";
import { LIMITS } from "./gateway-limits.ts";
import { METRICS, type MetricDefinition } from "../../src/gateway/operation/metric-list.ts";

const URL_SHOWN = `http://${DEFAULTS.gateway.host}:${DEFAULTS.gateway.port}`;

type Definitions = readonly (readonly [name: string, meaning: string])[];

const LISTS: Readonly<Record<string, () => Definitions>> = {
  reasons: () => coded(ALL_REASONS),
  notices: () => coded(ALL_NOTICES),
  limits: () =>
    LIMITS.map(({ name, amount, setting, meaning }) => [
      `\`${name}\` (${amount}${setting === undefined ? "" : `, \`${setting}\``})`,
      meaning,
    ]),
  metrics: () =>
    (Object.entries(METRICS) as [string, MetricDefinition][]).map(([name, one]) => [named(name, one), one.help]),
};

/** What a name's ending says of its kind is not repeated. */
function named(name: string, { kind, labels }: MetricDefinition): string {
  const told = [...(name.endsWith(KIND_ENDINGS[kind] ?? "\n") ? [] : [kind]), ...labels.map((label) => `\`${label}\``)];
  return `\`${name}\`${told.length === 0 ? "" : ` (${told.join(", ")})`}`;
}

const KIND_ENDINGS: Readonly<Record<string, string>> = { counter: "_total", histogram: "_seconds" };

/** docs/gateway.md with its lists and client settings renewed. */
export function withGatewayReference(page: string): string {
  const lists = Object.entries(LISTS).reduce(
    (renewed, [name, rows]) => withGenerated(renewed, name, definitions(rows())),
    page,
  );
  return withGenerated(lists, "clients", clientSections());
}

function coded(meanings: Readonly<Record<string, string>>): Definitions {
  return Object.entries(meanings).map(([code, meaning]) => [`\`${code}\``, meaning]);
}

function clientSections(): string {
  const sections = clientSetups(URL_SHOWN).map(({ client, protocol, place, language, lines, note }) => {
    const where = language === "sh" ? "" : ` In \`${place}\`:`;
    return [`### ${client}`, `${protocol}.${where}`, ["```" + language, ...lines, "```"].join("\n"), note].join("\n\n");
  });
  return sections.join("\n\n");
}
