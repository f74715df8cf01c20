/** The figures of a load as a person reads them. */
import { table } from "../table.ts";
import type { LoadFigures, NoisyFigures, PeopleFigures, ShapeFigures } from "./figures.ts";
import type { ProfileShare } from "./profile.ts";

const DOORS = ["straight to the upstream", "one gateway", "two gateways"];

export function loadTable(rows: readonly LoadFigures[]): string {
  return table(
    [
      "",
      "offered/s",
      "answered/s",
      "p50 ms",
      "p95 ms",
      "p99 ms",
      "added p50",
      "CPU ms: gateway",
      "database",
      "client",
      "upstream",
      "not 200",
    ],
    rows.map((row) => {
      const straight = rows.find((one) => one.gateways === 0 && one.offeredPerSecond === row.offeredPerSecond)!;
      const { client, upstream, gateway, database } = row.usedPerRequest;
      return [
        DOORS[row.gateways]!,
        row.offeredPerSecond?.toFixed(0) ?? "",
        row.perSecond.toFixed(1),
        row.p50Ms.toFixed(1),
        row.p95Ms.toFixed(1),
        row.p99Ms.toFixed(1),
        (row.p50Ms - straight.p50Ms).toFixed(1),
        ...[gateway, database, client, upstream].map((ms) => ms.toFixed(2)),
        String(row.refused),
      ];
    }),
  );
}

export function shapesTable(rows: readonly ShapeFigures[]): string {
  return table(
    [
      "sessions",
      "turns",
      "KB a turn",
      "compacted",
      "added p50 ms",
      "p99",
      "CPU ms: gateway",
      "database",
      "transactions",
      "WAL KB",
      "rows",
      "stored KB",
      "bytes a token",
    ],
    rows.map((row) => {
      const each = (total: number, digits: number): string => (total / row.turns).toFixed(digits);
      return [
        row.name,
        String(row.turns),
        each(row.bytes / 1_000, 0),
        String(row.compactions),
        (row.through.p50Ms - row.direct.p50Ms).toFixed(1),
        (row.through.p99Ms - row.direct.p99Ms).toFixed(1),
        each(row.used.gateway, 2),
        each(row.used.database, 2),
        each(row.transactions, 1),
        each(row.walBytes / 1_000, 1),
        each(row.storedRows, 1),
        each(row.storedBytes / 1_000, 1),
        (row.storedBytes / row.newTokens).toFixed(1),
      ];
    }),
  );
}

export function profileTable(shares: readonly ProfileShare[]): string {
  return table(
    ["what the gateway's processor time goes to", "share"],
    shares.map(({ what, share }) => [what, `${(100 * share).toFixed(1)} %`]),
  );
}

export function peopleTable(people: PeopleFigures): string {
  const [head, ...rows] = peopleCells(people);
  const memory = people.residentMb.map((mb) => mb.toFixed(0)).join(" and ");
  return `${table(head!, rows)}\n\nThe gateways take ${memory} MB at the end; a day stores ${gigabytes(people.storedBytesADay)} GB and writes ${gigabytes(people.walBytesADay)} GB of log.`;
}

function gigabytes(bytes: number): string {
  return (bytes / 1e9).toFixed(2);
}

/** With what is added to the first row's times, which are those without a gateway. */
function peopleCells({ phases }: PeopleFigures): readonly (readonly string[])[] {
  const [direct] = phases;
  return [
    ["", "turns", "p50 ms", "p95", "p99", "added, p50", "added, p99", "not compacted or kept", "refused", "lost"],
    ...phases.map((one) => [
      one.name,
      String(one.turns),
      ...[one.p50Ms, one.p95Ms, one.p99Ms].map((ms) => ms.toFixed(0)),
      ...(one === direct
        ? ["", ""]
        : [one.p50Ms - direct!.p50Ms, one.p99Ms - direct!.p99Ms].map((ms) => ms.toFixed(0))),
      ...[one.untouched, one.refused, one.lost].map(String),
    ]),
  ];
}

export function noisyLine(figures: NoisyFigures): string {
  const { alone, beside, p99Ratio, noisyPerSecond, noisyAnswered, noisyRefused, quietRefused, quietPerSecond } =
    figures;
  const [least, most] = figures.retryAfterSeconds;
  return [
    `A tenant of ${quietPerSecond.toFixed(0)} requests a second: p50 ${alone.p50Ms.toFixed(1)} ms, p99 ${alone.p99Ms.toFixed(1)} ms alone;`,
    `p50 ${beside.p50Ms.toFixed(1)} ms, p99 ${beside.p99Ms.toFixed(1)} ms beside one that sends ${noisyPerSecond.toFixed(0)} a second and may send ${figures.limitPerMinute} a minute.`,
    `p99 ${p99Ratio.toFixed(2)}×. Refused: ${quietRefused} of its own; ${noisyRefused} of the other's, ${noisyAnswered} answered, retry-after ${least} to ${most} s.`,
  ].join("\n");
}
