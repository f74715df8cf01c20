/** The arithmetic for few and many sessions a day: what each part has to do, where it breaks first and what to do then. */
import { costOf, type Amounts, type Cost, type Costs } from "./model.ts";
import { markdownTable } from "../../scripts/docs/markdown.ts";

/** A day's work of a coding agent, by which everything is counted here. */
const SESSION = { turns: 100, tokens: 100_000, bytesPerToken: 4, compactedKtok: 100 } as const;
const DAY_SECONDS = 86_400;
/** Of the busiest hour, over the average. */
const PEAK = 3;
/** Of each core, so that bursts wait little. */
const BUSY_SHARE = 0.6;
const RETENTION_DAYS = 30;
const COUNTS = [10, 10_000] as const;

const AMOUNTS: Amounts = {
  turns: SESSION.turns,
  sentKb: (SESSION.turns * SESSION.tokens * SESSION.bytesPerToken) / 2 / 1_000,
  newKb: (SESSION.tokens * SESSION.bytesPerToken) / 1_000,
  newTokens: SESSION.tokens,
  messages: SESSION.turns * 2,
  compactions: 1,
  compactedKtok: SESSION.compactedKtok,
};

/** A team of people with coding agents. */
const TEAM = { people: 50, turnsPerHour: 40, hours: 8, tokens: 80_000, newTokensPerTurn: 1_000, atOnce: 5 } as const;
const WORKDAYS = 22;

interface Day {
  readonly sessions: number;
  readonly turnsPerSecond: number;
  readonly gatewayCores: number;
  readonly databaseCores: number;
  readonly transactionsPerSecond: number;
  readonly walMbPerSecond: number;
  readonly storedGb: number;
  readonly storedGbKept: number;
}

function dayOf(costs: Costs, sessions: number): Day {
  const of = (name: Cost): number => costOf(costs, name, AMOUNTS);
  const perSecond = (sessions / DAY_SECONDS) * PEAK;
  const storedGb = (sessions * of("storedKb")) / 1_000_000;
  return {
    sessions,
    turnsPerSecond: perSecond * SESSION.turns,
    gatewayCores: (perSecond * of("gatewayMs")) / 1_000 / BUSY_SHARE,
    databaseCores: (perSecond * of("databaseMs")) / 1_000 / BUSY_SHARE,
    transactionsPerSecond: perSecond * of("transactions"),
    walMbPerSecond: (perSecond * of("walKb")) / 1_000,
    storedGb,
    storedGbKept: storedGb * RETENTION_DAYS,
  };
}

const LINES: readonly (readonly [what: string, of: (day: Day) => number])[] = [
  ["turns a second, at the peak", ({ turnsPerSecond }) => turnsPerSecond],
  ["cores for gateways", ({ gatewayCores }) => gatewayCores],
  ["cores for the database", ({ databaseCores }) => databaseCores],
  ["transactions a second, at the peak", ({ transactionsPerSecond }) => transactionsPerSecond],
  ["stored, GB a day", ({ storedGb }) => storedGb],
  [`stored, GB after ${RETENTION_DAYS} days`, ({ storedGbKept }) => storedGbKept],
];

export function growthSection(costs: Costs): readonly string[] {
  const days = COUNTS.map((sessions) => dayOf(costs, sessions));
  const [few, many] = days as [Day, Day];
  return [
    "## Sessions a day",
    `A session here is ${SESSION.turns} turns and ${whole(SESSION.tokens)} new tokens, compacted once. It takes ${(costOf(costs, "gatewayMs", AMOUNTS) / 1_000).toFixed(1)} s of a gateway's core and ${(costOf(costs, "databaseMs", AMOUNTS) / 1_000).toFixed(1)} s of the database's, and stores ${(costOf(costs, "storedKb", AMOUNTS) / 1_000).toFixed(1)} MB.
The busiest hour has ${PEAK} times the average, cores are ${100 * BUSY_SHARE} % busy at most, and conversations are kept for ${RETENTION_DAYS} days after their last use.`,
    markdownTable([
      ["sessions a day", ...days.map(({ sessions }) => whole(sessions))],
      ...LINES.map(([what, of]) => [what, ...days.map((day) => amount(of(day)))]),
    ]),
    `- **10 a day**: one gateway with its history in a file (the default). ${amount(few.storedGbKept)} GB are kept.`,
    teamLine(costs),
    `- **10,000 a day** fill the disk first: ${amount(many.storedGbKept)} GB after ${RETENTION_DAYS} days. Lower \`gateway.retention_days\` (a week keeps ${amount(many.storedGb * 7)} GB), or give tenants a \`store_mb\`. Use PostgreSQL with two gateways and a worker. Add the next gateway when one's core is ${100 * BUSY_SHARE} % busy, before \`precis_untouched_total{because="overloaded"}\` rises.`,
    "- **Far more** need more than one database. Tenants share nothing, so divide them into cells, each of some gateways and workers on a database of its own, behind a balancer that sends each key to its cell. Measure a cell with `npm run bench:load` on its own machines first.",
  ];
}

/** By the same fitted costs, with the sizes that such people's requests have. */
function teamLine(costs: Costs): string {
  const { people, turnsPerHour, hours, tokens, newTokensPerTurn, atOnce } = TEAM;
  const turns = people * turnsPerHour * hours;
  const newTokens = turns * newTokensPerTurn;
  const amounts: Amounts = {
    turns,
    sentKb: (turns * tokens * SESSION.bytesPerToken) / 1_000,
    newKb: (newTokens * SESSION.bytesPerToken) / 1_000,
    newTokens,
    messages: turns * 2,
    compactions: newTokens / 1_000 / SESSION.compactedKtok,
    compactedKtok: newTokens / 1_000,
  };
  const perSecond = (people * turnsPerHour) / 3_600;
  const cores = costOf(costs, "gatewayMs", amounts) / 1_000 / (hours * 3_600) / BUSY_SHARE;
  const gb = costOf(costs, "storedKb", amounts) / 1_000_000;
  return `- **${people} people** who each make ${turnsPerHour} turns an hour for ${hours} hours, of ${whole(tokens)} tokens on average, are ${amount(perSecond)} turns a second, in bursts ${atOnce} at once. One gateway does that with ${amount(cores)} of a core; ${amount(gb)} GB a day are stored, ${amount(gb * WORKDAYS)} GB in a month of ${WORKDAYS} working days: raise
  \`gateway.limits.store_mb\` for a file, or use PostgreSQL with a second gateway, so that one may fail. This is arithmetic from the measured costs.`;
}

function whole(count: number): string {
  return count.toLocaleString("en");
}

const DIGITS = 2;

/** Two digits that count. */
function amount(value: number): string {
  if (value === 0) return "0";
  if (value < 1) return value.toPrecision(value < 0.01 ? 1 : DIGITS);
  return Number(value.toPrecision(value < 10 ? DIGITS : 3)).toLocaleString("en");
}
