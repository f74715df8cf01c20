/** The project's own cases for agents that go on: untouched work fails their checks and bends no rule; a solution passes all. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CONTINUE_CASES, type Check } from "../../../examples/continue/cases.ts";

const ROOT = resolve(import.meta.dirname, "../../..");

/** Four recorded sessions are made, on a machine that has other things to do. */
const CASES_MS_MAX = 300_000;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "precis-cases-"));
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, "scripts/continue-cases.ts"), folder], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
}, CASES_MS_MAX);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Work {
  readonly repository: string;
  readonly failing: (checks: readonly Check[]) => readonly string[];
}

/** A copy of a case's repository, and an answer. */
function workOn(name: string, answer: string): Work {
  const place = mkdtempSync(join(folder, `${name}-work-`));
  const [original, repository] = [join(folder, name, "repository"), join(place, "repository")];
  cpSync(original, repository, { recursive: true });
  writeFileSync(join(place, "answer.txt"), answer);
  const failing = (checks: readonly Check[]): readonly string[] => {
    const { stdout } = spawnSync("git", ["diff", "--no-index", "--no-color", "--", original, repository], {
      encoding: "utf8",
    });
    writeFileSync(join(place, "changes.diff"), stdout);
    const env = {
      PATH: process.env["PATH"],
      PRECIS_CASE: join(folder, name),
      PRECIS_ORIGINAL: original,
      PRECIS_REPOSITORY: repository,
      PRECIS_DIFF: join(place, "changes.diff"),
      PRECIS_ANSWER: join(place, "answer.txt"),
    };
    const holds = ({ run }: Check): boolean => spawnSync(run, { shell: true, cwd: repository, env }).status === 0;
    return checks.flatMap((check) => (holds(check) ? [] : [check.name]));
  };
  return { repository, failing };
}

describe.each(CONTINUE_CASES.map((one) => [one.name, one] as const))(
  "the case %s",
  (name, { checks, rules, files }) => {
    it("is a session without its last request, a repository, and a request", () => {
      const session = readFileSync(join(folder, name, "session.json"), "utf8");
      expect(JSON.parse(session).messages.at(-1).role).toBe("assistant");
      expect(existsSync(join(folder, name, "repository", ".git"))).toBe(false);
      expect(readFileSync(join(folder, name, "case.yaml"), "utf8")).toContain("request:");
    });

    it("finds the work undone where nothing was done", () => {
      expect(workOn(name, "").failing(checks).length).toBeGreaterThan(checks.length / 2);
    });

    it("finds no rule bent where nothing was done, but for what has to be written down", () => {
      const learns = files === undefined ? [] : rules.filter(({ run }) => / (?:overview|handover)\.md/.test(run));
      const others = rules.filter((rule) => !learns.includes(rule));
      expect(workOn(name, "").failing(others)).toEqual([]);
    });
  },
);

describe("a solution of the case parcels", () => {
  const { checks, rules } = CONTINUE_CASES.find(({ name }) => name === "parcels")!;
  const COUNT = `
/** How many parcels an order goes in. */
export function parcelCount({ weightGrams, region }) {
  const zone = ZONES[region];
  const parcels = Math.ceil(weightGrams / PARCEL_MAX_GRAMS);
  if (parcels > PARCELS_MAX[zone]) throw new ParcelTooHeavyError(weightGrams, PARCELS_MAX[zone]);
  return parcels;
}
`;
  const ANSWER =
    "Full parcels with one for the rest were given up, because a full one comes back from the scales. Now three parcels at home and near, one to Ireland. 33 kg would have cost 22.80 and cost 33.80 now; above three parcels a pallet is asked for, says the warehouse; free shipping is for Germany only, as legal checked.";

  it("passes every check, and bends no rule", () => {
    const { repository, failing } = workOn("parcels", ANSWER);
    const source = join(repository, "src/shipping.js");
    writeFileSync(source, `${readFileSync(source, "utf8")}${COUNT}`);
    const test = join(repository, "test/parcel-count.test.js");
    writeFileSync(
      test,
      'import { parcelCount } from "../src/shipping.js";\nparcelCount({ weightGrams: 1, region: "DE" });\n',
    );
    expect(failing([...checks, ...rules])).toEqual([]);
  });

  it("that exports what was to wait is found", () => {
    const { repository, failing } = workOn("parcels", ANSWER);
    const index = join(repository, "src/index.js");
    writeFileSync(index, `${readFileSync(index, "utf8")}export { parcelCount } from "./shipping.js";\n`);
    expect(failing(rules)).toContain("parcelCount is not exported from src/index.js");
  });
});
