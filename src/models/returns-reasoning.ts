/** Models whose server wants their thinking back with the call that it led to: DeepSeek, MiMo and Kimi. */
import { bareName } from "./registry/names.ts";

const RETURNS_REASONING = /^(?:deepseek-(?:v[4-9]|reasoner)|mimo-v[2-9]|kimi-k(?:2-thinking|2-[5-9]|[3-9]))/;

export function returnsReasoning(model: string): boolean {
  return RETURNS_REASONING.test(bareName(model));
}
