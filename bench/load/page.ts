/** docs/capacity.md, written from the stored results and nothing else: the same results give the same page. */
import type { PostgresFigures } from "../postgres.ts";
import { keptResult, type Kept } from "../peers/results.ts";
import { growthSection } from "./growth.ts";
import { markdownTable } from "../../scripts/docs/markdown.ts";
import type { LoadFigures, LoadResults, ShapeFigures } from "./figures.ts";
import { peopleCells } from "./tables.ts";
import { coresGot, COST_NAMES, fitError, fittedCosts, simulatedPoints, type Cost, type Costs } from "./model.ts";

export type LoadKept = Kept<LoadResults>;

export function capacityPage(): string {
  const kept = keptResult<LoadResults>("load");
  const postgres = keptResult<PostgresFigures>("postgres");
  if (kept === undefined || postgres === undefined)
    throw new Error("nothing was measured: npm run bench:load -- --part all --keep");
  const costs = fittedCosts(kept.figures.shapes);
  const sections = [
    opening(kept),
    turnSection(kept.figures.shapes),
    costSection(kept.figures.shapes, costs),
    gatewaysSection(kept.figures),
    peopleSection(kept.figures),
    lookUpSection(postgres),
    tenantSection(kept.figures),
    simulationLine(kept.figures),
    growthSection(costs),
  ];
  return `${sections.flat().join("\n\n")}\n`;
}

function opening({ machine, on, figures }: LoadKept): readonly string[] {
  const loads = Object.values(figures.machineLoad);
  const [least, most] = [Math.min(...loads), Math.max(...loads)];
  return [
    "# Capacity",
    "<!-- Written by `npm run docs:capacity` from bench/results; a test fails where it is out of date. -->",
    `This page says what gateways, their database and its disk cost, for those who plan machines for 10, 10,000 or 10 million sessions a day. Measured on ${on} with \`npm run bench:load\` on ${machine.cores} cores
(${machine.cpu}, Node ${machine.node}) that run clients, upstream, gateways and PostgreSQL together. **Other programs used the machine at the same time** (load ${least.toFixed(1)} to ${most.toFixed(1)}): use ratios and counts as they are, and
processor times and latencies as upper bounds.`,
    "    npm run bench:load -- --part all --keep        # everything on this page\n    npm run bench:postgres -- --keep               # the look-ups at five million messages\n    npm run docs:capacity                          # writes this page from them",
    "`--at-once`, `--sessions`, `--rate`, `--bytes`, `--window`, `--corpus` and `--store sqlite` change the load. The upstream answers at once.",
  ];
}

function turnSection(shapes: readonly ShapeFigures[]): readonly string[] {
  const rows = shapes.map((shape) => {
    const each = (total: number, digits: number): string => (total / shape.turns).toFixed(digits);
    const { used, through, direct } = shape;
    return [
      shape.name,
      each(shape.bytes / 1_000, 0),
      `${shape.compactions} in ${shape.turns}`,
      (through.p50Ms - direct.p50Ms).toFixed(1),
      each(used.gateway, 1),
      each(used.database, 1),
      each(shape.walBytes / 1_000, 1),
      each(shape.storedBytes / 1_000, 1),
      (shape.storedBytes / shape.newTokens).toFixed(1),
    ];
  });
  return [
    "## A turn",
    "Sessions one after another through one gateway, with the history in PostgreSQL; each turn sends the whole conversation. All but the last column are per turn.",
    markdownTable([
      [
        "sessions",
        "KB sent",
        "compactions in turns",
        "added ms, p50",
        "gateway CPU ms",
        "database CPU ms",
        "WAL KB",
        "stored KB",
        "stored bytes per new token",
      ],
      ...rows,
    ]),
    "Stored are tables and indexes on the disk. A token is about four bytes.",
  ];
}

