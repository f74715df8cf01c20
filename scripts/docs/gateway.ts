/** The parts of docs/gateway.md that are written from the code: clients, reasons, notices, limits. */
import { definitions, withGenerated } from "./markdown.ts";
import { DEFAULTS } from "../../src/config/defaults.ts";
import { ALL_NOTICES, ALL_REASONS } from "./gateway-codes.ts";
import { clientSetups } from "../../src/gateway/operation/clients.ts";
import { LIMITS } from "./gateway-limits.ts";

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
};

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

/** Those that a variable of the shell is enough for; the others need a file, which `precis serve` prints. */
function clientSections(): string {
  const sections = clientSetups(URL_SHOWN)
    .filter(({ language }) => language === "sh")
    .map(({ client, lines, note }) => [`### ${client}`, ["```sh", ...lines, "```"].join("\n"), note].join("\n\n"));
  return sections.join("\n\n");
}
