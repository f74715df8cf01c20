/**
 * Servers whose chat templates want user and assistant to take turns. A handoff is a user message of its own, so they refuse
 * what was compacted; they are found out by such a refusal, and sent neighbours of one role as one message from then on.
 */

export interface Alternation {
  readonly isWanted: (upstream: string, model: string) => boolean;
  readonly learn: (upstream: string, model: string) => void;
}

const SERVERS_MAX = 1_024;

export function createAlternation(): Alternation {
  const known = new Set<string>();
  return {
    isWanted: (upstream, model) => known.has(serverKey(upstream, model)),
    learn: (upstream, model) => {
      if (known.size >= SERVERS_MAX) known.clear();
      known.add(serverKey(upstream, model));
    },
  };
}

function serverKey(upstream: string, model: string): string {
  return `${upstream}\n${model}`;
}
