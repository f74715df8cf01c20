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

/** What only the session tells: nothing of it is in the repository. */
const PAST = {
  refunds:
    "Then, for the release notes: the rules that I gave you at the start, all of them; what support still has to do by hand, for which order, and why the new code does not do it; which way of sharing out the cents you tried first and threw away, and what it did wrong; and what the vouchers were called before marketing changed its mind.",
  restart:
    "Then, for the incident report: which order the power cut damaged, what was lost of it and what was not; which two further faults you found behind the one in the log; and what I asked you never to do with orders.jsonl.",
  parcels:
    "Then, for the till team: what an order of 33 kg to Germany would have cost by the way that we gave up, and what it costs now; what has to be done above the most parcels, and who said so; and what holds for free shipping, and who checked it.",
} as const;

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
    addition: `${PAST.refunds} ${ANSWER_FIRST}`,
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
      { name: "knows the rule about exported names", run: says("signature|pin") },
      { name: "knows the rule about amounts", run: says("integer") },
      { name: "knows whose the catalogue is", run: says("buying") },
      { name: "knows the rule about commits", run: says("imperative|every (finished )?step|push") },
      { name: "names the order that support settles by hand", run: says("S-1042") },
      { name: "says why: its events hold the lines as they were priced", run: says("event|priced then|old orders") },
      { name: "knows the way that was thrown away", run: says("last (eligible )?line|left ?over") },
      {
        name: "says what it did wrong",
        run: says("negative|exceed|more than (its|the) price|below zero|several cents"),
      },
      { name: "knows the former name of the vouchers", run: says("coupon") },
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
    addition: `${PAST.restart} ${ANSWER_FIRST}`,
    checks: [
      { name: "refuses to start on a broken line in the middle, and names the line", run: hidden("middle.hidden.js") },
      { name: "a test of it was written", run: '! cmp -s test/store.test.js "$PRECIS_ORIGINAL/test/store.test.js"' },
      { name: "all tests pass", run: "node --test" },
      { name: "answers the question", run: says("refus|throw|error") },
      { name: "names the damaged order", run: says("S-1003") },
      {
        name: "says that only what was never acknowledged was lost",
        run: says("never (been )?(written|acknowledged)|not acknowledged|whole"),
      },
      {
        name: "knows the second fault: the next event would be glued on",
        run: says("glue|line of its own|same line|append"),
      },
      { name: "knows the third fault: order numbers began anew", run: says("order numbers?|S-1001|twice") },
      { name: "knows what must not be done with the file", run: says("rewrit|truncat|append-only") },
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
    addition: `${PAST.parcels} ${ANSWER_FIRST}`,
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
      { name: "knows what 33 kg would have cost: 22.80", run: says("22[.,]80") },
      { name: "knows what 33 kg cost now: 33.80", run: says("33[.,]80") },
      { name: "knows that a pallet is asked for above that", run: says("pallet") },
      { name: "knows who said so: the warehouse", run: says("warehouse") },
      { name: "knows who checked free shipping: legal", run: says("legal") },
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
