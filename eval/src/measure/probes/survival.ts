/**
 * Survival probes: whether rules and values come through repeated compactions, by how and where they were said. Beside the
 * engines stand a context that holds nothing and one that holds everything, which shows what each probe can distinguish.
 */
import { contentText, type Message } from "../../../../src/core/transcript/message.ts";
import { createDraw } from "../../../../provider/src/random.ts";
import { engineOf } from "../contest.ts";
import { roundsOf } from "../drift.ts";
import type { ExaminedEngine } from "../plan.ts";
import { callMessage, resultMessage } from "./messages.ts";
import type { Draw } from "./plant.ts";
import { plantedIn, SCENES, isPresent, type Planted, type SceneLine, type Scene } from "./scenes.ts";
import { workWith, type ProbeText } from "./work.ts";

export const SURVIVAL_CYCLES = 10;
export const SURVIVAL_SEEDS: readonly number[] = [1, 2];
export const SURVIVAL_BASELINES = ["nothing", "everything"] as const;
/** Half of what the constraint probes fill: there are five scenes. */
const WINDOW_TOKENS = 32_000;
/** Fills the half of the window at which the default engine compacts. */
const CYCLE_TOKENS = WINDOW_TOKENS / 2;
/** What overrules or floods something comes that many compactions later. */
const LATER_CYCLES = 2;

export interface SurvivalOutcome {
  readonly contestant: string;
  readonly scene: Scene;
  readonly variant: string;
  readonly seed: number;
  /** Whether the last context tells it. */
  readonly stands: boolean;
}

/** Each scene is work of its own, so that the rules of one do not crowd out those of another. */
export async function survival(entrant: ExaminedEngine, seed: number): Promise<readonly SurvivalOutcome[]> {
  const outcomes: SurvivalOutcome[] = [];
  for (const { scene, planted, parts } of stagedWith(seed)) {
    const { text } = await roundsOf({ engine: engineOf(entrant, WINDOW_TOKENS), way: "session" }, parts);
    for (const each of outcomesOf(text, planted, { contestant: entrant.name, scene, seed })) outcomes.push(each);
  }
  return outcomes;
}

/** What the probes say of a context without a word, and of the whole work. */
export function survivalBaselines(seed: number): readonly SurvivalOutcome[] {
  return stagedWith(seed).flatMap(({ scene, planted, parts }) => {
    const everything = parts.flat().map(({ parts: own }) => contentText(own));
    return [
      ...outcomesOf("", planted, { contestant: "nothing", scene, seed }),
      ...outcomesOf(everything.join("\n"), planted, { contestant: "everything", scene, seed }),
    ];
  });
}

function outcomesOf(
  text: string,
  planted: readonly Planted[],
  about: Pick<SurvivalOutcome, "contestant" | "scene" | "seed">,
): readonly SurvivalOutcome[] {
  return planted.map((one) => ({ ...about, variant: one.variant, stands: isPresent(text, one) }));
}

interface Staged {
  readonly scene: Scene;
  readonly planted: readonly Planted[];
  /** The work, a part for each compaction. */
  readonly parts: readonly (readonly Message[])[];
}

function stagedWith(seed: number): readonly Staged[] {
  return SCENES.flatMap((scene) => staged(scene, seed));
}

/** Floods come one at a time, because each is to answer for the rules before it alone. */
function staged(scene: Scene, seed: number): readonly Staged[] {
  const random = createDraw(seed);
  const draw: Draw = (below) => Math.floor(random() * below);
  const all = plantedIn(scene, draw);
  const alone = scene === "flood" ? [...Map.groupBy(all, ({ variant }) => variant).values()] : [all];
  return alone.map((planted) => ({ scene, planted, parts: partsWith(planted, draw) }));
}

function partsWith(planted: readonly Planted[], draw: Draw): Staged["parts"] {
  const saidIn = (cycle: number): readonly SceneLine[] =>
    planted.flatMap(({ says }) => says[cycle / LATER_CYCLES] ?? []);
  return Array.from({ length: SURVIVAL_CYCLES }, (_, cycle) => {
    const says = saidIn(cycle);
    const spoken = says.filter((one): one is ProbeText => one.by !== "tool");
    const read = says.filter(({ by }) => by === "tool").flatMap(({ says: text }) => readFile(text, draw));
    return [...workWith(spoken, CYCLE_TOKENS, draw), ...read];
  });
}

/** The agent reads a file that says it. */
function readFile(text: string, draw: Draw): readonly Message[] {
  const call = { id: `call_${draw(1e9)}`, name: "Read", target: "CONTRIBUTING.md" };
  return [callMessage("I read the notes.", call), resultMessage(call.id, text)];
}
