/** Fixes the seed of generated properties: `npm test` judges a change, and the full run is there to find new cases. */
import * as fc from "fast-check";
import { RUNS } from "./cases.ts";

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20_261_121, numRuns: RUNS / 2 });
