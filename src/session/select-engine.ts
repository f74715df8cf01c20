/**
 * Selects the engine of a session from its options. An external engine (a plugin, or an object of the host) that cannot
 * start, or that failed before, is replaced by the built-in `compressor`.
 */
import type { EngineSettings } from "../core/engines/settings.ts";
import type { Engine, EngineFigure, ExternalEngine } from "../core/engines/contract.ts";
import { figureAt } from "../core/engines/window.ts";
import { createEngine } from "../core/engines/engines.ts";
import { demand, isPlain } from "../plugins/suite/fault.ts";
import { redact } from "../core/redaction/redact.ts";
import { FAULTS, toFaultData } from "../plugins/fault.ts";
import { registeredEngine } from "../plugins/registered.ts";
import type { RuntimeOptions } from "./contract.ts";
import type { DisabledEngine } from "./events.ts";

export interface SelectedEngine {
  readonly engine: ExternalEngine;
  readonly isExternal: boolean;
  readonly disabledEngine: DisabledEngine | undefined;
  readonly isUnreported: boolean;
  /** The first state; undefined unless the session starts here. */
  readonly firstState: unknown;
}

export interface EngineSelection {
  /** Whether the session starts here and needs a first state. */
  readonly begins: boolean;
  readonly disabledEngine?: DisabledEngine | undefined;
}

/** @throws PrecisError `unknown_engine` for a name that is neither built in nor registered. */
export function selectEngine(
  { engine: wanted = "compressor" }: RuntimeOptions,
  settings: EngineSettings,
  { begins, disabledEngine }: EngineSelection,
): SelectedEngine {
  const firstStateOf = (engine: ExternalEngine): unknown => (begins ? engine.init() : undefined);
  const own = (engine: ExternalEngine, more: Partial<SelectedEngine> = {}): SelectedEngine => {
    return {
      engine,
      isExternal: false,
      disabledEngine: undefined,
      isUnreported: false,
      firstState: firstStateOf(engine),
      ...more,
    };
  };
  if (disabledEngine !== undefined) return own(fallbackEngine(settings), { disabledEngine });
  const external = typeof wanted === "string" ? registeredEngine(wanted) : wanted;
  if (external === undefined) return own(createEngine(wanted as string, settings));
  try {
    const engine = "make" in external ? external.make(settings) : external;
    const selected = own(engine, { isExternal: true });
    demand(isPlain(selected.firstState), "state", () => "the first state is not plain data");
    const { triggerTokens = 0, targetTokens = 0 } = engine;
    demand(isFigure(triggerTokens), "shape", () => `triggerTokens is ${String(triggerTokens)}`);
    demand(isFigure(targetTokens), "shape", () => `targetTokens is ${String(targetTokens)}`);
    return selected;
  } catch (error) {
    return own(fallbackEngine(settings), { disabledEngine: disabledBy(external.name, error), isUnreported: true });
  }
}

/** Beside no fixed part, where it depends on that. */
function isFigure(figure: EngineFigure): boolean {
  return Number.isFinite(figureAt(figure, 0));
}

export function fallbackEngine(settings: EngineSettings): Engine {
  return createEngine("compressor", settings);
}

/** Describes what an external engine did wrong. */
export function disabledBy(engine: string, error: unknown): DisabledEngine {
  const { kind, check, place, detail } = toFaultData(error);
  const promise = check === undefined ? "" : ` (\`${check}\`)`;
  const where = place === undefined ? "" : ` at ${place}`;
  return { engine, fault: kind, because: `${FAULTS[kind]}${promise}`, detail: `${redact(detail).text}${where}` };
}
