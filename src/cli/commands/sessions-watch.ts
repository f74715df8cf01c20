/** `precis sessions watch`: what a running gateway is doing, drawn anew whenever something happens. */
import { setTimeout as pause } from "node:timers/promises";
import { EventSourceParserStream } from "eventsource-parser/stream";
import { loadConfiguration } from "../../config/load.ts";
import { PrecisError } from "../../core/errors.ts";
import type { SessionSummary } from "../../gateway/history/contract.ts";
import type { Status } from "../../gateway/operation/status-page.ts";
import { change, count, counted, percent, wholeOf } from "../amounts.ts";
import type { Command } from "../command.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { fitted } from "../fitted.ts";
import { gatewayClient, type GatewayClient } from "../gateway-client.ts";
import { sessionList } from "../sessions-page.ts";
import { CONFIG_FLAGS, configurationRequest } from "../settings-flags.ts";
import type { Stream } from "../terminal.ts";

const LIMIT_DEFAULT = 15;
const LIMIT_MAX = 200;
/** Without events: how often it asks. */
const POLL_MS = 2_000;
/** Events come in bursts, and one drawing serves them all. */
const DRAW_EVERY_MS = 500;
/** Ages change although nothing happens. */
const REDRAW_MS = 30_000;
const LOST_PAUSE_MS = 2_000;

/** ECMA-48: the cursor to the first place, and what is below it erased. */
const HOME = "\u001b[H\u001b[J";
const CLEAR = "\u001b[2J";
const HIDE_CURSOR = "\u001b[?25l";
const SHOW_CURSOR = "\u001b[?25h";

export const watchCommand: Command = {
  name: "sessions watch",
  summary: "Show the sessions of a running gateway live, until you press Ctrl-C.",
  about: [
    "The list of `precis sessions list` with the gateway's figures above it, drawn anew whenever a request or a compaction is over. If standard output is not a terminal, a line is printed for each session that changed.",
    "It asks the gateway at the configured address with this machine's operator token, and waits for it where it is away.",
  ],
  examples: [
    { line: "precis sessions watch", says: "the newest fifteen" },
    { line: "precis sessions watch --limit 40", says: "more of them" },
    { line: "precis sessions watch | tee watch.log", says: "a line for each change" },
  ],
  args: {
    limit: { type: "string", valueHint: "N", description: `Maximum number of sessions; ${LIMIT_DEFAULT} by default.` },
    ...CONFIG_FLAGS,
  },
  run: async (args, terminal): Promise<ExitCode> => {
    const configuration = await loadConfiguration(configurationRequest(args, terminal));
    const limit = wholeOf(args.text("limit") ?? String(LIMIT_DEFAULT), "--limit", LIMIT_MAX);
    const client = gatewayClient(configuration, terminal);
    const ended = new AbortController();
    const end = (): void => ended.abort();
    process.once("SIGINT", end).once("SIGTERM", end);
    const { out } = terminal;
    if (out.interactive) await out.write(HIDE_CURSOR + CLEAR);
    try {
      await watch({ client, limit, out, signal: ended.signal });
    } finally {
      process.off("SIGINT", end).off("SIGTERM", end);
      if (out.interactive) await out.write(SHOW_CURSOR);
    }
    return EXIT.done;
  },
};

interface Watching {
  readonly client: GatewayClient;
  readonly limit: number;
  readonly out: Stream;
  readonly signal: AbortSignal;
}

async function watch(watching: Watching): Promise<void> {
  const { client, signal } = watching;
  const draw = createDrawing(watching);
  // A first answer that is an error is the person's to see; later ones are waited out.
  await draw();
  while (!signal.aborted) {
    try {
      const events = await client.stream("/api/events", signal);
      if (events === undefined) await rest(POLL_MS, signal);
      else await onEvents(events, draw, signal);
      await draw();
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof PrecisError)) throw error;
      await rest(LOST_PAUSE_MS, signal);
    }
  }
}

/** Until the stream ends: after each burst, and from time to time. */
async function onEvents(
  stream: ReadableStream<Uint8Array>,
  draw: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const state = { pending: false, closed: false };
  const reading = (async () => {
    const events = stream
      .pipeThrough(new TextDecoderStream() as unknown as TransformStream<Uint8Array, string>)
      .pipeThrough(new EventSourceParserStream());
    for await (const _ of events) state.pending = true;
  })()
    .catch(() => undefined)
    .finally(() => (state.closed = true));
  for (let drawn = Date.now(); !state.closed && !signal.aborted; await rest(DRAW_EVERY_MS, signal)) {
    if (!state.pending && Date.now() - drawn < REDRAW_MS) continue;
    state.pending = false;
    drawn = Date.now();
    await draw();
  }
  await reading;
}

async function rest(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => undefined);
}

function createDrawing({ client, limit, out }: Watching): () => Promise<void> {
  const known = new Map<string, string>();
  return async () => {
    const [status, sessions] = (await Promise.all([client.json("/"), client.json(`/api/sessions?limit=${limit}`)])) as [
      Status,
      readonly SessionSummary[],
    ];
    if (out.interactive) await out.write(HOME + fitted(page(status, sessions, out), out.columns));
    else for (const line of changes(sessions, known)) await out.write(line);
  };
}

function page({ totals, mode, version }: Status, sessions: readonly SessionSummary[], out: Stream): string {
  const { requests, compactions, context, observed, usage } = totals;
  const sizes = mode === "observe" ? observed : context;
  const saved =
    sizes.before === 0
      ? []
      : [`${count(sizes.before)} → ${count(sizes.after)} tokens (${change(sizes.before, sizes.after)})`];
  const cache = usage.input === 0 ? [] : [`${percent(usage.cacheRead / usage.input)} from caches`];
  const figures = [counted(requests, "request"), counted(compactions, "compaction"), ...saved, ...cache].join(" · ");
  const list = sessions.length === 0 ? "No sessions yet.\n" : sessionList(sessions, Date.now(), out);
  return `${out.paint("strong", `precis ${version}`)}  ${out.paint("dim", mode)}  ${figures}\n\n${list}`;
}

/** A line for each session that is new or went on. */
function changes(sessions: readonly SessionSummary[], known: Map<string, string>): readonly string[] {
  return sessions.toReversed().flatMap((one) => {
    const { id, model = "-", messages, tokens, compactions, updatedAt } = one;
    const figures = `${messages} messages  ${tokens} tokens  ${compactions} compactions`;
    if (known.get(id) === figures) return [];
    known.set(id, figures);
    return [`${new Date(updatedAt).toISOString()}  ${id.slice(0, 12)}  ${model}  ${figures}\n`];
  });
}
