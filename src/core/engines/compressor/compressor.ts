/**
 * The default engine: Hermes' four phases (Hermes Agent docs, Zhang 2026) with evidence taken from the original messages,
 * the live request anchored as a real user message, and a ladder that ends. After two compactions in a row that saved under a
 * tenth, the in-loop trigger rests (Zhang 2026, section 17) and says whether the session is dense or the handoff poor.
 */
import { draftResult, type CompactionDraft } from "../../compaction/apply.ts";
import { type CompactionReport, SAVED_LITTLE_ADVICE, savedLittle } from "../../compaction/compaction.ts";
import type { LastModelHandoff } from "../../compaction/model-handoff.ts";
import {
  findFirstCut,
  type Candidate,
  type CompactionRun,
  type SizeGoal,
  type SizeLimits,
} from "../../compaction/plan.ts";
import { TAIL_MESSAGES_MIN } from "../../compaction/tails.ts";
import { withNote } from "../../handoff/framing.ts";
import { languageOfPeople } from "../../handoff/language.ts";
import { SEVEN_SECTIONS } from "../../handoff/templates.ts";
import { thirteenSections } from "../../handoff/translations.ts";
import { HANDOFF_TOKENS_MIN } from "../../handoff/write.ts";
import type { Engine } from "../contract.ts";
import { createPolicyEngine, type CompletedCompaction, type Policy, type PolicyRun } from "../policy.ts";
import type { CompressorSettings } from "../settings.ts";
import { budgetLayout, withFullerTail, withSingleResults, withSpareRoomUsed } from "./budget.ts";
import {
  climbRungs,
  RUNG_DEGRADED,
  type DocumentedGoal,
  handoffBudget,
  headMessages,
  limitsOf,
  type Limits,
} from "./limits.ts";

const STATE_SCHEMA_VERSION = 1;
const INEFFECTIVE_MAX = 2;
/** A result in which what must stay weighs more than this is dense: no summary could make it smaller. */
const DENSE_SHARE = 0.7;

export interface CompressorState {
  readonly schemaVersion: typeof STATE_SCHEMA_VERSION;
  readonly compactions: number;
  /** Compactions in a row that saved too little. */
  readonly ineffective: number;
  readonly cause?: "dense session" | "poor handoff";
  readonly written?: LastModelHandoff;
}

const FRESH: CompressorState = { schemaVersion: STATE_SCHEMA_VERSION, compactions: 0, ineffective: 0 };

/** Without a budget the documented figures hold; an explicit budget overrides their minimums and is shared out by `budgetLayout`. */
type CompressorGoal = DocumentedGoal | BudgetGoal;

interface BudgetGoal extends SizeGoal {
  readonly headMessages: number;
  /** What the budget leaves beside system, tools and the live request. */
  readonly roomTokens: number;
}

interface Compressor {
  readonly state: CompressorState;
  readonly limits: Limits & { readonly triggerTokens: number };
  readonly goal: CompressorGoal;
}

type Run = PolicyRun<Compressor>;

export function createCompressor(settings: CompressorSettings): Engine<CompressorState> {
  return createPolicyEngine(compressorPolicy(settings));
}

function compressorPolicy(settings: CompressorSettings): Policy<Compressor> {
  return {
    name: "compressor",
    limits: (fixedTokens) => {
      const limits = limitsOf(settings, fixedTokens);
      return { ...limits, triggerTokens: limits.thresholdTokens };
    },
    aimTokens: ({ resultTokens }) => resultTokens,
    fresh: FRESH,
    // The default engine's state bears no name.
    readState: (given) => {
      const state = given as CompressorState | null | undefined;
      const isOwn = state?.schemaVersion === STATE_SCHEMA_VERSION && typeof state.ineffective === "number";
      return isOwn ? state : FRESH;
    },
    restsBecause: ({ ineffective, cause }) =>
      ineffective < INEFFECTIVE_MAX
        ? undefined
        : `the last ${ineffective} compactions saved under 10 % (${cause}): ${SAVED_LITTLE_ADVICE}`,
    afterCompaction: ({ state }, made) => nextState(state, made),
    // An attempt that found nothing smaller counts as one that saved nothing.
    afterFutileAttempt: ({ state }) => ({ ...state, ineffective: state.ineffective + 1, cause: "dense session" }),
    rewriteSystem: ({ system }) => (settings.note === "system" ? withNote(system) : system),
    sections: (messages) =>
      settings.template === "seven" ? SEVEN_SECTIONS : thirteenSections(languageOfPeople(messages)),
    modelTokens: ({ handoffTokensMax }) => handoffTokensMax,
    goal: (run, { state, limits, size }) => {
      const protecting = { ...settings, protectFirstN: headMessages(settings, state.compactions) };
      const { budget } = run.request;
      if (budget === undefined) return documentedGoal(protecting, { limits, size, run });
      return budgetGoal(protecting, budget, run.fixedTokens);
    },
    plan: (run) => ({ draft: withFullerTail(run, draftResult(run, findFirstCut(run, candidates(run), run.goal))) }),
    refine: withSpareRoomUsed,
    futileBecause: ({ assembled }) =>
      assembled.covered === 0
        ? "the settings protect the whole conversation; use a budget to go below that"
        : "nothing would be removed",
    staysBecause,
    remarks: [[RUNG_DEGRADED, "some recent messages did not fit and were summarised"]],
  };
}