const UNITS: Readonly<Record<Cost, readonly [what: string, amounts: readonly string[]]>> = {
  gatewayMs: ["gateway CPU, ms", ["turns", "KB sent", "1,000 tokens compacted"]],
  databaseMs: ["database CPU, ms", ["turns", "KB new", "1,000 tokens compacted"]],
  clientMs: ["client CPU, ms", ["turns", "KB sent"]],
  upstreamMs: ["upstream CPU, ms", ["turns", "KB sent"]],
  transactions: ["transactions", ["turns", "compactions"]],
  walKb: ["WAL, KB", ["turns", "KB new", "1,000 tokens compacted"]],
  rows: ["rows", ["turns", "1,000 tokens compacted"]],
  storedKb: ["stored, KB", ["turns", "KB new", "1,000 tokens compacted"]],
};

/** What the clients and the upstream of the measurement take is nothing that an operator pays for. */
const OF_THE_BENCH: readonly Cost[] = ["clientMs", "upstreamMs"];

function costSection(shapes: readonly ShapeFigures[], costs: Costs): readonly string[] {
  const rows = COST_NAMES.filter((name) => !OF_THE_BENCH.includes(name)).map((name) => {
    const [what, amounts] = UNITS[name];
    const errors = shapes.map((shape) => Math.abs(fitError(costs, name, shape)));
    const formula = amounts.map((amount, at) => `${costDigits(costs[name][at]!)} × ${amount}`).join(" + ");
    return [what, formula, percent(Math.max(...errors))];
  });
  return [
    "## Costs, fitted",
    `Least squares over the ${shapes.length} rows above. _KB sent_ are all request bodies: about T × B / 2 for T turns up to B KB. With so few rows, a term says what would fit, not what happens in the program.`,
    markdownTable([["of a session", "is about", "largest error"], ...rows]),
  ];
}

const DOORS = ["", "one gateway", "two gateways"];

function loadRows(rows: readonly LoadFigures[]): readonly (readonly string[])[] {
  const through = rows.filter(({ gateways }) => gateways > 0);
  return through.map((row) => {
    const straight = rows.find((one) => one.gateways === 0 && one.offeredPerSecond === row.offeredPerSecond)!;
    const { gateway, database } = row.usedPerRequest;
    return [
      row.offeredPerSecond === undefined ? "as fast as it goes" : row.offeredPerSecond.toFixed(0),
      DOORS[row.gateways]!,
      row.perSecond.toFixed(1),
      ...[row.p50Ms - straight.p50Ms, row.p50Ms, row.p95Ms, row.p99Ms].map((ms) => ms.toFixed(0)),
      ...[gateway, database].map((ms) => ms.toFixed(1)),
    ];
  });
}

/** With so much under way for each core, another process gets no core of its own. */
const CROWDED_LOAD = 3;

function gatewaysSection({ full, paced, machineLoad }: LoadResults): readonly string[] {
  const isCrowded = (machineLoad["full"] ?? 0) > CROWDED_LOAD;
  const cores = coresGot(full.rows);
  return [
    "## One gateway and two",
    `${full.sessions} sessions, ${full.atOnce} at once, that grow to ${full.bytes / 1_000} KB through a window of ${full.windowTokens.toLocaleString("en")} tokens and are compacted several times. Two gateways share one database, and turns alternate between them.`,
    markdownTable([
      ["offered a second", "", "answered a second", "added ms, p50", "p50", "p95", "p99", "gateway CPU ms", "database"],
      ...loadRows(full.rows),
      ...loadRows(paced.rows),
    ]),
    `As fast as they go, two gateways answered ${full.twoOfOne.toFixed(2)} times as many requests as one (median of the rounds), on the ${cores.toFixed(2)} cores that other programs left the measurement. A gateway's event loop is one thread: a second one helps where there is
a core for it.${isCrowded ? " **Here there was none**, so measure this again on cores of their own." : ""}`,
  ];
}

