/** docs/capacity.md, written from the stored results and nothing else: the same results give the same page. */
import type { PostgresFigures } from "../postgres.ts";
import { keptResult, type Kept } from "../peers/results.ts";
import { growthSection } from "./growth.ts";
import type { LoadResults } from "./figures.ts";
import { coresGot, fittedCosts } from "./model.ts";

export type LoadKept = Kept<LoadResults>;

export function capacityPage(): string {
  const kept = keptResult<LoadResults>("load");
  const postgres = keptResult<PostgresFigures>("postgres");
  if (kept === undefined || postgres === undefined)
    throw new Error("nothing was measured: npm run bench:load -- --part all --keep");
  const costs = fittedCosts(kept.figures.shapes);
  const sections = [
    opening(kept),
    growthSection(costs),
    peopleSection(kept.figures),
    gatewaysSection(kept.figures),
    lookUpSection(postgres),
    tenantSection(kept.figures),
  ];
  return `${sections.flat().join("\n\n")}\n`;
}

function opening({ machine, on, figures }: LoadKept): readonly string[] {
  const loads = Object.values(figures.machineLoad);
  const [least, most] = [Math.min(...loads), Math.max(...loads)];
  return [
    "# Capacity",
    "<!-- Written by `npm run docs:capacity` from bench/results. -->",
    `This page says what gateways, their database and its disk cost, for those who plan machines. Measured on ${on} with \`npm run bench:load\` on ${machine.cores} cores
(${machine.cpu}, Node ${machine.node}) that run clients, upstream, gateways and PostgreSQL together. **Other programs used the machine at the same time** (load ${least.toFixed(1)} to ${most.toFixed(1)}): processor times and latencies are upper bounds.`,
    "    npm run bench:load -- --part all --keep        # everything on this page\n    npm run bench:postgres -- --keep               # the look-ups at five million messages\n    npm run docs:capacity                          # writes this page from them",
  ];
}

/** With so much under way for each core, another process gets no core of its own. */
const CROWDED_LOAD = 3;

function gatewaysSection({ full, machineLoad }: LoadResults): readonly string[] {
  const isCrowded = (machineLoad["full"] ?? 0) > CROWDED_LOAD;
  const cores = coresGot(full.rows);
  return [
    "## One gateway and two",
    `With ${full.atOnce} sessions at once, two gateways on one database answered ${full.twoOfOne.toFixed(2)} times as many requests as one, on the ${cores.toFixed(2)} cores that other programs left. A gateway's event loop is one thread: a second one helps where there is
a core for it.${isCrowded ? " **Here there was none**, so measure this again on cores of their own." : ""}`,
  ];
}

function peopleSection({ people, machineLoad }: LoadResults): readonly string[] {
  if (people === undefined) return [];
  const { atOnce, awaySeconds, bytes, faster, perSecond, phases, residentMb } = people;
  const isCrowded = (machineLoad["people"] ?? 0) > CROWDED_LOAD;
  const [, through] = phases;
  return [
    `## ${people.people} people`,
    `${people.people} conversations of ${(bytes / 1_000).toFixed(0)} KB on average, some 80,000 tokens, at two gateways and one database: ${perSecond.toFixed(1)} turns a second (${faster} times as many as ${people.people} people make), ${atOnce} at once.
In one phase a gateway is killed and replaced after ${awaySeconds} s, in one the database; the client asks the other gateway meanwhile, as a balancer does.`,
    phases
      .slice(1)
      .map(
        ({ name, turns, untouched, refused, lost }) =>
          `- ${name}: of ${turns} turns, ${refused} refused, ${lost} lost, ${untouched} forwarded without being compacted or kept`,
      )
      .join("\n"),
    `The gateways took ${residentMb.map((mb) => mb.toFixed(0)).join(" and ")} MB. A day of 8 hours stores ${(people.storedBytesADay / 1e9).toFixed(2)} GB and writes ${(people.walBytesADay / 1e9).toFixed(2)} GB of log.${
      isCrowded
        ? " Other programs used the machine meanwhile, so the times say nothing and are not shown."
        : ` A turn took ${through!.p50Ms.toFixed(0)} ms at the median.`
    }`,
  ];
}

function lookUpSection({ figures }: Kept<PostgresFigures>): readonly string[] {
  const rows = figures.rows.map(
    ({ what, medianMs, p95Ms }) => `- ${what}: ${medianMs.toFixed(2)} and ${p95Ms.toFixed(2)}`,
  );
  return [
    "## Look-ups in a large database",
    `Among ${figures.messages.toLocaleString("en")} messages in sessions of 10,000, median and 95th percentile in milliseconds. Every request asks the first two or three.`,
    rows.join("\n"),
  ];
}

function tenantSection({ noisy }: LoadResults): readonly string[] {
  const { p99Ratio, noisyPerSecond, quietRefused } = noisy;
  return [
    "## A tenant at its limit",
    `While another tenant sent ${noisyPerSecond.toFixed(0)} requests a second, of which its limit lets ${noisy.limitPerMinute} a minute through, the 99th percentile of a tenant within its limit was **${p99Ratio.toFixed(2)} times** what it is alone, and ${quietRefused === 0 ? "none" : String(quietRefused)} of its requests were refused.`,
  ];
}
