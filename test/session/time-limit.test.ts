/** Work that is waited for no longer than it may take. */
import { describe, expect, it } from "vitest";
import { startTimeLimit, unlessAborted, withTimeLimit } from "../../src/session/time-limit.ts";

const NEVER = new Promise<never>(() => undefined);
const LONG_MS = 60_000;

describe("a time limit", () => {
  it("gives what comes of work that is done in time, its failure too", async () => {
    expect(await withTimeLimit(LONG_MS, Promise.resolve("done"), () => "late")).toBe("done");
    await expect(withTimeLimit(LONG_MS, Promise.reject(new Error("broken")), () => "late")).rejects.toThrow("broken");
  });

  it("gives what stands in for work that takes longer, or throws in its place", async () => {
    expect(await withTimeLimit(1, NEVER, () => "late")).toBe("late");
    const late = (): never => {
      throw new Error("too slow");
    };
    await expect(withTimeLimit(1, NEVER, late)).rejects.toThrow("too slow");
  });

  it("leaves no timer behind", async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
    const before = timers();
    await withTimeLimit(LONG_MS, Promise.resolve(), () => undefined);
    expect(timers()).toBe(before);
  });

  it("covers several steps together", async () => {
    const limit = startTimeLimit(5);
    const step = (): Promise<string> => unlessAborted(limit.signal, NEVER, () => "late");
    expect([await step(), await step()]).toEqual(["late", "late"]);
    limit.clear();
  });
});

describe("a signal", () => {
  it("that was aborted before is heeded too, unless the work is done", async () => {
    const signal = AbortSignal.abort();
    expect(await unlessAborted(signal, NEVER, () => "aborted")).toBe("aborted");
    expect(await unlessAborted(signal, Promise.resolve("done"), () => "aborted")).toBe("done");
  });

  it("hears of failures after it aborted without making them unhandled", async () => {
    const { promise, reject } = Promise.withResolvers<string>();
    expect(await unlessAborted(AbortSignal.abort(), promise, () => "aborted")).toBe("aborted");
    reject(new Error("later"));
    await new Promise((resolve) => setImmediate(resolve));
  });
});
