/**
 * Writes the nodes that are only sketched, each from the originals that it stands for: code's handoff of that
 * stretch, or a model's where one is asked. What a node says, the next does not say again.
 */
import type { SummaryAccount, SummaryStep } from "../../compaction/compaction.ts";
import { latestHandoff, parseHandoff, writeHandoff, HANDOFF_TOKENS_MIN } from "../../handoff/write.ts";
import { askedOf, type Items } from "../../handoff/model/asked.ts";
import { isSpent, leftOf, NOTHING_SPENT, plus, type StageUsage } from "../../handoff/model/staged-reading.ts";
import { COMPACTION_SPEND_LIMIT, tell, type ModelHandoff } from "../../handoff/model/model-handoff.ts";
import { textMessage } from "../../transcript/message.ts";
import { MESSAGE_OVERHEAD_TOKENS, type CompactionRun, type Cut } from "../../compaction/plan.ts";
import { visibleIn } from "../../compaction/remembered.ts";
import type { Dag, Root } from "./dag.ts";
import type { Sketch, SketchedDag } from "./sketch.ts";

export interface WriteDagRequest {
  readonly run: CompactionRun;
  /** What is next to the nodes. */
  readonly cut: Pick<Cut, "shape" | "verbatim">;
}

export interface WrittenDag {
  readonly dag: Dag;
  /** Who wrote the new nodes; absent where none is new. */
  readonly summary: SummaryAccount | undefined;
  readonly remarks: readonly string[];
}

export async function writeDag(
  { roots, buried }: SketchedDag,
  before: Dag,
  writing: WriteDagRequest,
): Promise<WrittenDag> {
  const models = createModels(writing, before);
  const done: Root[] = [];
  let fresh = 0;
  for (const node of roots) {
    if (node.text !== undefined) {
      done.push(node);
      continue;
    }
    const prose = await models.tell(node);
    done.push(writtenRoot(node, writing, prose));
    fresh++;
  }
  return { dag: { roots: done, buried }, ...(fresh === 0 ? NOTHING_WRITTEN : models.account()) };
}

const NOTHING_WRITTEN = { summary: undefined, remarks: [] };

function writtenRoot(node: Sketch, { run, cut }: WriteDagRequest, prose: Items | undefined): Root {
  const { measure, focus } = run.request;
  const { messages } = run.original;
  const own = messages.slice(node.from, node.until);
  const heading = composeHeading(node);
  const handoff = writeHandoff({
    messages: own,
    before: node.from,
    from: 0,
    until: own.length,
    budget: Math.max(HANDOFF_TOKENS_MIN, node.tokens - MESSAGE_OVERHEAD_TOKENS - measure.text(heading)),
    measure,
    ...(focus === undefined ? {} : { focus }),
    spanRecall: node.id,
    previous: latestHandoff(own),
    beside: visibleIn(cut.verbatim),
    redact: run.redact,
    template: run.template,
    fillsBudget: run.request.budget !== undefined,
    ...(prose === undefined ? {} : { prose }),
  });
  const safe = prose === undefined ? handoff.text : run.hideSecrets(handoff.text);
  const text = headed(safe, heading);
  return { ...node, text, tokens: measure.message(textMessage("user", text, "summary")) };
}

/** A smaller node has no room to say where it is. */
const HEADING_NODE_TOKENS_MIN = 400;

/** Says what a node stands for, and what can be expanded one by one. */
function composeHeading({ from, until, depth, sources, tokens }: Sketch): string {
  if (tokens < HEADING_NODE_TOKENS_MIN) return "";
  const made = depth === 0 ? "" : `; made of ${sources.join(", ")}`;
  return `Messages ${from + 1} to ${until}${made}.`;
}

/** The heading comes after the frame's two lines. */
function headed(text: string, heading: string): string {
  if (heading === "") return text;
  const at = text.indexOf("\n", text.indexOf("\n") + 1);
  return `${text.slice(0, at)}\n${heading}${text.slice(at)}`;
}

/** The models of one compaction: asked node by node, within one limit, and no more after the first that none could write. */
interface Models {
  readonly tell: (node: Sketch) => Promise<Items | undefined>;
  readonly account: () => Omit<WrittenDag, "dag">;
}

/** A smaller node has no room for sentences. */
const NODE_TOKENS_ASKED_MIN = 800;
/** Of a node; the rest is for requests, rules, files, and lines of the original. */
const PROSE_SHARE = 0.4;

function createModels(writing: WriteDagRequest, before: Dag): Models {
  const { writers } = writing.run.request;
  const all: ModelHandoff[] = [];
  let spent: StageUsage = NOTHING_SPENT;
  return {
    tell: async (node) => {
      const allowed = leftOf(COMPACTION_SPEND_LIMIT, spent);
      const gaveUp = all.length > 0 && all.at(-1)!.prose === undefined;
      if (writers === undefined || gaveUp || isSpent(allowed) || node.tokens < NODE_TOKENS_ASKED_MIN) return undefined;
      const written = await tell({
        ...asking(node, writing, before),
        // What is said of models that rest is said once.
        writers: all.length === 0 ? writers : { ...writers, resting: [] },
        allowed,
      });
      all.push(written);
      spent = written.account.steps.reduce<StageUsage>(plus, spent);
      return written.prose;
    },
    account: () => ({ summary: mergeAccounts(all), remarks: [...new Set(all.flatMap(({ degraded }) => degraded))] }),
  };
}

/** A node above others reads their records, and of the originals only what no record holds. */
function asking(node: Sketch, { run }: WriteDagRequest, before: Dag): Omit<Parameters<typeof tell>[0], "writers"> {
  const { measure, focus, signal } = run.request;
  const { messages } = run.original;
  const known = before.roots.filter(({ from, until }) => from >= node.from && until < node.until);
  return {
    ...(signal === undefined ? {} : { signal }),
    ...(focus === undefined ? {} : { focus }),
    span: {
      messages,
      from: known.at(-1)?.until ?? node.from,
      until: node.until,
      focus: run.focus,
      recall: node.id,
      measure,
      redact: run.redact,
    },
    record: collectItems(known, run),
    template: run.template,
    budget: node.tokens,
    targetTokens: Math.floor(node.tokens * PROSE_SHARE),
    live: undefined,
  };
}

function collectItems(known: readonly Root[], { template }: CompactionRun): Items {
  const records = known.flatMap(({ text }) => parseHandoff(text) ?? []);
  const topics = askedOf(template).map(({ topic }) => topic);
  return new Map(topics.map((topic) => [topic, records.flatMap(({ sections }) => sections.get(topic) ?? [])]));
}

function mergeAccounts(all: readonly ModelHandoff[]): SummaryAccount {
  const steps: readonly SummaryStep[] = all.flatMap(({ account }) => account.steps);
  const items = all.flatMap(({ account }) => account.items ?? []);
  const because = all.find(({ account }) => account.because !== undefined)?.account.because;
  const dropped = items.flatMap((one) => one.dropped);
  const reasons = [...new Set(dropped.map((one) => one.because))];
  const count = (reason: string): number =>
    dropped.filter((one) => one.because === reason).reduce((total, one) => total + one.count, 0);
  return {
    by: all.some(({ prose }) => prose !== undefined) ? "model" : "ledger",
    ...(because === undefined ? {} : { because }),
    steps,
    ...(items.length === 0
      ? {}
      : {
          items: {
            kept: items.reduce((total, { kept }) => total + kept, 0),
            dropped: reasons.map((reason) => ({ because: reason, count: count(reason) })),
          },
        }),
  };
}
