import { describe, expect, it } from "vitest";
import { valuesIn } from "../../../../src/core/ledger/readers/values.ts";

describe("values", () => {
  it("are lines that bind something exact to a name, verbatim", () => {
    const text = [
      "Summary of the setup",
      "- **Port**: 8137",
      "DATABASE_URL = postgres://localhost:5432/app",
      "Commit: `7e00b6e` on main",
      "gray: #6c6c6c",
    ].join("\n");
    expect(valuesIn(text).map((value) => value.text)).toEqual([
      "- **Port**: 8137",
      "DATABASE_URL = postgres://localhost:5432/app",
      "Commit: `7e00b6e` on main",
      "gray: #6c6c6c",
    ]);
    expect(valuesIn(text)[0]).toMatchObject({ name: "Port", value: "8137" });
  });

  it.each([
    "Note: it works",
    "Step 1: read 20 files",
    "Result: all is well with the 12 tests of it",
    "```\nport = 8137\n```",
  ])("are not seen in: %s", (text) => {
    expect(valuesIn(text)).toEqual([]);
  });
});
