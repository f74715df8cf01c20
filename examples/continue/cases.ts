/**
 * What agents are asked to go on with: for each recorded session its last request, hidden checks of the work, the rules of
 * the session as checks of what was changed, and questions about what only the session tells. `npm run cases` writes them
 * as folders that `precis-eval exam --continue` takes.
 */
import type { Recorder } from "../record/recorder.ts";
import { recordExpressSession } from "../record/express-session.ts";
import { CODING_TOOLS, type Given } from "../record/formats.ts";
import { REFUNDS_SYSTEM } from "../record/refunds-session.ts";
import { recordSettlementSession } from "../record/settlement-session.ts";
import { recordStocktakeSession } from "../record/stocktake-session.ts";
import { recordTripSession, TRIP, TRIP_SYSTEM } from "../record/trip-session.ts";
import { SHOP, type Project } from "../record/workspace.ts";

export interface Check {
  readonly name: string;
  /** A shell command, run in the agent's copy of the repository; exit code 0 is passed. */
  readonly run: string;
}

export interface Question extends Check {
  readonly ask: string;
  readonly key: string;
}

export interface ContinueCase {
  readonly name: string;
  readonly given: Given;
  readonly project: Project;
  readonly record: (session: Recorder) => void;
  /** What the agent is told beside the session's last request. */
  readonly addition: string;
  readonly checks: readonly Check[];
  readonly rules: readonly Check[];
  readonly questions: readonly Question[];
}

const NO_GIT = "There is no git history in this copy: leave out the commit.";

/** Every pattern has to be found in the reply to the question. */
const says = (...patterns: readonly string[]): string =>
  patterns.map((pattern) => `tr '\\n' ' ' < "$PRECIS_REPLY" | grep -Eqi -e "${pattern}"`).join(" && ");
const part = (file: string, name: string): string => `node "$PRECIS_CASE/${file}" ${name}`;
const SAME = (path: string): string => `cmp "${path}" "$PRECIS_ORIGINAL/${path}"`;
const ADDED = (pattern: string): string => `grep -Eq -e '^\\+.*(${pattern})' "$PRECIS_DIFF"`;
const SURFACE: Check = {
  name: "src/index.js exports what it did",
  run: `${SAME("src/index.js")} && node "$PRECIS_CASE/surface.hidden.js"`,
};
/** With a test that the session left failing on purpose. */
const ONE_FAILS = `node --test 2>&1 | grep -Eq '^(ℹ|#) fail 1$' && grep -q 'gives stock back when a payment never answers' test/orders.test.js`;

const SETTLEMENT: ContinueCase = {
  name: "settlement",
  given: { system: REFUNDS_SYSTEM, tools: CODING_TOOLS },
  project: SHOP,
  record: recordSettlementSession,
  addition: NO_GIT,
  checks: [
    { name: "the account of each region, as it is now", run: part("settlement.hidden.js", "accounts") },
    { name: "8999 for what came back whole", run: part("settlement.hidden.js", "returned") },
    { name: "the columns, by tabs", run: part("settlement.hidden.js", "form") },
    { name: "the number of orders on top, no TOTAL", run: part("settlement.hidden.js", "top") },
    { name: "paid orders only", run: part("settlement.hidden.js", "paid") },
    { name: "sorted by number", run: part("settlement.hidden.js", "sorted") },
    { name: "net with shipping, tax once", run: part("settlement.hidden.js", "amounts") },
  ],
  rules: [
    {
      name: "its tests are named for accounting, and pass",
      run: `${part("settlement.hidden.js", "named")} && ${ONE_FAILS}`,
    },
    SURFACE,
    { name: "no float, no dependency", run: `! ${ADDED("toFixed|parseFloat")} && ${SAME("package.json")}` },
  ],
  questions: [
    {
      name: "what the draft did that accounting refused",
      ask: "What did the draft of the settlement file do that accounting refused, for which reason, and what was wrong with its figures?",
      key: "It grouped by account (one line for each account); the auditor has to find each order; it counted the tax on the shipping twice.",
      run: says("group|account", "audit", "shipping", "twice|double|again|too high|already"),
    },
    {
      name: "the accounts before",
      ask: "Which accounts did AT and NL have before the change, and who changed them?",
      key: "AT 8410, NL 8411; the tax adviser (with accounting).",
      run: says("8410", "8411", "advis|accounting"),
    },
    {
      name: "who is asked before something is exported",
      ask: "Who has to say yes before something new is exported from src/index.js?",
      key: "Priya of the mobile team.",
      run: says("Priya"),
    },
    {
      name: "the way of splitting that was thrown away",
      ask: "Which way of spreading a discount over the lines did you try first and throw away, and what did it do wrong?",
      key: "The rest to the last line; its discount could exceed its price (a negative line).",
      run: says("last", "negative|exceed|more than|below zero|several cents|larger than"),
    },
  ],
};

