/** `precis report --gateway`: what a running gateway did, and in observe mode would have done, since it started. */
import type { Configuration } from "../config/schema.ts";
import { PrecisError } from "../core/errors.ts";
import type { Status } from "../gateway/operation/status-page.ts";
import { change, count, counted, percent } from "./amounts.ts";
import { usageError, EXIT, type ExitCode } from "./exit.ts";
import type { Arguments } from "./command.ts";
import { writeOutput } from "./files.ts";
import { gatewayUrl } from "./gateway-url.ts";
import { operatorToken } from "./operator-token.ts";
import { factsPage } from "./pages/facts-page.ts";
import type { Terminal } from "./terminal.ts";

const ANSWER_WITHIN_MS = 5_000;

type Fact = readonly [name: string, says: string];

export async function observedReport(
  args: Arguments,
  configuration: Configuration,
  terminal: Terminal,
): Promise<ExitCode> {
  if (args.all("paths").length > 0)
    throw usageError("--gateway and files exclude one another", "Leave out one of them.");
  const status = await statusOf(configuration, terminal);
  const verdict = verdictOf(status);
  const facts = factsOf(status);
  const html = args.text("html");
  if (html === "-") await terminal.out.write(factsPage({ verdict, facts }));
  else if (html !== undefined) await writeOutput(terminal, html, factsPage({ verdict, facts }));
  if (args.is("json")) await terminal.out.write(`${JSON.stringify(status, null, 2)}\n`);
  else if (html !== "-") {
    const lines = facts.map(([name, says]) => `  ${terminal.out.paint("dim", name.padEnd(14))}${says}`);
    await terminal.out.say(`${[terminal.out.paint("strong", verdict), ...lines].join("\n")}\n`);
  }
  return EXIT.done;
}

async function statusOf(configuration: Configuration, terminal: Terminal): Promise<Status> {
  const { host, port } = configuration.gateway;
  const url = gatewayUrl(host, port);
  const token = operatorToken(configuration, terminal)?.token;
  const headers = { accept: "application/json", ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
  let response: Response;
  try {
    response = await fetch(`${url}/_precis/`, {
      headers,
      redirect: "manual",
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
  } catch (cause) {
    throw new PrecisError(`no gateway answers at ${url}`, {
      code: "no_gateway",
      hint: "Start one with `precis serve --observe`, or name its port with --set gateway.port=N.",
      cause,
    });
  }
  if (response.ok) return (await response.json()) as Status;
  throw new PrecisError(`the gateway at ${url} answered ${response.status}`, {
    code: "no_gateway",
    hint: "It needs the operator's token: `precis token` shows the one of this machine.",
  });
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

function factsOf({ totals, upSeconds, mode, version }: Status): readonly Fact[] {
  const { observed, context, compactions, lost, cache, usage, timing } = totals;
  const sizes = mode === "observe" ? observed : context;
  return [
    ["gateway", `precis ${version}, mode ${mode}, up ${Math.round(upSeconds / 60)} minutes`],
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
