/** `precis statusline`: share of the window, next compaction, spend and cache in one line, for a client's status line. */
import { defined } from "../../core/defined.ts";
import { countOf, fieldsOf, parsed, textOf, type Fields } from "../../protocols/fields.ts";
import { loadConfiguration } from "../../config/load.ts";
import type { Configuration } from "../../config/schema.ts";
import { percent, parseTokens } from "../screen/amounts.ts";
import { track, measureWidth } from "../screen/text.ts";
import { option, toggle, type Arguments, type Command } from "../program/command.ts";
import { EXIT } from "../program/exit.ts";
import { findLoading } from "../doctor/clients.ts";
import { gatewayUrl } from "../gateway/process.ts";
import { operatorToken } from "../gateway/token.ts";
import { CONFIG_FLAGS, configurationRequest } from "../settings/flags.ts";
import type { Terminal } from "../screen/terminal.ts";

/** A client waits for its status line at every answer. A gateway answers in some milliseconds, on a busy machine in tenths of a second. */
const GATEWAY_MS_MAX = 1_000;
const BAR_COLUMNS = 10;
const COLUMNS = 80;
const BAR_FROM_COLUMNS = 60;
const NEARLY_DUE = 0.85;

export const statuslineCommand: Command = {
  name: "statusline",
  summary: "Print one line about a session for a client's status line: window, next compaction, spend, cache.",
  about: [
    "Claude Code: put `precis statusline` into its settings as the command of `statusLine`; it writes the session to standard input. For other clients and for tmux give --tokens, and --window or --model.",
    "A gateway that the client uses (ANTHROPIC_BASE_URL, or the configured address) says when it compacts; it is asked for one second at most. `precis off` means that there is none and that Claude Code does not load precis itself. The line never fails: what is not known is left out.",
  ],
  examples: {
    "precis statusline --tokens 62k --window 200k --model claude-sonnet-4-5": "for any other client",
  },
  args: {
    tokens: option("N", "Tokens in the context, for example 62k."),
    window: option("N", "The model's window, for example 200k."),
    model: option("NAME", "The model, as its provider calls it."),
    ...CONFIG_FLAGS,
    json: toggle("Print the figures as JSON."),
  },
  run: async (args, terminal) => {
    const figures = await collectFigures(await readSessionFigures(args, terminal), args, terminal);
    const line = args.is("json") ? JSON.stringify(figures) : terminal.out.shown(findLine(figures, terminal));
    await terminal.out.put(`${line}\n`);
    return EXIT.done;
  },
};

async function readSessionFigures(args: Arguments, terminal: Terminal): Promise<SessionFigures> {
  const [tokens, window, model] = [args.text("tokens"), args.text("window"), args.text("model")];
  const given = {
    ...(tokens === undefined ? {} : { tokens: parseTokens(tokens, "--tokens") }),
    ...(window === undefined ? {} : { windowTokens: parseTokens(window, "--window") }),
    ...(model === undefined ? {} : { model }),
  };
  if (tokens !== undefined) return given;
  const input = Buffer.from(await terminal.readStandardInput()).toString("utf8");
  return { ...sessionFromClaudeCode(input), ...given };
}

async function collectFigures(session: SessionFigures, args: Arguments, terminal: Terminal): Promise<StatusFigures> {
  const configuration = await loadConfiguration(configurationRequest(args, terminal)).catch(() => undefined);
  const isInside = args.text("tokens") === undefined && findLoading("claude", terminal) !== undefined;
  const inside = isInside ? { inside: true as const } : {};
  if (configuration === undefined) return { ...session, gateway: false, ...inside };
  const isDirect = isInside && terminal.environment["ANTHROPIC_BASE_URL"] === undefined;
  const status = isDirect ? undefined : await gatewayStatus(configuration, terminal);
  const timing = status?.totals?.timing?.[session.model ?? ""];
  const { windowTokens = configuration.model.context_length ?? undefined } = session;
  const known = { ...session, ...inside, ...(windowTokens === undefined ? {} : { windowTokens }) };
  const compactsAtTokens =
    timing?.compactsAtTokens ?? timing?.thresholdTokens ?? estimateThreshold(configuration, windowTokens);
  const gateway = status !== undefined;
  return gateway && compactsAtTokens !== undefined ? { ...known, gateway, compactsAtTokens } : { ...known, gateway };
}

function estimateThreshold({ compression }: Configuration, windowTokens: number | undefined): number | undefined {
  return windowTokens === undefined ? undefined : Math.floor(windowTokens * compression.threshold);
}

interface GatewayStatus {
  readonly totals?: {
    readonly timing?: Readonly<
      Record<string, { readonly compactsAtTokens?: number; readonly thresholdTokens?: number }>
    >;
  };
}

