/** The settings of redaction: lists in files, variables and flags; patterns that cannot be used are told with their place. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadConfiguration, resolveAll, type Request } from "../../src/config/load.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "precis-redaction-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const request = (yaml: string, more: Partial<Request> = {}): Request => {
  writeFileSync(join(folder, "precis.yaml"), yaml);
  return {
    folder,
    platform: "linux",
    file: "precis.yaml",
    ...more,
    environment: { HOME: folder, ...more.environment },
  };
};
const patterns = async (yaml: string, more?: Partial<Request>): Promise<readonly string[]> =>
  (await loadConfiguration(request(yaml, more))).redaction.patterns;

test("patterns are a list; a stronger source replaces the whole of it", async () => {
  const yaml = 'redaction: { patterns: ["A-[0-9]+", "B"], code: true }';
  expect(await patterns(yaml)).toEqual(["A-[0-9]+", "B"]);
  expect(await patterns(yaml, { environment: { PRECIS_REDACTION_PATTERNS: '["C","D"]' } })).toEqual(["C", "D"]);
  expect(await patterns(yaml, { environment: { PRECIS_REDACTION_PATTERNS: "[a-z]{9}!" } })).toEqual(["[a-z]{9}!"]);
  const flags = [{ path: "redaction.patterns", text: "E", label: "--set" }];
  expect(await patterns(yaml, { flags })).toEqual(["E"]);
  expect((await loadConfiguration(request(yaml))).redaction).toMatchObject({ code: true, outgoing: false });
});

test("a pattern that cannot be used is told: where, which, why, and what to do", async () => {
  const { problems } = await resolveAll(request('redaction:\n  patterns: ["fine", "(abc", "x(?!y)"]\n'));
  expect(problems).toEqual([
    {
      code: "bad_value",
      place: "precis.yaml:2:13",
      message: "`redaction.patterns` number 2, `(abc`: missing closing ): `(abc`",
      fix: expect.stringContaining("RE2"),
    },
    {
      code: "bad_value",
      place: "precis.yaml:2:13",
      message: expect.stringContaining("`redaction.patterns` number 3, `x(?!y)`: "),
      fix: expect.stringContaining("no look-around"),
    },
  ]);
});

test.each(["redaction: { patterns: abc }", "redaction: { patterns: [1, 2] }", "redaction: { patterns: { a: b } }"])(
  "what is no list of texts is told: %s",
  async (yaml) => {
    const { problems } = await resolveAll(request(yaml));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ message: expect.stringContaining("expected a list of texts") });
  },
);
