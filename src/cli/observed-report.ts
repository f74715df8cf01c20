/** `precis report --gateway`: what a running gateway did, and in observe mode would have done, since it started. */
import type { Configuration } from "../config/schema.ts";
import type { Status } from "../gateway/operation/own-routes.ts";
import { change, count, counted, percent } from "./amounts.ts";
import { usageError, EXIT, type ExitCode } from "./exit.ts";
import type { Arguments } from "./command.ts";
import { gatewayJson } from "./gateway-client.ts";
import type { Terminal } from "./terminal.ts";

type Fact = readonly [name: string, says: string];

export async function observedReport(
  args: Arguments,
  configuration: Configuration,
  terminal: Terminal,
): Promise<ExitCode> {
  if (args.all("paths").length > 0)
    throw usageError("--gateway and files exclude one another", "Leave out one of them.");
  const status = (await gatewayJson("/", configuration, terminal)) as Status;
  const verdict = verdictOf(status);
  const facts = factsOf(status);
  if (args.is("json")) await terminal.out.write(`${JSON.stringify(status, null, 2)}\n`);
  else {
    const lines = facts.map(([name, says]) => `  ${terminal.out.paint("dim", name.padEnd(14))}${says}`);
    await terminal.out.say(`${[terminal.out.paint("strong", verdict), ...lines].join("\n")}\n`);
  }
  return EXIT.done;
}

function verdictOf({ totals, mode }: Status): string {
  const { observed, treatments } = totals;
  const rewritten = observed.before - observed.after;
  if (totals.requests === 0) return "No requests yet.";
  if (mode !== "observe")
    return `This gateway is in mode ${mode}: ${counted(treatments.rewritten, "request")} went out shorter.`;
  if (treatments.observed === 0) return `Of ${counted(totals.requests, "request")}, none would have been shortened.`;
  return `Of ${counted(totals.requests, "request")}, ${count(treatments.observed)} would have been shortened, with ${percent(rewritten / Math.max(1, observed.before))} of their tokens taken out.`;
}

function factsOf({ totals, upSeconds, mode, version: running }: Status): readonly Fact[] {
  const { observed, context, compactions, lost, cache, usage, timing } = totals;
  const sizes = mode === "observe" ? observed : context;
  return [
    ["gateway", `precis ${running}, mode ${mode}, up ${Math.round(upSeconds / 60)} minutes`],
    ...(sizes.before === 0
      ? []
      : [["tokens", `${count(sizes.before)} → ${count(sizes.after)} (${change(sizes.before, sizes.after)})`] as const]),
    ["compactions", count(compactions)],
    ...(lost.compactions === 0
      ? []
      : [
          [
            "lost",
            `${counted(lost.requests, "user message")} of ${counted(lost.compactions, "compaction")} may be missing`,
          ] as const,
        ]),
    ["cache", `${percent(usage.cacheRead / Math.max(1, usage.input))} of the input read from a cache`],
    [
      "missed",
      `${count(cache.missed.tokens)} tokens that the cache had held, ${count(cache.missedByCompaction.tokens)} of them because of compactions`,
    ],
    ...Object.entries(timing).map(([model, { thresholdTokens }]): Fact => [
      model,
      `compaction from ${count(thresholdTokens)} tokens on`,
    ]),
  ];
}