/** Nothing of it where only its being there is known; undefined where none answers in time. */
async function gatewayStatus(configuration: Configuration, terminal: Terminal): Promise<GatewayStatus | undefined> {
  const base = terminal.environment["ANTHROPIC_BASE_URL"];
  const { host, port } = configuration.gateway;
  try {
    const origin = base === undefined ? gatewayUrl(host, port) : new URL(base).origin;
    const signal = AbortSignal.timeout(GATEWAY_MS_MAX);
    const health = await fetch(`${origin}/_precis/health`, { signal, redirect: "manual" });
    if (((await health.json()) as { readonly status?: unknown }).status !== "ok") return undefined;
    const token = operatorToken(configuration, terminal)?.token;
    if (token === undefined) return {};
    const headers = { authorization: `Bearer ${token}`, accept: "application/json" };
    const response = await fetch(`${origin}/_precis/`, { signal, headers, redirect: "manual" });
    return response.ok ? ((await response.json()) as GatewayStatus) : {};
  } catch {
    return undefined;
  }
}

/** As many of its parts as the terminal has room for, the first ones first. */
function findLine(figures: StatusFigures, { out, environment }: Terminal): string {
  const columns = Number(environment["COLUMNS"]) || COLUMNS;
  const parts = makeParts(figures, columns >= BAR_FROM_COLUMNS);
  const isActive = figures.gateway || figures.inside === true;
  const name = isActive ? "precis" : "precis off";
  let line = out.paint(isActive ? "accent" : "dim", name);
  let width = name.length;
  for (const { text, look } of parts) {
    if (width + 3 + measureWidth(text) > columns) continue;
    line += ` ${out.paint("dim", "·")} ${look === undefined ? text : out.paint(look, text)}`;
    width += 3 + measureWidth(text);
  }
  return line;
}

interface Part {
  readonly text: string;
  readonly look?: "warn";
}

function makeParts(figures: StatusFigures, withBar: boolean): readonly Part[] {
  const { tokens, windowTokens, compactsAtTokens, costUsd, cacheShare } = figures;
  const parts: Part[] = [];
  if (tokens !== undefined) {
    const share = windowTokens === undefined ? undefined : tokens / windowTokens;
    const bar = share === undefined || !withBar ? "" : `${track(share, BAR_COLUMNS).replaceAll(" ", "░")} `;
    const of = share === undefined ? " tokens" : ` of ${short(windowTokens!)} (${percent(share)})`;
    parts.push({ text: `${bar}${short(tokens)}${of}` });
  }
  if (compactsAtTokens !== undefined) {
    const isNear = tokens !== undefined && tokens > NEARLY_DUE * compactsAtTokens;
    parts.push({ text: `compacts at ${short(compactsAtTokens)}`, ...(isNear ? { look: "warn" } : {}) });
  }
  if (costUsd !== undefined) parts.push({ text: `$${costUsd.toFixed(2)}` });
  if (cacheShare !== undefined) parts.push({ text: `cache ${percent(cacheShare)}` });
  return parts;
}

function short(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  if (tokens < 1_000_000) return `${Math.round(tokens / 1_000)}k`;
  return `${(tokens / 1_000_000).toFixed(1).replace(/\.0$/, "")}m`;
}

interface SessionFigures {
  readonly model?: string;
  readonly tokens?: number;
  readonly windowTokens?: number;
  readonly costUsd?: number;
  readonly cacheShare?: number;
}

interface StatusFigures extends SessionFigures {
  readonly gateway: boolean;
  /** Claude Code loads precis itself, and says when it compacts. */
  readonly inside?: true;
  readonly compactsAtTokens?: number;
}

/** What Claude Code writes to a status line's standard input (https://code.claude.com/docs/en/statusline, 2026-11). */
function sessionFromClaudeCode(text: string): SessionFigures {
  const input = fieldsOf(parsed(text));
  const context = fieldsOf(input["context_window"]);
  return defined({
    model: textOf(fieldsOf(input["model"])["id"]) || undefined,
    windowTokens: countOf(context["context_window_size"]),
    costUsd: countOf(fieldsOf(input["cost"])["total_cost_usd"]),
    ...tokensIn(fieldsOf(context["current_usage"])),
  });
}

function tokensIn(usage: Fields) {
  const parts = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"].map((name) =>
    countOf(usage[name]),
  );
  if (parts.every((part) => part === undefined)) return {};
  const [plain = 0, read = 0, written = 0] = parts;
  const input = plain + read + written;
  const tokens = input + (countOf(usage["output_tokens"]) ?? 0);
  return input === 0 ? { tokens } : { tokens, cacheShare: read / input };
}