function nextState(
  { compactions, ineffective }: CompressorState,
  {
    report,
    written,
  }: { readonly report: Pick<CompactionReport, "tokens" | "parts"> } & Pick<
    CompletedCompaction<CompressorState>,
    "written"
  >,
): CompressorState {
  const next = { ...FRESH, compactions: compactions + 1, ...(written === undefined ? {} : { written }) };
  if (!savedLittle(report)) return next;
  const { after } = report.tokens;
  const cause = after - report.parts.handoff > after * DENSE_SHARE ? "dense session" : "poor handoff";
  return { ...next, ineffective: ineffective + 1, cause };
}

/** Of what a result may weigh beside system and tools: a handoff below it is too poor while the ladder has rungs left. */
const HANDOFF_ROOM_SHARE_MIN = 0.3;

interface GoalBasis {
  readonly limits: Limits;
  readonly size: SizeLimits;
  readonly run: CompactionRun;
}

function documentedGoal(settings: CompressorSettings, { limits, size, run }: GoalBasis): DocumentedGoal {
  const room = Math.max(0, size.limitTokens - run.besideTokens);
  return {
    ...size,
    headMessages: settings.protectFirstN,
    headTokensMax: limits.headTokens,
    prunedHeadTokensMax: room - limits.handoffTokensMax - limits.tailTokens,
    tail: {
      tokens: limits.tailTokens,
      ceilingTokens: limits.tailCeilingTokens,
      messages: settings.protectLastN,
      messagesMin: TAIL_MESSAGES_MIN,
    },
    handoffTokens: (replaced) => handoffBudget(replaced, limits),
    handoffTokensMin: Math.min(limits.summaryTokensMin, Math.floor(room * HANDOFF_ROOM_SHARE_MIN)),
    handoffTokensLeast: leastHandoff,
  };
}

/**
 * `fixedTokens`: system, tools and the live request, which are in every result. Where they leave too little, the result is the
 * smallest one: with a larger handoff it would tell more than one within a slightly larger budget.
 */
function budgetGoal(settings: CompressorSettings, budgetTokens: number, fixedTokens: number): BudgetGoal {
  const roomTokens = Math.max(0, budgetTokens - fixedTokens);
  return {
    limitTokens: budgetTokens,
    headMessages: settings.protectFirstN,
    roomTokens,
    handoffTokens: () => roomTokens,
    handoffTokensMin: HANDOFF_TOKENS_MIN,
    handoffTokensLeast: leastHandoff,
  };
}

/** What cannot be made small enough should at least be of use: a tenth of what it replaces, within bounds. */
const BEYOND_LIMIT_SHARE = 0.1;
const BEYOND_LIMIT_TOKENS_MAX = 600;

/** The handoff is given at least that much, whether the limit can be kept or not. */
function leastHandoff(roomTokens: number, replacedTokens: number): number {
  if (roomTokens >= HANDOFF_TOKENS_MIN) return HANDOFF_TOKENS_MIN;
  const useful = Math.min(BEYOND_LIMIT_TOKENS_MAX, Math.floor(replacedTokens * BEYOND_LIMIT_SHARE));
  return Math.max(HANDOFF_TOKENS_MIN, useful);
}

function candidates(run: Run): Iterable<Candidate> {
  const { goal } = run;
  if (goal.roomTokens === undefined) return climbRungs(run, goal);
  return [withSingleResults(run, budgetLayout(run, goal.roomTokens, goal.headMessages))];
}

function staysBecause({ request, ...run }: Run, { shape: { messages, tailStart }, handoff }: CompactionDraft): string {
  const rest = request.measure.messages(messages.filter((_, at) => at >= tailStart && at !== run.live));
  return (
    `, the live request ${run.fixedTokens - run.besideTokens}, ` +
    (rest === 0 ? "" : `the rest of the last exchange ${rest} even as a skeleton, `) +
    `the handoff ${handoff?.tokens ?? 0}`
  );
}
