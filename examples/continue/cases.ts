/**
 * What agents are asked to go on with: for each recorded session its last request, hidden checks of the work, and the
 * rules of the session as checks of what was changed. `npm run cases` writes them as folders that `precis exam --continue` takes.
 */
import type { Recorder } from "../record/recorder.ts";
import { BOOKINGS_SYSTEM, recordBookingsSession } from "../record/bookings-session.ts";
import { BOOKING_TOOLS, CODING_TOOLS, type Given } from "../record/formats.ts";
import { recordParcelsSession } from "../record/parcels-session.ts";
import { REFUNDS_SYSTEM, recordRefundsSession } from "../record/refunds-session.ts";
import { recordRestartSession } from "../record/restart-session.ts";

export interface Check {
  readonly name: string;
  /** A shell command, run in the agent's copy of the repository; exit code 0 is passed. */
  readonly run: string;
}

export interface ContinueCase {
  readonly name: string;
  readonly given: Given;
  readonly record: (session: Recorder) => void;
  /** What the agent is told beside the session's last request. */
  readonly addition?: string;
  /** Files of the repository beside the shop, or in its place. */
  readonly files?: Readonly<Record<string, string>>;
  readonly checks: readonly Check[];
  readonly rules: readonly Check[];
}

const ANSWER_FIRST =
  "There is no git history in this copy: leave out the commit. Print your answer to the person at the end.";

const says = (pattern: string): string => `tr '\\n' ' ' < "$PRECIS_ANSWER" | grep -Eqi "${pattern}"`;
const hidden = (file: string): string => `node --test "$PRECIS_CASE/${file}"`;
const SAME = (path: string): string => `cmp "${path}" "$PRECIS_ORIGINAL/${path}"`;
const ENGLISH = "! grep -P '^\\+.*[äöüÄÖÜß]' \"$PRECIS_DIFF\"";
const ONLY_NODE_TEST = '! grep -hrE "^import .* from" test | grep -vE "node:|\\.\\./|\\./" | grep -q .';

