/** Values of results in little room: true as far as they go. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { factsBody, type Fact } from "../../../../src/core/handoff/record/facts.ts";
import { failure, fixed } from "../../../../src/core/handoff/record/outcomes.ts";

const plain = (text: string): string => text;
const change = (place: string, was: string, now: string): Fact => ({ place, values: [{ was, now }], separator: " | " });

describe("values in little room", () => {
  it("leave out what was before, never what is now", () => {
    const facts = factsBody([change("status", "active", "termination pending")], plain);
    expect(facts.within(40)).toBe("status: active → termination pending");
    expect(facts.within(33)).toBe("status: termination pending, …");
    expect(facts.within(25)).toBe("");
  });

  it("are left out whole, with a mark, and a list keeps its first ones", () => {
    const facts = factsBody(
      [
        { place: "id", values: [{ now: "T-5512" }], separator: " | " },
        { place: "payments added", values: [{ now: "card_1" }, { now: "-6594" }], separator: " " },
        { place: "free", values: [{ now: "08:00" }, { now: "09:00" }], separator: " | " },
      ],
      plain,
    );
    expect(facts.within(24)).toBe("id: T-5512, …");
    expect(facts.within(33)).toBe("id: T-5512, free: 08:00 | …");
  });

  it("cut only sentences", () => {
    const facts = factsBody(
      [{ place: "note", values: [{ now: "come in by the back door, please" }], separator: " | " }],
      plain,
    );
    expect(facts.within(37)).toBe("note: come in by the back […]");
    expect(facts.within(20)).toBe("");
  });

  it("stay within their room, and say no former value without the one that holds", () => {
    const word = fc.stringMatching(/^[a-z]{1,12}$/);
    const facts = fc.array(fc.record({ place: word, was: word, now: word }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(facts, fc.integer({ min: 1, max: 120 }), (all, charsMax) => {
        const text = factsBody(
          all.map(({ place, was, now }) => change(place, `old-${was}`, `new-${now}`)),
          plain,
        ).within(charsMax);
        expect(text.length).toBeLessThanOrEqual(charsMax);
        expect(text).not.toMatch(/old-\w+(?! → new-|\w)/);
        expect(text).not.toMatch(/: ?(?:,|$|…)/);
      }),
    );
  });
});

describe("an outcome in little room", () => {
  it("says that the call failed, and no name without its value", () => {
    const failed = failure("error: SLOT_TAKEN, free: 2026-04-14 08:00 | 2026-04-16 09:00");
    expect(failed.within(34)).toBe("error: SLOT_TAKEN […]");
    expect(failed.within(8)).toBe("failed");
  });

  it("is none where only the mark of the cut would be left", () => {
    expect(fixed("termination").within(6)).toBe("");
    expect(fixed("termination").within(11)).toBe("termination");
  });
});
