/**
 * The lines of all episodes, described one after another. What an episode says depends on those before it: as far as they
 * are what they were in the last handoff, its lines are kept.
 */
import { createSaid, type SaidMark } from "./said-before.ts";
import { createKnownThings } from "./effects.ts";
import type { Episode, EpisodeEntry } from "./episodes.ts";
import { linesOf, type LinesMark } from "./lines.ts";
import { worthFor, type LinesContext, type RecordLine } from "./context.ts";

/** A longer record is worked out again for each handoff. */
const CHARS_KEPT_MAX = 500_000;
const THINGS_KEPT_MAX = 5_000;

type Redact = LinesContext["redact"];

export interface EpisodeOptions extends Pick<
  LinesContext,
  "redact" | "shortened" | "tellsRequests" | "stillFails" | "live"
> {
  /** What `shortened` takes away. */
  readonly root: string | undefined;
  /** The words of what is asked for. */
  readonly taskWords: readonly string[];
}

/** The last record that was described with a redaction. */
const courses = new WeakMap<Redact, EpisodeLineWriter>();

/** The lines of each episode. */
export function linesOfAll(episodes: readonly Episode[], telling: EpisodeOptions): readonly (readonly RecordLine[])[] {
  const course = courses.get(telling.redact) ?? createEpisodeLineWriter();
  courses.set(telling.redact, course);
  const lines = course.linesOf(episodes, telling);
  if (course.isTooLarge()) courses.delete(telling.redact);
  return lines;
}

interface EpisodeLineWriter {
  readonly linesOf: (episodes: readonly Episode[], telling: EpisodeOptions) => readonly (readonly RecordLine[])[];
  readonly isTooLarge: () => boolean;
}

/** How far everything had come when an episode was described. */
interface ProgressMark {
  readonly said: SaidMark;
  /** How many results showed things. */
  readonly shown: number;
}

/** A place from which an episode can be described anew. */
interface ResumePoint extends LinesMark {
  readonly mark: ProgressMark;
}

interface CachedEpisode {
  readonly episode: Episode;
  readonly lines: readonly RecordLine[];
  /** In the order of its entries. */
  readonly resumePoints: readonly ResumePoint[];
  readonly chars: number;
  /** The results whose failures were asked about, and what the answers were. */
  readonly failures: ReadonlyMap<number, boolean>;
  readonly isLive: boolean;
  readonly start: ProgressMark;
  readonly end: ProgressMark;
}

/** What the lines of an episode depend on beside it: what was said and shown before. */
function createRecordMemory() {
  const [said, known] = [createSaid(), createKnownThings()];
  return {
    said,
    known,
    mark: (): ProgressMark => ({ said: said.mark(), shown: known.shown() }),
    backTo: (mark: ProgressMark): void => {
      said.backTo(mark.said);
      known.backTo(mark.shown);
    },
  };
}

type RecordMemory = ReturnType<typeof createRecordMemory>;

function createEpisodeLineWriter(): EpisodeLineWriter {
  const memory = createRecordMemory();
  const { known } = memory;
  const described: CachedEpisode[] = [];
  let last: Pick<EpisodeOptions, "root" | "tellsRequests" | "taskWords"> | undefined;
  let worthOfReport = worthFor([]);
  /** Forgets the episodes from that one on, and all that was said and shown after `until`. */
  const backTo = (count: number, until: ProgressMark | undefined): void => {
    if (until === undefined) return;
    described.length = count;
    memory.backTo(until);
  };
  return {
    linesOf: (episodes, telling) => {
      const { root, tellsRequests, taskWords } = telling;
      const asksAlike = last !== undefined && isEqual(last.taskWords, taskWords);
      const readsAlike = (one: CachedEpisode, next: Episode | undefined): next is Episode =>
        next !== undefined && (asksAlike || !one.episode.entries.some(isDelegated)) && isComparable(one, next, telling);
      const holds = (one: CachedEpisode, at: number): boolean => {
        const next = episodes[at];
        return readsAlike(one, next) && isSameEpisode(one.episode, next);
      };
      const tellsAlike = last?.root === root && last?.tellsRequests === tellsRequests;
      const anew = tellsAlike ? described.findIndex((one, at) => !holds(one, at)) : 0;
      if (!asksAlike) worthOfReport = worthFor(taskWords);
      last = { root, tellsRequests, taskWords };
      const cached = described[anew];
      const next = episodes[anew];
      const alike =
        cached !== undefined && tellsAlike && readsAlike(cached, next) ? sameEntries(cached.episode, next) : 0;
      const from = cached?.resumePoints.findLast(({ entries }) => entries <= alike);
      backTo(anew, from?.mark ?? cached?.start);
      if (cached !== undefined && next !== undefined && from !== undefined)
        described.push(describe(next, memory, { ...telling, worthOfReport, before: { cached, from } }));
      for (let at = described.length; at < episodes.length; at++)
        described.push(describe(episodes[at]!, memory, { ...telling, worthOfReport }));
      return described.map(({ lines }) => lines);
    },
    isTooLarge: () =>
      described.reduce((sum, { chars }) => sum + chars, 0) > CHARS_KEPT_MAX || known.shown() > THINGS_KEPT_MAX,
  };
}

