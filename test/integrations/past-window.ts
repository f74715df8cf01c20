/** What every adapter is tried with: a conversation of 60 turns that is several windows long, against the strict provider. */
import { createProvider, type Provider, type ProviderOptions } from "../../provider/src/index.ts";
import { afterEach } from "vitest";

export const WINDOW_TOKENS = 16_000;
export const TURNS = 60;

const open: { close: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

/** Closes it after the test. */
export function closing<Closable extends { close: () => Promise<void> }>(one: Closable): Closable {
  open.push(one);
  return one;
}

/** The strict provider on loopback, with a small window for every model. */
export async function smallProvider(options: ProviderOptions = {}): Promise<{ provider: Provider; url: string }> {
  const provider = createProvider({ script: { text: "Noted." }, every: { windowTokens: WINDOW_TOKENS }, ...options });
  const { url } = closing(await provider.listen());
  return { provider, url };
}

/** What a person says in one turn: some 700 tokens, of which one fact is found in no other turn. */
export function says(turn: number): string {
  const lines = Array.from(
    { length: 40 },
    (_, line) => `row ${turn}.${line}: order ${turn * 97 + line} shipped to depot ${line}`,
  );
  return `Fact ${turn}: the depot of day ${turn} is called ${depotOf(turn)}.\n${lines.join("\n")}`;
}

export function depotOf(turn: number): string {
  return `Depot-${(turn * 7919).toString(36)}`;
}
