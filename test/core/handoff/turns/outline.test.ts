/** Of many written lines, the heads among them are told. */
import { describe, expect, it } from "vitest";
import { outlineOf } from "../../../../src/core/handoff/turns/outline.ts";

describe("the outline of what was written", () => {
  const python = [
    "import os",
    "from a import b",
    "class Shop:",
    '    """Sells."""',
    "    def sell(self):",
    "        return 1",
    "    def close(self):",
    "        if self.open:",
    "            stop()",
  ];
  it.each<[string, readonly string[], readonly string[]]>([
    ["few lines are all", python.slice(0, 6), python.slice(0, 6)],
    ["heads within a single head", python, ["class Shop:", "    def sell(self):", "    def close(self):"]],
    [
      "the outermost heads",
      ["const a = 1;", "function one() {", "  go();", "}", "function two() {", "  if (a) {", "    go();", "  }", "}"],
      ["function one() {", "function two() {"],
    ],
    [
      "headings of a page",
      ["# Plan", "Words.", "Words.", "## Läden", "Words.", "Words.", "## 価格", "Words."],
      ["# Plan", "## Läden", "## 価格"],
    ],
    [
      "keys of data",
      [
        "{",
        '  "name": "shop",',
        '  "scripts": {',
        '    "test": "vitest"',
        "  },",
        '  "engines": {',
        '    "node": "22"',
        "  }",
        "}",
      ],
      ['  "scripts": {', '  "engines": {'],
    ],
    [
      "heads whose brackets stand apart",
      "class Card|{|    int Power;|    void Draw()|    {|        Go();|    }|    void Drop()|    {|        Go();|    }|}".split(
        "|",
      ),
      ["class Card", "    void Draw()", "    void Drop()"],
    ],
    ["the first line where nothing stands below anything", [..."abcdefgh"], ["a"]],
  ])("%s", (_, lines, outline) => {
    expect(outlineOf(lines)).toEqual(outline);
  });
});
