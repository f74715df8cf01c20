/** One line about a running session, for the status lines of clients: from what the client says, and what its gateway knows. */

/** What is known of a session; nothing is certain to be there. */
export interface SessionFigures {
  readonly model?: string;
  /** In the context as of the newest answer. */
  readonly tokens?: number;
  readonly windowTokens?: number;
  readonly costUsd?: number;
  /** Of the newest request's input, from 0 to 1. */
  readonly cacheShare?: number;
}

export interface StatusFigures extends SessionFigures {
  /** A gateway answers where the client sends its requests. */
  readonly gateway: boolean;
  readonly compactsAtTokens?: number;
}

/** What Claude Code writes to a status line's standard input (https://code.claude.com/docs/en/statusline, 2026-11). */
export function sessionFromClaudeCode(text: string): SessionFigures {
  const input = objectIn(text);
  const context = objectOf(input["context_window"]);
  return defined({
    model: textOf(objectOf(input["model"])["id"]),
    windowTokens: numberOf(context["context_window_size"]),
    costUsd: numberOf(objectOf(input["cost"])["total_cost_usd"]),
    ...tokensOf(objectOf(context["current_usage"])),
  });
}

function tokensOf(usage: Fields) {
  const parts = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"].map((name) =>
    numberOf(usage[name]),
  );
  if (parts.every((part) => part === undefined)) return {};
  const [plain = 0, read = 0, written = 0] = parts;
  const input = plain + read + written;
  const tokens = input + (numberOf(usage["output_tokens"]) ?? 0);
  return input === 0 ? { tokens } : { tokens, cacheShare: read / input };
}

type Fields = Readonly<Record<string, unknown>>;

function objectIn(text: string): Fields {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return {};
  }
}

function objectOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function defined(figures: {
  readonly [Name in keyof SessionFigures]: SessionFigures[Name] | undefined;
}): SessionFigures {
  return Object.fromEntries(Object.entries(figures).filter(([, value]) => value !== undefined));
}
