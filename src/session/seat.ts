/**
 * Who compacts in a session: the engine that its options name. One that is not built in is a guest; where it cannot even
 * begin, or was put out of service before, the built-in `compressor` sits there.
 */
import type { EngineSettings } from "../core/engines/settings.ts";
import type { Engine, EngineSource, GuestEngine } from "../core/engines/contract.ts";
import { createEngine } from "../core/engines/engines.ts";
import { demand } from "../core/engines/suite/fault.ts";
import { isPlain } from "../core/engines/suite/print.ts";
import { redact } from "../core/redaction/redact.ts";
import { FAULTS, faultOf } from "../plugins/fault.ts";
import { registeredEngine } from "../plugins/registered.ts";
import type { RuntimeOptions } from "./contract.ts";
import type { Contained } from "./events.ts";

export interface Seat {
  readonly engine: GuestEngine;
  readonly guest: boolean;
  readonly contained: Contained | undefined;
  readonly untold: boolean;
  /** The first state, where one is asked for. */
  readonly begun: unknown;
}

export interface Seating {
  /** The session begins here, and needs a first state. */
  readonly begins: boolean;
  readonly contained?: Contained | undefined;
}

/** Throws `unknown_engine` for a name that means nothing. */
export function seated(
  { engine: wanted = "compressor" }: RuntimeOptions,
  settings: EngineSettings,
  { begins, contained }: Seating,
): Seat {
  const begunBy = (engine: GuestEngine): unknown => (begins ? engine.init() : undefined);
  const own = (engine: GuestEngine, more: Partial<Seat> = {}): Seat => {
    return { engine, guest: false, contained: undefined, untold: false, begun: begunBy(engine), ...more };
  };
  if (contained !== undefined) return own(standIn(settings), { contained });
  const guest = typeof wanted === "string" ? registeredEngine(wanted) : wanted;
  if (guest === undefined) return own(createEngine(wanted as string, settings));
  try {
    const engine = made(guest, settings);
    const seat = own(engine, { guest: true });
    demand(isPlain(seat.begun), "state", () => "the first state is not plain data");
    const { triggerTokens = 0, targetTokens = 0 } = engine;
    demand(Number.isFinite(triggerTokens), "shape", () => `triggerTokens is ${triggerTokens}`);
    demand(Number.isFinite(targetTokens), "shape", () => `targetTokens is ${targetTokens}`);
    return seat;
  } catch (error) {
    return own(standIn(settings), { contained: containedBy(guest.name, error), untold: true });
  }
}

function made(guest: Engine | EngineSource, settings: EngineSettings): GuestEngine {
  return "make" in guest ? guest.make(settings) : guest;
}

export function standIn(settings: EngineSettings): Engine {
  return createEngine("compressor", settings);
}

/** What is said of a guest that did something wrong. */
export function containedBy(engine: string, error: unknown): Contained {
  const { kind, check, place, detail } = faultOf(error);
  const promise = check === undefined ? "" : ` (\`${check}\`)`;
  const where = place === undefined ? "" : ` at ${place}`;
  return { engine, fault: kind, because: `${FAULTS[kind]}${promise}`, detail: `${redact(detail).text}${where}` };
}
