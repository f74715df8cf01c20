/**
 * A window smaller than believed, at every server whose refusals are known: the client never sees one of them, whether
 * the error names the window or not, as a status or inside of a stream, and what a refusal taught is remembered.
 */
import { describe, expect, it } from "vitest";
import { OVERFLOW_ERROR_NAMES, OVERFLOW_ERRORS, type OverflowErrorName } from "../../provider/src/overflow-errors.ts";
import { createMemoryStore } from "../../src/store/index.ts";
import { ask, bodyOf, PROTOCOLS, worked } from "./support/asking.ts";
import { front, stand } from "./support/standing.ts";

const BELIEVED_TOKENS = 200_000;
const SAID = "The file says hello.";
const FULL = Number(process.env["PRECIS_TEST_RUNS"] ?? 0) > 1_000;
/** A request that no longer fits, and what follows it. */
const STEPS = FULL ? [40, 41, 44, 50, 60, 61, 80, 100] : [40, 41, 60, 80];
/** Refusals that a whole session may meet: a step down each, until the window is known. */
const REFUSALS_MAX = 6;

const MODES = [
  ["whole", { stream: false }, {}],
  ["streamed, refused with a status", { stream: true }, { overflowInStream: false }],
  ["streamed, refused inside of the stream", { stream: true }, { overflowInStream: true }],
] as const;

describe.each(OVERFLOW_ERROR_NAMES)("a session survives what %s says", (overflowError) => {
  it.each(MODES)("%s", async (mode, more, traits) => {
    // Every server in every mode, and every mode in every protocol.
    const index = OVERFLOW_ERROR_NAMES.indexOf(overflowError) + MODES.findIndex(([name]) => name === mode);
    const protocol = PROTOCOLS[index % PROTOCOLS.length]!;
    const { provider, url } = await stand({
      provider: { every: { windowTokens: 14_000, overflowError, ...traits }, script: { text: SAID } },
      gateway: { contextLength: BELIEVED_TOKENS },
    });
    for (const steps of STEPS) {
      const told = await ask(url, { protocol, body: bodyOf(protocol, worked("big", steps), more) });
      expect([steps, told.status]).toEqual([steps, 200]);
      expect(told.text).toMatch(/hello|"delta"/);
      expect(told.text).not.toMatch(/too long|exceed|maximum|reduce/i);
    }
    const { answered, rejected } = provider.account().total;
    expect(answered).toBe(STEPS.length);
    expect(rejected["window"]).toBeGreaterThan(0);
    expect(rejected["window"]).toBeLessThanOrEqual(REFUSALS_MAX);
  });
});

describe("a refusal that names no window", () => {
  const unnamed: OverflowErrorName = "bedrock";

  it.each([4_000, 8_000, 16_000, 40_000, 90_000])(
    "is stepped down from to a window of %d tokens, out of a session many times as large",
    { timeout: 60_000 },
    async (windowTokens) => {
      const { provider, url } = await stand({
        provider: { every: { windowTokens, overflowError: unnamed }, script: { text: SAID } },
        gateway: { contextLength: 1_000_000 },
      });
      const protocol = "openai-chat";
      for (const steps of [250, 251, 260, 280, 320]) {
        const told = await ask(url, { protocol, body: bodyOf(protocol, worked("long", steps)) });
        expect([steps, told.status]).toEqual([steps, 200]);
      }
      expect(provider.account().total.rejected["window"]).toBeLessThanOrEqual(8);
    },
  );

  it("is remembered by another gateway on the same store", async () => {
    const store = createMemoryStore();
    const protocol = "openai-chat";
    const { provider, url, providerUrl } = await stand({
      provider: { every: { windowTokens: 14_000, overflowError: unnamed }, script: { text: SAID } },
      gateway: { contextLength: BELIEVED_TOKENS, store },
    });
    await ask(url, { protocol, body: bodyOf(protocol, worked("one", 40)) });
    const refusals = provider.account().total.rejected["window"];
    const second = await front(providerUrl, { contextLength: BELIEVED_TOKENS, store });
    const told = await ask(second.url, { protocol, body: bodyOf(protocol, worked("other", 40)) });
    expect([told.status, provider.account().total.rejected["window"]]).toEqual([200, refusals]);
  });
});

it("the origin of every error is public", () => {
  expect(OVERFLOW_ERROR_NAMES.length).toBeGreaterThanOrEqual(25);
  for (const { origin } of Object.values(OVERFLOW_ERRORS)) expect(origin).toMatch(/^https:\/\/[a-z.]+\/\S+$/);
});