const EXPRESS: ContinueCase = {
  name: "express",
  given: { system: REFUNDS_SYSTEM, tools: CODING_TOOLS },
  project: SHOP,
  record: recordExpressSession,
  addition: NO_GIT,
  checks: [
    { name: "35 % on the standard price", run: part("express.hidden.js", "percent") },
    { name: "always up to the next 10 cents", run: part("express.hidden.js", "up") },
    { name: "at least 8.40", run: part("express.hidden.js", "least") },
    { name: "15 kg, express_too_heavy, never split", run: part("express.hidden.js", "limit") },
    { name: "no express to Ireland", run: part("express.hidden.js", "ireland") },
    { name: "the error names the limit in grams", run: part("express.hidden.js", "grams") },
  ],
  rules: [
    {
      name: "the carrier's figures have their comment, all of them",
      run: `test "$(grep -E '^\\+.*//.*carrier 2026-03' "$PRECIS_DIFF" | wc -l)" -ge 3`,
    },
    {
      name: "no export from src/index.js, no new file under src",
      run: `${SAME("src/index.js")} && test "$(ls src)" = "$(ls "$PRECIS_ORIGINAL/src")"`,
    },
    {
      name: "standard prices are what they were, all tests pass",
      run: `${part("express.hidden.js", "standard")} && test -f test/express.test.js && node --test`,
    },
  ],
  questions: [
    {
      name: "why the draft's rounding was wrong",
      ask: "What was wrong with the rounding of the first draft of express, by which example?",
      key: "It rounded to the nearest: 9 kg within Germany 12.00 (12.015); the carrier's bill says 12.10, so the carrier rounds up.",
      run: says("12[.,]10", "12[.,]00"),
    },
    {
      name: "what held before the carrier called back",
      ask: "Which weight limit, which least price and what for Ireland did the carrier name first?",
      key: "20 kg, 7.90, plus 60 % to Ireland.",
      run: says("20[ _.,]?(kg|000|k)", "7[.,]90|790", "60"),
    },
    {
      name: "what 33 kg would have cost",
      ask: "For heavy parcels, which way of splitting was given up and why, and what would 33 kg within Germany have cost by it?",
      key: "Full parcels of 31.5 kg and one for the rest; the carrier's scales (tape and paper) send full ones back; 22.80.",
      run: says("22[.,]80", "scale|weigh|tape|comes? back|returned|sent back"),
    },
    {
      name: "who is asked, and who checked",
      ask: "Who must look before anything is exported from src/index.js, with whom at the carrier was express agreed, and who checked free shipping?",
      key: "Jonas of the till team; Mrs Okafor; legal.",
      run: says("Jonas", "Okafor", "legal"),
    },
  ],
};

