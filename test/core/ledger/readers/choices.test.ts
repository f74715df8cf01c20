/** What a person's reply makes of what was proposed. */
import { describe, expect, it } from "vitest";
import { agrees, optionChosen } from "../../../../src/core/ledger/readers/choices.ts";

const OFFERED = `Three ways:

**Option A — a section of its own**

1. **Option B:** names beside each entry

### Option C — a thank-you line
Option D

My recommendation: option A, as most people know it.`;

describe("a reply", () => {
  it.each(["yes", "Sounds good.", "ok, do it", "go ahead", "I like it", "gerne", "好的", "はい、お願いします"])(
    "agrees: %s",
    (reply) => expect(agrees(reply)).toBe(true),
  );
  it.each([
    "no",
    "ok, but use B",
    "yes, not that way",
    "I like option C",
    "what is B?",
    "Now the header.",
    "sure? don't",
  ])("does not agree: %s", (reply) => expect(agrees(reply)).toBe(false));
});

describe("an option that was chosen", () => {
  it.each([
    ["I like Option C", "Option C — a thank-you line"],
    ["let's go with option b please, and be quick about it", "Option B:** names beside each entry"],
    ["option A", "Option A — a section of its own"],
  ])("is told in the words that laid it out: %s", (reply, definition) => {
    expect(optionChosen(reply, OFFERED)).toBe(definition);
    expect(optionChosen(reply, OFFERED)).toBe(definition);
  });

  it.each([
    "what is option C?",
    "can you give me a full summary of option C",
    "option A or option C",
    "I don't like option C",
    "not option A",
    "option D",
    "option E",
    "The approach with option C was in the minutes of the last meeting.",
  ])("is none in: %s", (reply) => expect(optionChosen(reply, OFFERED)).toBeUndefined());
});
