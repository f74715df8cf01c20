/** Every combination of window, fixed part and `max_tokens` that is measured, with the figures that bounds are stated in. */

export const WINDOWS_TOKENS: readonly number[] = [32_000, 64_000, 128_000, 200_000, 1_000_000];
/** System prompt and tools, as shares of the window. */
const FIXED_SHARES: readonly number[] = [0, 0.2, 0.4, 0.6, 0.8];
export const OUTPUTS_TOKENS: readonly number[] = [4_000, 32_000, 64_000];

/** No more of the window is counted as reserved for the answer, whatever `max_tokens` says. */
const RESERVE_WINDOW_SHARE_MAX = 0.5;
/** Of what is left, a request should have at most this. */
const LIMIT_SHARE = 0.85;
/** The least growth between two compactions: of what is between the fixed part and the limit, and of the usable window. */
const STEP_SHARE = 0.2;
const STEP_USABLE_SHARE_MIN = 0.05;
/** With less beside the fixed part, a provider refuses any conversation. */
const ROOM_TOKENS_MIN = 1_000;

export interface Setup {
  readonly windowTokens: number;
  readonly fixedShare: number;
  /** What each request asks for as output. */
  readonly outputTokens: number;
}

/** All figures in tokens. */
export interface SetupFigures {
  readonly fixedTokens: number;
  /** A larger request is refused. */
  readonly acceptedTokens: number;
  readonly limitTokens: number;
  readonly stepTokens: number;
  /** What the provider accepts beside the fixed part. */
  readonly roomTokens: number;
}

export function setupsOf(windows: readonly number[]): readonly Setup[] {
  return windows.flatMap((windowTokens) =>
    FIXED_SHARES.flatMap((fixedShare) =>
      OUTPUTS_TOKENS.map((outputTokens) => ({ windowTokens, fixedShare, outputTokens })),
    ),
  );
}

export function setupFigures({ windowTokens, outputTokens }: Setup, fixedTokens: number): SetupFigures {
  const reserve = Math.min(outputTokens, windowTokens * RESERVE_WINDOW_SHARE_MAX);
  const usableTokens = windowTokens - reserve;
  const limitTokens = Math.floor(LIMIT_SHARE * usableTokens);
  const acceptedTokens = windowTokens - outputTokens;
  return {
    fixedTokens,
    acceptedTokens,
    limitTokens,
    stepTokens: Math.floor(Math.max((limitTokens - fixedTokens) * STEP_SHARE, usableTokens * STEP_USABLE_SHARE_MIN)),
    roomTokens: acceptedTokens - fixedTokens,
  };
}

/** Why nothing can be measured: the provider refuses every conversation, however short. */
export function impossibleBecause(setup: Setup): string | undefined {
  const { windowTokens, fixedShare, outputTokens } = setup;
  const { roomTokens } = setupFigures(setup, windowTokens * fixedShare);
  if (roomTokens >= ROOM_TOKENS_MIN) return undefined;
  return outputTokens >= windowTokens
    ? "max_tokens alone fills the window"
    : "fixed part and max_tokens fill the window";
}