const STOCKTAKE: ContinueCase = {
  name: "stocktake",
  given: { system: REFUNDS_SYSTEM, tools: CODING_TOOLS },
  project: SHOP,
  record: recordStocktakeSession,
  addition: NO_GIT,
  checks: [
    { name: "up to 2 units are booked, not 3", run: part("stocktake.hidden.js", "tolerance") },
    { name: "up to 10 of garden goods", run: part("stocktake.hidden.js", "garden") },
    { name: "counted has the reserved units in it", run: part("stocktake.hidden.js", "reserved") },
    { name: "fewer than are reserved: recount", run: part("stocktake.hidden.js", "below") },
    { name: "unknown skus do not stop it", run: part("stocktake.hidden.js", "unknown") },
    { name: "sorted by sku", run: part("stocktake.hidden.js", "sorted") },
    { name: "what is logged", run: part("stocktake.hidden.js", "log") },
  ],
  rules: [
    { name: "src/index.js exports what it did, no dependency", run: `${SURFACE.run} && ${SAME("package.json")}` },
    {
      name: "functions only: no class, no default export, no console.log",
      run: `test -f src/stocktake.js && ! grep -Eq '^(export )?(default )?class |export default|console\\.log' src/stocktake.js test/stocktake.test.js`,
    },
    {
      name: "it is tested, and only the test fails that failed",
      run: `test -f test/stocktake.test.js && ${ONE_FAILS}`,
    },
  ],
  questions: [
    {
      name: "the way that was thrown away",
      ask: "Which way of taking the counts over was tried first, and what did it do to reservations (name two things)?",
      key: "A new Inventory made from the counts; it lost the open reservation (its units could be sold again, commit threw “no open reservation R1”), and began numbering anew.",
      run: says(
        "new ([\\`a-z]* )*inventory",
        "lost|lose|forg|nothing of|no open reservation|sold|unknown",
        "number|R1|twice|again|second",
      ),
    },
    {
      name: "the tolerance before, and who objected",
      ask: "How far off might a count be at first, who said that this is too much, and what was the reason?",
      key: "3 units; Bram of the warehouse; somebody could walk out with them.",
      run: says("3|three", "Bram", "walk|st(ea|o)l|theft|carry|take"),
    },
    {
      name: "why garden goods differ, and who wants functions",
      ask: "Why are garden goods treated differently, and who asked for functions with one object as argument?",
      key: "They are weighed and not counted; Yusuf.",
      run: says("weigh", "Yusuf"),
    },
    {
      name: "the power cut",
      ask: "Which order did the power cut damage, and which two further faults were found behind the one in the log?",
      key: "S-1003; the next event would have been glued to the half line; order numbers began at S-1001 again.",
      run: says("S-1003", "glue|same line|own line|line of its own|append", "number|S-1001"),
    },
  ],
};

const trip = (name: string): string => part("trip.hidden.js", name);

const TRIP_CASE: ContinueCase = {
  name: "trip",
  given: { system: TRIP_SYSTEM, tools: CODING_TOOLS },
  project: TRIP,
  record: recordTripSession,
  addition: "Both files belong in the folder itself. No commit is needed.",
  checks: [
    { name: "all 44 once, four a room at most, girls and boys apart", run: trip("everybody") },
    { name: "two of 7a and two of 7b, one of each in the last ones", run: trip("classes") },
    { name: "the twelve rooms that hold now", run: trip("numbers") },
    { name: "who must not share a room does not", run: trip("apart") },
    { name: "Tom is on the ground floor", run: trip("ground") },
    { name: "the letter: arrival at 19:15", run: trip("arrival") },
    { name: "the letter: 20 % by 30 April", run: trip("deposit") },
  ],
  rules: [
    { name: "first name and first letter only, no numbers, no births", run: trip("names") },
    { name: "subject to the signature, with the reference, signed by the forms", run: trip("letter") },
    { name: "nothing of diets, illness, or who is kept apart", run: trip("silence") },
  ],
  questions: [
    {
      name: "the first house",
      ask: "Which house was chosen first, and why was it dropped, by whom?",
      key: "Fjordhuset; last inspected in 2021, wooden doors; the headmaster (Mr Brandt).",
      run: says("Fjordhuset", "inspect|2021", "wood|door|fire", "head|Brandt"),
    },
    {
      name: "the list that was thrown away",
      ask: "By what were the rooms filled in the list that was thrown away, and what was wrong with it?",
      key: "By the alphabet (surname); Noor and Lena shared a room (D), classes uneven, Tom anywhere.",
      run: says("alphabet|surname", "Noor|Lena|Tom|class"),
    },
    {
      name: "the sum for the parents",
      ask: "Which sum goes to the parents, and what was the insurance before and now?",
      key: "329 euros; 12, now 15.",
      run: says("329", "12", "15"),
    },
    {
      name: "who asked for the classes, and which room fell out",
      ask: "Who asked that the classes be mixed in the rooms, and which room fell out and why?",
      key: "Mr Okoro for the parents; 27, a burst pipe.",
      run: says("Okoro", "27", "pipe|water|burst"),
    },
  ],
};

export const CONTINUE_CASES: readonly ContinueCase[] = [SETTLEMENT, EXPRESS, STOCKTAKE, TRIP_CASE];
