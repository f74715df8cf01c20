/** How many cases a test makes: some in `npm test`, and all of them where its file runs among the slow ones or in full. */

/** Runs of each generated property: `PRECIS_TEST_RUNS`, else 500. */
export const RUNS = Number(process.env["PRECIS_TEST_RUNS"] ?? 500);

/** The least with which nothing is left out of a list. */
const RUNS_WITH_ALL = 200;
const ONE_IN = 6;

/** All cases of a list, or a fixed spread of them where a run makes fewer. */
export function spread<T>(all: readonly T[], oneIn = ONE_IN): readonly T[] {
  return RUNS >= RUNS_WITH_ALL ? all : all.filter((_, at) => at % oneIn === 0);
}