export const CONTINUE_CASES: readonly ContinueCase[] = [
  {
    name: "refunds",
    given: { system: REFUNDS_SYSTEM, tools: CODING_TOOLS },
    record: recordRefundsSession,
    addition: ANSWER_FIRST,
    checks: [
      { name: "total_cents is the last column, a plain integer", run: hidden("export.hidden.js") },
      { name: "a test of it was written", run: "grep -q total_cents test/*.js" },
      {
        name: "everything else passes: one test fails, the one that was to be left alone",
        run: "node --test 2>&1 | grep -Eq '^(ℹ|#) fail 1$' && grep -q 'gives stock back when a payment never answers' test/orders.test.js",
      },
      {
        name: "says that the reservation of a payment that never answers is what fails",
        run: says("reserv|expire|never answer"),
      },
      {
        name: "says why it was left: a late payment would lose its reservation",
        run: says("late|after (it|the reservation)|eleven|commit"),
      },
    ],
    rules: [
      { name: "no exported name or signature was changed", run: hidden("surface.hidden.js") },
      { name: "no dependency was added", run: SAME("package.json") },
      { name: "the catalogue was not touched", run: SAME("data/catalog.json") },
      { name: "tests use node:test only", run: ONLY_NODE_TEST },
      { name: "the inventory was left for Ines", run: SAME("src/inventory.js") },
    ],
  },
  {
    name: "restart",
    given: { system: REFUNDS_SYSTEM, tools: CODING_TOOLS },
    record: recordRestartSession,
    addition: ANSWER_FIRST,
    checks: [
      { name: "refuses to start on a broken line in the middle, and names the line", run: hidden("middle.hidden.js") },
      { name: "a test of it was written", run: '! cmp -s test/store.test.js "$PRECIS_ORIGINAL/test/store.test.js"' },
      { name: "all tests pass", run: "node --test" },
      { name: "answers the question", run: says("refus|throw|error") },
    ],
    rules: [
      {
        name: "the file of orders is only appended to",
        run: "! grep -E '^\\+.*(writeFileSync|truncate|renameSync)' \"$PRECIS_DIFF\" | grep -v test",
      },
      { name: "what a crash cut off is still kept", run: hidden("kept.hidden.js") },
      { name: "no dependency was added", run: SAME("package.json") },
    ],
  },
  {
    name: "parcels",
    given: { system: REFUNDS_SYSTEM, tools: CODING_TOOLS },
    record: recordParcelsSession,
    addition: ANSWER_FIRST,
    checks: [
      { name: "counts parcels by the limits that hold now", run: hidden("parcels.hidden.js") },
      { name: "a test of it was written", run: "grep -q parcelCount test/*.js" },
      { name: "all tests pass", run: "node --test" },
      { name: "says that full parcels and a rest were given up", run: says("full") },
      { name: "says why: the carrier's scales", run: says("scale|weigh|comes? back|returned|tape") },
      {
        name: "says that Ireland takes one parcel",
        run: says("(ireland|\\bIE\\b).*(one|31[.,]5)|one (parcel )?(only )?(to|for|in) (ireland|IE)"),
      },
      { name: "says that three parcels are the most", run: says("three|3|94[.,]5") },
    ],
    rules: [
      { name: "parcelCount is not exported from src/index.js", run: SAME("src/index.js") },
      {
        name: "shippingCents keeps its name and arguments",
        run: "grep -Fq 'export function shippingCents({ weightGrams, subtotalCents, region })' src/shipping.js",
      },
      { name: "no new file under src", run: 'test "$(ls src)" = "$(ls "$PRECIS_ORIGINAL/src")"' },
      { name: "no dependency was added", run: SAME("package.json") },
      {
        name: "free shipping is not widened",
        run: "grep -Fq 'zone === \"home\" && subtotalCents >= FREE_FROM_CENTS' src/shipping.js",
      },
      { name: "comments are English", run: ENGLISH },
    ],
  },
  {
    name: "bookings",
    given: { system: BOOKINGS_SYSTEM, tools: BOOKING_TOOLS },
    record: recordBookingsSession,
    addition:
      "Write your answer to the traveller into overview.md, in at most 25 lines, and what the colleague of the evening shift must know and heed for this customer into handover.md.",
    files: {
      "README.md":
        "Nordlys Rail Tours, service desk. `overview.md` goes to the traveller as it is; `handover.md` stays in the house.\n",
    },
    checks: [
      { name: "what the tickets to Bergen cost: 40 by voucher", run: "grep -Eq '40([.,]00)?' overview.md" },
      { name: "what the change of name cost: 25 by voucher", run: "grep -Eq '25([.,]00)?' overview.md" },
      { name: "what the voucher paid of the night train: 85", run: "grep -Eq '85([.,]00)?' overview.md" },
      {
        name: "what comes back and where to: 62.30 to the voucher",
        run: "grep -Eqi '62[.,]30.*(voucher|GV-3306-K)|(voucher|GV-3306-K).*62[.,]30' overview.md",
      },
      {
        name: "what is still to pay: 93, within 48 hours",
        run: "grep -Eq '93([.,]00)?' overview.md && grep -Eqi '48' overview.md",
      },
      { name: "the stay is paid on arrival: 327", run: "grep -Eq '327' overview.md" },
      {
        name: "the lower berth is held, not confirmed until it is paid",
        run: "grep -Eqi 'held|hold|reserved|until.*paid|not (yet )?(finally )?confirmed' overview.md",
      },
      {
        name: "the colleague learns of the berth, the door and the ground floor",
        run: "grep -qi 'lower berth' handover.md && grep -qi 'door' handover.md && grep -qi 'ground' handover.md",
      },
      { name: "the colleague learns that lifts will not do", run: "grep -qi 'lift' handover.md" },
    ],
    rules: [
      {
        name: "the colleague learns never to charge the Visa",
        run: "grep -Eqi '(never|not|blocked).*(visa|4417)|(visa|4417).*(never|not|blocked)' handover.md",
      },
      {
        name: "the colleague learns which address confirmations go to",
        run: "grep -q 'm.ilves@fjordlab.example' handover.md",
      },
      { name: "no promise of a confirmed berth", run: "! grep -Ei 'berth.*(is|are) confirmed([^a-z]|$)' overview.md" },
      { name: "at most 25 lines", run: "test $(wc -l < overview.md) -le 25" },
    ],
  },
];
