/** Which values look made by a machine. */
import { expect, it } from "vitest";
import { hasRandomPart } from "../../../src/core/redaction/values.ts";

it.each([
  ["src/core/a1.ts", false],
  ["2024/report-03.csv", false],
  ["CAa3QYFNcqtf2lW/XKB7xet32TDlZGUh1j3fz+mzFs2hXQ", true],
])("%s has a random part: %s", (path, made) => {
  expect(hasRandomPart(path)).toBe(made);
});