interface Resumption {
  readonly cached: CachedEpisode;
  readonly from: ResumePoint;
}

interface DescribeOptions extends EpisodeOptions, Pick<LinesContext, "worthOfReport"> {
  /** The same episode when it was shorter, and from where on it is described anew; the memory is back there. */
  readonly before?: Resumption;
}

function describe(
  episode: Episode,
  { said, known, mark }: RecordMemory,
  { before, ...telling }: DescribeOptions,
): CachedEpisode {
  const { failures, stillFails } = recordingFailures(telling, before?.cached.failures);
  const start = before?.cached.start ?? mark();
  const resumePoints = before?.cached.resumePoints.filter(({ entries }) => entries <= before.from.entries) ?? [];
  const context: LinesContext = {
    ...telling,
    known,
    said,
    stillFails,
  };
  const lines = linesOf(episode, context, {
    known: before?.cached.lines.slice(0, before.from.lines) ?? [],
    entries: before?.from.entries ?? 0,
    reached: (place) => resumePoints.push({ ...place, mark: mark() }),
  });
  const chars = lines.reduce((sum, { body }) => sum + body.chars, 0);
  return { episode, lines, resumePoints, chars, failures, isLive: isLive(episode, telling), start, end: mark() };
}

/** Remembers which results' failures were asked about, and the answers. */
function recordingFailures(
  telling: EpisodeOptions,
  before: CachedEpisode["failures"] = new Map(),
): Pick<CachedEpisode, "failures"> & Pick<EpisodeOptions, "stillFails"> {
  const failures = new Map(before);
  const stillFails = (result: number): boolean => {
    const fails = telling.stillFails(result);
    failures.set(result, fails);
    return fails;
  };
  return { failures, stillFails };
}

/** Whether the entries that an episode shares with the same one of an earlier handoff come to the same lines as they did. */
function isComparable(
  { episode, failures, isLive: wasLive }: CachedEpisode,
  next: Episode,
  telling: EpisodeOptions,
): boolean {
  if (episode.start !== next.start || wasLive !== isLive(next, telling)) return false;
  for (const [result, fails] of failures) if (telling.stillFails(result) !== fails) return false;
  return true;
}

/** How many entries two episodes have in common from their beginning on. */
function sameEntries(one: Episode, other: Episode): number {
  const most = Math.min(one.entries.length, other.entries.length);
  let at = 0;
  while (at < most && isSameEntry(one.entries[at]!, other.entries[at]!)) at++;
  return at;
}

function isSameEpisode(one: Episode, other: Episode): boolean {
  return one.entries.length === other.entries.length && sameEntries(one, other) === one.entries.length;
}

function isSameEntry(entry: EpisodeEntry, next: EpisodeEntry): boolean {
  if (entry.message !== next.message) return false;
  if (entry.kind !== "done" || next.kind !== "done")
    return (
      entry.kind !== "done" &&
      entry.kind === next.kind &&
      entry.from === next.from &&
      entry.text === next.text &&
      endsTurn(entry) === endsTurn(next)
    );
  const { call, action, answered, answer } = next;
  return entry.call === call && entry.action === action && entry.answered === answered && entry.answer === answer;
}

function endsTurn(entry: EpisodeEntry): boolean {
  return entry.kind === "said" && entry.ends;
}

/** The words of the newest request say what of a report by somebody else is quoted. */
function isDelegated(entry: EpisodeEntry): boolean {
  return entry.kind === "done" && entry.action.action === "delegate";
}

function isLive({ entries }: Episode, { live }: EpisodeOptions): boolean {
  return entries.some(({ kind, message }) => kind === "asked" && message === live);
}

export function isEqual<T>(one: readonly T[], other: readonly T[]): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false;
  return true;
}