function peopleSection({ people, machineLoad }: LoadResults): readonly string[] {
  if (people === undefined) return [];
  const { atOnce, awaySeconds, bytes, faster, perSecond, residentMb } = people;
  const load = machineLoad["people"] ?? 0;
  const isCrowded = load > CROWDED_LOAD;
  return [
    `## ${people.people} people`,
    `${people.people} conversations of ${(bytes / 1_000).toFixed(0)} KB on average, some 80,000 tokens, at two gateways and one database: ${perSecond.toFixed(1)} turns a second, ${faster} times as many as ${people.people} people make with 40 turns an hour each,
${atOnce} at once. In one phase a gateway is killed and another one started after ${awaySeconds} s, in one the database; the client asks the other gateway where one is not there, as a balancer does.`,
    markdownTable(peopleCells(people)),
    `The gateways took ${residentMb.map((mb) => mb.toFixed(0)).join(" and ")} MB at the end. A day of 8 hours stores ${(people.storedBytesADay / 1e9).toFixed(2)} GB and writes ${(people.walBytesADay / 1e9).toFixed(2)} GB of log.${
      isCrowded
        ? ` **Other programs kept a load of ${load.toFixed(0)} on the machine's cores meanwhile**, so that the times say little. What was refused, lost and stored does not depend on that.`
        : ""
    }`,
  ];
}

function lookUpSection({ figures }: Kept<PostgresFigures>): readonly string[] {
  return [
    "## Look-ups in a large database",
    `${figures.messages.toLocaleString("en")} messages in sessions of 10,000, and ${figures.compactions.toLocaleString("en")} compactions of the same tenant. Every request asks the first two or three of these.`,
    markdownTable([
      ["", "median ms", "95 %"],
      ...figures.rows.map(({ what, medianMs, p95Ms }) => [what, medianMs.toFixed(2), p95Ms.toFixed(2)]),
    ]),
  ];
}

function tenantSection({ noisy }: LoadResults): readonly string[] {
  const { alone, beside, p99Ratio, noisyPerSecond, noisyAnswered, noisyRefused, quietRefused, quietPerSecond } = noisy;
  const [least, most] = noisy.retryAfterSeconds;
  const seconds = least === most ? `${least} s` : `${least} to ${most} s`;
  return [
    "## A tenant at its limit",
    `One tenant sends ${quietPerSecond.toFixed(0)} requests a second. In every second block of time another one, which may send ${noisy.limitPerMinute} a minute, sends ${noisyPerSecond.toFixed(0)} a second; what its limit lets it send at once is over when a block begins${noisy.clientAlways === true ? "; in the others the same client sends as much straight to the upstream, because it runs on the same cores" : ". Its client runs on the same cores, and only then"}.`,
    `The first one's 99th percentile is **${p99Ratio.toFixed(2)} times** what it is alone (${alone.p99Ms.toFixed(1)} and ${beside.p99Ms.toFixed(1)} ms) over all blocks, and ${quietRefused === 0 ? "none" : String(quietRefused)} of its requests were refused. Of the other's, ${noisyAnswered.toLocaleString("en")} were answered and ${noisyRefused.toLocaleString("en")} got a 429 that says to come again in ${seconds}. The aim is 1.5 or less.`,
  ];
}

/** How far the fitted costs are from what several sessions at once came to. Latencies it misses, so they are no forecast. */
function simulationLine(figures: LoadResults): readonly string[] {
  const errors = simulatedPoints(figures).map(({ measured, perSecond }) => perSecond / measured.perSecond - 1);
  const [least, most] = [Math.min(...errors), Math.max(...errors)].map(signed);
  return [
    `\`bench/load/simulation.ts\` says from the fitted costs what several sessions at once come to: of the loads above, ${least} to ${most} of the requests that were answered a second. It forecasts no latency.`,
  ];
}

function percent(share: number): string {
  return `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
}

function signed(share: number): string {
  return `${share < 0 ? "−" : "+"}${Math.abs(100 * share).toFixed(0)} %`;
}

function costDigits(value: number): string {
  return value >= 10 ? value.toFixed(0) : value >= 1 ? value.toFixed(1) : value.toFixed(3);
}
