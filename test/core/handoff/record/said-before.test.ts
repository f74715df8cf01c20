/** What counts as said already: nearly the same words, unless they are about something else that is named by an id. */
import { describe, expect, it } from "vitest";
import { createSaid } from "../../../../src/core/handoff/record/said-before.ts";

describe("a sentence in nearly the words of an earlier one", () => {
  const first = "The reservation NM1VX1 is in basic economy class, which cannot be changed to another flight or cabin.";

  it("is said already", () => {
    const said = createSaid();
    said.newness({ text: first });
    expect(said.newness({ text: first.replace("basic economy class", "basic economy") })).toBeUndefined();
  });

  it("is not where it names another thing by its id", () => {
    const said = createSaid();
    said.newness({ text: first });
    expect(said.newness({ text: first.replace("NM1VX1", "KC18K6") })).toBeDefined();
  });

  it("is where only an address or a hash differs", () => {
    const said = createSaid();
    const seen = (id: string) =>
      `The page with the list of all trails near the lake is shown at example.org/?id=${id} now.`;
    said.newness({ text: seen("882621D9F3774E") });
    expect(said.newness({ text: seen("1F3774E882621D") })).toBeUndefined();
  });
});
