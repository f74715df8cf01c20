/**
 * Who is next in the thread for large requests. Its memory is what is scarce: a request is let in by what it will weigh there,
 * few are prepared at once, and the others wait. The tenant that has least in there is next, and one that has something may
 * take half of what the others leave, so that there is room for the next.
 */

export interface Place {
  readonly tenant: string;
  /** Bytes of memory, about. */
  weight: number;
  /** It is prepared while nobody else is: it may be what ended the thread before. */
  alone: boolean;
}

export interface PlaceLimits {
  /** What all in the thread may weigh, and those of them that are being prepared. One that is heavier goes alone. */
  readonly heldBytes: number;
  readonly preparingBytes: number;
  /** How long one may wait. */
  readonly waitMs: number;
}

export interface Places {
  /** Whether there was room in time. @throws the signal's reason. */
  readonly enter: (place: Place, signal: AbortSignal) => Promise<boolean>;
  /** It only waits for its provider from now on. */
  readonly prepared: (place: Place) => void;
  readonly leave: (place: Place) => void;
  readonly size: () => number;
}

interface Waiting {
  readonly place: Place;
  readonly letIn: () => void;
}

export function createPlaces(limits: PlaceLimits): Places {
  /** By tenant; the first is next. */
  const lines = new Map<string, Waiting[]>();
  const room = createRoom(limits);
  /** Of the tenant that has least in there. Nobody overtakes it while it waits for room: it would wait for ever. */
  const next = (): Waiting | undefined => {
    let [first, least]: [Waiting | undefined, number] = [undefined, Infinity];
    for (const [tenant, [one]] of lines) {
      const own = room.weightOf(tenant);
      if (own >= least || room.hasItsShare(one!.place)) continue;
      [first, least] = [one, own];
    }
    return first !== undefined && room.fits(first.place) ? first : undefined;
  };
  const remove = (waiting: Waiting): void => {
    const { tenant } = waiting.place;
    const line = (lines.get(tenant) ?? []).filter((one) => one !== waiting);
    lines.delete(tenant);
    // The tenant's next turn comes after everybody else's.
    if (line.length > 0) lines.set(tenant, line);
  };
  const letIn = (): void => {
    for (let one = next(); one !== undefined; one = next()) {
      remove(one);
      room.take(one.place);
      one.letIn();
    }
  };
  return {
    enter: (place, signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const over = (settle: () => void): void => {
          clearTimeout(late);
          signal.removeEventListener("abort", abort);
          settle();
        };
        const waiting: Waiting = { place, letIn: () => over(() => resolve(true)) };
        const giveUp = (settle: () => void): void => {
          remove(waiting);
          over(settle);
          letIn();
        };
        const abort = (): void => giveUp(() => reject(signal.reason as Error));
        const late = setTimeout(() => giveUp(() => resolve(false)), limits.waitMs);
        signal.addEventListener("abort", abort, { once: true });
        lines.set(place.tenant, [...(lines.get(place.tenant) ?? []), waiting]);
        letIn();
      }),
    prepared: (place) => {
      if (room.prepared(place)) letIn();
    },
    leave: (place) => {
      if (room.leave(place)) letIn();
    },
    size: () => room.size() + [...lines.values()].reduce((sum, line) => sum + line.length, 0),
  };
}

function createRoom({ heldBytes, preparingBytes }: PlaceLimits) {
  const held = new Set<Place>();
  const preparing = new Set<Place>();
  return {
    fits: (place: Place): boolean => {
      if (held.size > 0 && sumWeights(held) + place.weight > heldBytes) return false;
      if (preparing.size === 0) return true;
      if (place.alone || [...preparing].some(({ alone }) => alone)) return false;
      return sumWeights(preparing) + place.weight <= preparingBytes;
    },
    hasItsShare: ({ tenant, weight }: Place): boolean => {
      const own = sumWeights(held, tenant);
      return own > 0 && own + weight > (heldBytes - sumWeights(held) + own) / 2;
    },
    take: (place: Place): void => {
      held.add(place);
      preparing.add(place);
    },
    prepared: (place: Place): boolean => preparing.delete(place),
    leave: (place: Place): boolean => {
      preparing.delete(place);
      return held.delete(place);
    },
    weightOf: (tenant: string): number => sumWeights(held, tenant),
    size: (): number => held.size,
  };
}

function sumWeights(places: ReadonlySet<Place>, tenant?: string): number {
  let sum = 0;
  for (const place of places) if (tenant === undefined || place.tenant === tenant) sum += place.weight;
  return sum;
}
