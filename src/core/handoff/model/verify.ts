/** Holds each item of an answer against the session and the ledger, and keeps those that stand. */
import type { Ledger } from "../../ledger/ledger.ts";
import type { Section } from "../templates.ts";
import { CUT_MARK } from "../items.ts";
import { TOPICS } from "../topics/index.ts";
import type { Topic } from "../topics/topic.ts";
import type { Items } from "./asked.ts";
import { citedIn, type CitationChecker } from "./citations.ts";
import { contradictionIn } from "./claims.ts";
import type { SourceGrounding } from "./grounding.ts";

const INVENTED = "they name something that is not in the session";
/** Why an item was dropped. */
export type DropReason =
  | typeof INVENTED
  | "they contradict what happened"
  | "they say nothing about this session"
  | "they repeat what a tool's output said as if it had been asked for"
  | "they repeat the instructions";

export interface Verified {
  readonly items: Items;
  readonly kept: number;
  readonly dropped: readonly { readonly because: DropReason; readonly count: number }[];
  /** Of the kept items, those without a sentence that names something that is not in the session. */
  readonly shortened: number;
  /** Names in what was kept that are in the session. */
  readonly known: number;
}

export interface VerifyOptions {
  readonly citations: CitationChecker;
  readonly ledger: Ledger;
  readonly grounds: SourceGrounding;
  readonly template: readonly Section[];
}

/** An item without a name of the session says something of it when this share of its telling words is there. */
const OVERLAP_MIN = 0.5;
export function verify(items: Items, options: VerifyOptions): Verified {
  const dropped = new Map<DropReason, number>();
  const kept = new Map<Topic, readonly string[]>();
  let shortened = 0;
  for (const [topic, texts] of items) {
    const standing = texts.flatMap((text) => {
      const because = reasonAgainst(citedIn(text).claim, topic, options);
      if (because === undefined) return [text];
      const rest = because === INVENTED ? withoutInvented(text, topic, options) : undefined;
      if (rest === undefined) dropped.set(because, (dropped.get(because) ?? 0) + 1);
      else shortened++;
      return rest ?? [];
    });
    kept.set(
      topic,
      standing.map((text) => withOwnFigures(options.citations.checked(text, options.grounds.known), options.grounds)),
    );
  }
  const all = [...kept.values()].flat();
  return {
    items: kept,
    kept: all.length,
    dropped: Array.from(dropped, ([because, count]) => ({ because, count })),
    shortened,
    known: new Set(all.flatMap((text) => options.grounds.known(text))).size,
  };
}

function reasonAgainst(
  text: string,
  topic: Topic,
  { ledger, grounds, template }: VerifyOptions,
): DropReason | undefined {
  const bare = text.replace(/^\(|\)$/g, "");
  if (template.some(({ purpose }) => bare === purpose)) return "they repeat the instructions";
  if (inventsMoreThanFigures(text, grounds)) return INVENTED;
  if (contradictionIn(text, topic, ledger) !== undefined) return "they contradict what happened";
  if (
    grounds.known(text).length === 0 &&
    grounds.overlap(text) < OVERLAP_MIN &&
    !saysWhatIsOpen(text) &&
    !grounds.quotes(text)
  )
    return "they say nothing about this session";
  const { wishOf } = TOPICS[topic].model;
  if (wishOf !== undefined && (grounds.planted(text) || (wishOf === "person" && grounds.onlyShown(text))))
    return "they repeat what a tool's output said as if it had been asked for";
  return undefined;
}

/** Most of the item stands, its beginning too: it is kept without the sentences that do not. */
function withoutInvented(text: string, topic: Topic, options: VerifyOptions): string | undefined {
  const { claim } = citedIn(text);
  const sentences = claim.split(SENTENCE_ENDS);
  const cut = sentences.map((one) => inventsMoreThanFigures(one, options.grounds));
  if (cut[0] === true || cut.filter(Boolean).length * 2 >= sentences.length) return undefined;
  const rest = sentences.map((one, at) => (cut[at] ? CUT_MARK : one)).join("");
  return reasonAgainst(rest, topic, options) === undefined ? `${rest}${text.slice(claim.length)}` : undefined;
}

const SENTENCE_ENDS = /(?<=[;.])(?=\s)/;

/** "No tests were run since", "not committed yet": true of many sessions, and what the next one needs to know of this. */
function saysWhatIsOpen(text: string): boolean {
  return NEGATION.test(text) && WORK.test(text);
}

const NEGATION =
  /\b(?:not|no|never|nothing|nobody|without|yet|still|none|un(?:tested|built|committed|pushed|merged|reviewed|verified))\b/i;
const WORK =
  /\b(?:tests?|tested|untested|buil[dt]s?|unbuilt|lint|compiled?|commit(?:s|ted)?|uncommitted|push(?:ed)?|unpushed|merged?|deploy(?:ed)?|released?|reviewed?|verified|unverified|checked|run)\b/i;

const FIGURE = /^[\d.,]+$/;
function inventsMoreThanFigures(text: string, grounds: SourceGrounding): boolean {
  const invented = grounds.invented(text);
  if (invented.length === 0) return false;
  // A figure of the writer's own, a sum for instance, is believed beside a name of the session.
  return !invented.every((name) => FIGURE.test(name)) || grounds.known(text).length === 0;
}

/** Says of a figure that is nowhere that it is the writer's own. */
function withOwnFigures(text: string, { invented }: SourceGrounding): string {
  const { claim } = citedIn(text);
  const figures = invented(claim);
  return figures.length === 0 ? text : `${claim} (calculated)${text.slice(claim.length)}`;
}
