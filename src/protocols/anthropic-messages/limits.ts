/**
 * What Anthropic takes of bytes and pictures: 32 MB a request; 600 pictures, 100 for models with a window of 200,000 tokens;
 * 8,000 pixels a side, with more than 20 pictures 2,000 (https://platform.claude.com/docs/en/build-with-claude/vision,
 * https://platform.claude.com/docs/en/api/overview, 2026-11).
 */
import type { MediaLimits } from "../media-limits.ts";
import { wantsThinking } from "./blocks.ts";

const SMALL_WINDOW_TOKENS = 200_000;

const LIMITS: MediaLimits = Object.freeze({
  bodyBytes: 32 * 1024 * 1024,
  images: 600,
  imageSide: 8_000,
  manyImages: 20,
  manyImageSide: 2_000,
});
const SMALL_LIMITS: MediaLimits = Object.freeze({ ...LIMITS, images: 100 });

/** Undefined for other vendors' models, which set limits of their own. */
export function anthropicMediaLimits(model: string | undefined, windowTokens: number): MediaLimits | undefined {
  if (wantsThinking(model)) return undefined;
  return windowTokens <= SMALL_WINDOW_TOKENS ? SMALL_LIMITS : LIMITS;
}
