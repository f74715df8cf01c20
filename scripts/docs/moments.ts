/** When a conversation is compacted by the default engine, for windows, fixed parts and answers as clients have them. */
import { ENGINE_DEFAULTS } from "../../src/core/engines/settings.ts";
import { windowLimits } from "../../src/core/engines/window.ts";

const FIXED_TOKENS = 17_000;
const WINDOWS = [128_000, 200_000, 1_000_000];
const OUTPUTS = [8_000, 64_000];

export function momentRows(): readonly (readonly string[])[] {
  const rows = WINDOWS.flatMap((contextLength) =>
    OUTPUTS.map((maxOutputTokens) => {
      const limits = windowLimits({}, { ...ENGINE_DEFAULTS, contextLength, maxOutputTokens }, FIXED_TOKENS);
      const { thresholdTokens, latestTokens, hygieneTokens, stepTokens } = limits;
      return [contextLength, maxOutputTokens, thresholdTokens, latestTokens, hygieneTokens, stepTokens].map(shown);
    }),
  );
  const fixed = `system prompt and tools: ${shown(FIXED_TOKENS)}; window`;
  return [
    [fixed, "requested output", "compacted from", "at the latest", "without reported usage", "frees at least"],
    ...rows,
  ];
}

function shown(tokens: number): string {
  return tokens.toLocaleString("en-US");
}
