/**
 * How much a model's provider holds thinking to, as data: what may come back, and whether anything before it may change
 * (Anthropic's docs on preserved thinking, 2026-11: from 5.1 on a signature is bound to the conversation before it).
 */
import { bareName } from "../../../models/registry/names.ts";

export type ThinkingKind =
  /** A block is refused where anything before it changed. */
  | "bound"
  /** A block is refused where its own text changed. */
  | "signed"
  /** Nobody looks. */
  | "none";

interface ModelLine {
  /** Matched against the bare name: lower case, no vendor, dots as dashes. */
  readonly name: RegExp;
  readonly kind: ThinkingKind;
}

/** The first line that matches counts. A new family name or a new scheme of numbers is one more line here. */
const MODELS: readonly ModelLine[] = [
  // claude-opus-5-1, claude-sonnet-5-5-20261002; not claude-opus-5-20260401, whose second number is a date.
  { name: /^claude-[a-z]+-5-[1-9]\d?(?!\d)/, kind: "bound" },
  // claude-opus-6, claude-haiku-7-2
  { name: /^claude-[a-z]+-(?:[6-9]|[1-9]\d)(?!\d)/, kind: "bound" },
  { name: /^claude-/, kind: "signed" },
];

export interface ThinkingRules {
  readonly kindOf: (model: string) => ThinkingKind;
  /** Whether the upstream knows `block_binding`: what fails to match is then dropped and not refused. */
  readonly drops: boolean;
}

export interface ThinkingRulesOptions {
  /** By name or by the beginning of one; the longest that fits counts. */
  readonly models?: Readonly<Record<string, ThinkingKind>>;
  /** False for an upstream that takes none of Anthropic's beta settings. Default true. */
  readonly drops?: boolean;
}

export function thinkingRules({ models = {}, drops = true }: ThinkingRulesOptions = {}): ThinkingRules {
  const own = Object.entries(models)
    .map(([name, kind]) => ({ name: bareName(name), kind }))
    .toSorted((a, b) => b.name.length - a.name.length);
  const kindOf = (model: string): ThinkingKind => {
    const bare = bareName(model);
    const line = own.find(({ name }) => bare.startsWith(name)) ?? MODELS.find(({ name }) => name.test(bare));
    return line?.kind ?? "none";
  };
  return Object.freeze({ kindOf, drops });
}
