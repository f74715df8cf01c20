/**
 * The summaries as a graph: leaves stand for stretches of the conversation, a node above them for all that they stand
 * for. The roots tile the conversation from its beginning, the coarse ones first; whatever is under them is reached
 * through their sources. A node is named by the recall id of its stretch, so its originals are in the store.
 */
import type { Chain } from "../../transcript/links.ts";
import type { Measure } from "../../transcript/measure.ts";
import { textMessage, type Message } from "../../transcript/message.ts";

/** A node as a place: what it stands for. Plain data. */
export interface DagNode {
  readonly id: string;
  /** 0 for a leaf. */
  readonly depth: number;
  /** It stands for `messages[from .. until)`. */
  readonly from: number;
  readonly until: number;
  /** Link of the last of them: a conversation with another one there is not the one that was summarised. */
  readonly link: string;
  /** Ids of the nodes that it was made of, oldest first; a leaf is made of its messages. */
  readonly sources: readonly string[];
  /** Tokens of the messages. */
  readonly stands: number;
}

/** A node that is shown. Its text is written once, and these bytes are sent until a node above takes its place. */
export interface Root extends DagNode {
  readonly text: string;
  readonly tokens: number;
}

export interface Dag {
  readonly roots: readonly Root[];
  /** Nodes under the roots, which say in fewer words what these said. */
  readonly buried: readonly DagNode[];
}

export const NO_DAG: Dag = { roots: [], buried: [] };

/** What of a graph belongs to this conversation: the roots from the beginning on, as far as its messages are the same. */
export function ownDag({ roots, buried }: Dag, messages: readonly Message[], { chain, measure, most }: Bounds): Dag {
  const links = chain.linksOf(messages);
  const own: Root[] = [];
  for (const root of roots) {
    const follows = root.from === (own.at(-1)?.until ?? 0);
    if (!follows || root.until > most || links[root.until - 1] !== root.link) break;
    // What a session learns of its model's tokens since makes a text heavier or lighter.
    own.push({ ...root, tokens: measure.message(textMessage("user", root.text, "summary")) });
  }
  const end = own.at(-1)?.until ?? 0;
  return { roots: own, buried: buried.filter(({ until }) => until <= end) };
}

interface Bounds {
  readonly chain: Chain;
  readonly measure: Measure;
  /** No root reaches past this message. */
  readonly most: number;
}

/** Index after the last message that is summarised. */
export function endOf({ roots }: Pick<Dag, "roots">): number {
  return roots.at(-1)?.until ?? 0;
}

export function nodeOf({ roots, buried }: Dag, id: string): Root | DagNode | undefined {
  return roots.find((root) => root.id === id) ?? buried.find((place) => place.id === id);
}

/** The leaves under a node, oldest first, down to that many levels; nodes below that are answered as they are. */
export function under(dag: Dag, place: DagNode, levels: number): readonly DagNode[] {
  if (place.depth === 0 || levels === 0) return [place];
  return place.sources.flatMap((id) => {
    const source = nodeOf(dag, id);
    // A graph that was tampered with may lead in circles; depth falls, so this ends.
    return source === undefined || source.depth >= place.depth ? [] : under(dag, source, levels - 1);
  });
}
