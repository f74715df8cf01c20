/** Contestants by name: baselines, engines without and with a model, and a model asked plainly, each at each budget. */
import { PrecisError } from "../../../src/core/errors.ts";
import { builtInName, ENGINE_NAMES } from "../../../src/core/engines/names.ts";
import type { Contestant } from "./plan.ts";

export const CONTESTANTS_DEFAULT = "tail,compressor,compressor+model,plain,whole";
const BASELINES = ["tail", "plain", "whole"] as const;
const WITH_MODEL = "+model";

/**
 * Reads `tail,compressor,compressor+model,plain,whole` at budgets that are shares of the prefix.
 *
 * @throws PrecisError `usage` for a name that is not known.
 */
export function contestantsOf(text: string, budgets: readonly number[]): readonly Contestant[] {
  const names = [...new Set(text.split(",").map((name) => name.trim()))].filter((name) => name !== "");
  const found = names.flatMap((name) => contestantsNamed(name, budgets));
  if (found.length === 0) throw wrong("no contestant is named", "Write for example `--contestants tail,compressor`.");
  return found;
}

function contestantsNamed(name: string, budgets: readonly number[]): readonly Contestant[] {
  if (name === "whole") return [{ name, kind: "whole", model: false }];
  return budgets.map((budget): Contestant => {
    const shown = `${name}@${percentOf(budget)}%`;
    if (name === "tail" || name === "plain") return { name: shown, kind: name, model: name === "plain", budget };
    const model = name.endsWith(WITH_MODEL);
    const engine = builtInName(model ? name.slice(0, -WITH_MODEL.length) : name);
    if (engine === undefined) throw unknown(name);
    return { name: shown, kind: "engine", engine, model, budget };
  });
}

function percentOf(share: number): number {
  return Number((share * 100).toFixed(2));
}

function unknown(name: string): PrecisError {
  const known = [...BASELINES, ...ENGINE_NAMES].join(", ");
  return wrong(
    `there is no contestant "${name}"`,
    `Use ${known}; \`${WITH_MODEL}\` behind an engine lets a model write its handoff.`,
  );
}

function wrong(message: string, hint: string): PrecisError {
  return new PrecisError(message, { code: "usage", hint });
}
