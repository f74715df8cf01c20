/** Examines a session's cuts: what every contestant keeps of the prefix, marked against what the recording did next. */
import { hash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Cut } from "../recall/cuts.ts";
import { createExam } from "../recall/exam.ts";
import { keeperOf } from "../recall/compactor.ts";
import { tokensOf } from "../recall/future-use.ts";
import { createReader } from "../recall/reader.ts";
import { baselineMarks, engineMarks, engineOf, markOf, prepareCut, type PreparedCut } from "./contest.ts";
import type { Finding, Mark, Plan } from "./plan.ts";
import type { Recorded } from "./recorded.ts";
import { readSession } from "./session.ts";
import { readSource, type Source } from "./sources.ts";
import { placesIn, type SurveyedCut } from "./survey.ts";
import { createTally } from "./tally.ts";

export interface ExamineRequest {
  readonly source: Source;
  /** Which of the session's places, counted as the survey did. */
  readonly places: readonly number[];
  readonly keys: readonly string[];
  readonly plan: Plan;
}

/** One finding a place, in order. */
export async function* examine({ source, places, keys, plan }: ExamineRequest): AsyncGenerator<Finding> {
  const reader = createReader();
  const session = readSession(readSource(source), source.path);
  const all = session === undefined ? [] : placesIn(session, reader);
  for (const [index, at] of places.entries()) {
    const place = all[at];
    if (place === undefined) continue;
    const exam = createExam(place.cut, reader);
    const witness =
      plan.exportFolder === undefined ? () => undefined : recorderIn(plan.exportFolder, source, place.cut);
    const stand = prepareCut(place.cut, reader, { exam, tally: createTally(place.cut, exam), witness });
    yield { key: keys[index]!, file: source.name, ...(await findingAt(place, stand, plan)) };
  }
}

async function findingAt(place: SurveyedCut, stand: PreparedCut, plan: Plan): Promise<Omit<Finding, "key" | "file">> {
  const { cut, recorded } = place;
  const marks = await (recorded === undefined ? marksAtCut(stand, plan) : marksAtRecorded(stand, recorded, plan));
  return {
    kind: recorded === undefined ? "cut" : "recorded",
    share: cut.share,
    tokens: stand.exam.total,
    marks,
    ...(recorded === undefined ? {} : { agent: recorded.agent }),
  };
}

async function marksAtCut(stand: PreparedCut, { budgets, engines }: Plan): Promise<readonly Mark[]> {
  const marks = baselineMarks(
    stand,
    budgets.map((budget) => [budget, budget] as const),
  );
  for (const engine of engines) for (const each of await engineMarks(stand, engine, budgets)) marks.push(each);
  return marks;
}

/** The other agent's own compaction, and everyone else at the size that it took. */
async function marksAtRecorded(stand: PreparedCut, recorded: Recorded, plan: Plan): Promise<readonly Mark[]> {
  const { exam, tally, reader } = stand;
  const text = recorded.kept.map(reader.text).join("\n");
  const [kept, total] = [tokensOf(text), exam.total];
  const size = `as ${recorded.agent}` as const;
  const theirs: Mark = { contestant: recorded.agent, size, kept, total, counts: tally(text, () => "") };
  const marks = [theirs, ...baselineMarks(stand, [[size, kept / total]])];
  const atSize = async (engine: string): Promise<Mark> => {
    const result = await keeperOf(engineOf(engine))({ messages: stand.messages, room: kept });
    return markOf(stand, { contestant: engine, size, kept: result });
  };
  for (const engine of plan.engines) marks.push(await atSize(engine));
  return marks;
}

/** A file for each contestant at each size: what was kept of what, how the work went on, and how it was marked here. */
function recorderIn(folder: string, { name }: Source, cut: Cut): PreparedCut["witness"] {
  mkdirSync(folder, { recursive: true });
  const { share, prefix, rest } = cut;
  return ({ contestant, size, counts }, kept) => {
    const record = {
      contestant,
      budget: size,
      file: name,
      share,
      prefix,
      continuation: rest,
      kept,
      score: counts,
    };
    const text = JSON.stringify(record);
    writeFileSync(join(folder, `${hash("sha256", text).slice(0, EXPORT_NAME_DIGITS)}.json`), text);
  };
}

const EXPORT_NAME_DIGITS = 16;
