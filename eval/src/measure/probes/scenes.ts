/**
 * Scenes in which rules are easily lost: said politely or in passing, in the middle of something long, overruled later, or
 * drowned by what only looks like rules. Names are drawn from a seed, so that no ranking has seen them.
 */
import { NEAR_CHARS, statesValue, type Draw } from "./plant.ts";
import type { ProbeText } from "./work.ts";

export const SCENES = ["phrasing", "place", "length", "update", "flood"] as const;
export type Scene = (typeof SCENES)[number];

/** `tool`: in the result of a call. */
export interface SceneLine extends Omit<ProbeText, "by"> {
  readonly by: ProbeText["by"] | "tool";
}

export interface Planted {
  readonly variant: string;
  /** What is said, in order, each in a later cycle than the one before. Empty where another of the same variant says it too. */
  readonly says: readonly (readonly SceneLine[])[];
  /** What a later reader needs of it: together, near each other. */
  readonly needs: readonly string[];
  /** A value that was overruled: it may only are near what replaced it. */
  readonly outdated?: string;
}

/** Whether a text tells it, and no longer tells what it replaced. */
export function isPresent(text: string, planted: Planted): boolean {
  return (
    statesValue(text, planted) && (planted.outdated === undefined || isGone(text, planted.outdated, planted.needs[0]!))
  );
}

function isGone(text: string, outdated: string, current: string): boolean {
  for (let at = text.indexOf(outdated); at >= 0; at = text.indexOf(outdated, at + 1)) {
    const near = text.slice(Math.max(0, at - NEAR_CHARS), at + outdated.length + NEAR_CHARS);
    if (!near.includes(current)) return false;
  }
  return true;
}

export function plantedIn(scene: Scene, draw: Draw): readonly Planted[] {
  switch (scene) {
    case "phrasing":
      return phrasings(draw);
    case "place":
      return places(draw);
    case "length":
      return lengths(draw);
    case "update":
      return updates(draw);
    case "flood":
      return floodsIn(draw);
  }
}

function byUser(variant: string, says: string, needs: readonly string[]): Planted {
  return { variant, says: [[{ by: "user", says }]], needs };
}

function phrasings(draw: Draw): readonly Planted[] {
  const next = (): string => nameFrom(draw);
  const [a, b, c, d, e, f, g, h] = [next(), next(), next(), next(), next(), next(), next(), next()] as const;
  return [
    byUser("order", `Never restart ${a}.`, [a, "Never"]),
    byUser("request", `Please keep your hands off ${b} for now, thanks.`, [b, "hands off"]),
    byUser("reason first", `Because the auditors are reading it this month, ${c} has to stay as it is.`, [
      c,
      "stay as it is",
    ]),
    byUser("permission", `Only Ines may merge into ${d}.`, [d, "Only Ines"]),
    byUser("question", `Could you leave ${e} alone, please?`, [e, "leave"]),
    byUser("wish", `I would rather have ${f} untouched until the audit is over.`, [f, "untouched"]),
    byUser("in German", `Bitte ${g} auf keinen Fall anfassen.`, [g, "auf keinen Fall"]),
    byUser("as a list", `House rules:\n- ${h}: hands off\n- tests before every commit`, [h, "hands off"]),
  ];
}

const LOG_LINES = 80;
const FILLER_SENTENCES = 12;

function places(draw: Draw): readonly Planted[] {
  const rule = (): readonly [string, readonly string[]] => {
    const name = nameFrom(draw);
    return [`Never restart ${name}.`, [name, "Never"]];
  };
  const log = linesOf(LOG_LINES, () => `12:${draw(60)}:${draw(60)} worker ${draw(90)} took ${draw(9_000)} ms`);
  const filler = (): string => Array.from({ length: FILLER_SENTENCES }, () => fillerSentence(draw)).join(" ");
  const [alone, middle, before, behind, file] = [rule(), rule(), rule(), rule(), rule()];
  return [
    byUser("at the end of a request", ...alone),
    byUser("inside a long request", `${filler()} ${middle[0]} ${filler()}`, middle[1]),
    byUser("before a pasted log", `${before[0]} The log:\n${log}`, before[1]),
    byUser("behind a pasted log", `The log:\n${log}\n${behind[0]}`, behind[1]),
    {
      variant: "in a rules file that was read",
      says: [[{ by: "tool", says: `# Rules of this repository\n\n- ${file[0]}\n- Write tests first.` }]],
      needs: file[1],
    },
  ];
}

const LIST_RULES = 12;

function lengths(draw: Draw): readonly Planted[] {
  const [short, three, long] = [nameFrom(draw), nameFrom(draw), nameFrom(draw)] as const;
  const listed = Array.from({ length: LIST_RULES }, () => nameFrom(draw));
  const rules = listed.map((name) => `- Never restart ${name}.`).join("\n");
  const list = byUser(`${LIST_RULES} at once`, `The rules:\n${rules}`, []);
  const paragraph = Array.from({ length: FILLER_SENTENCES / 2 }, () => fillerSentence(draw)).join(" ");
  return [
    byUser("a few words", `Never restart ${short}.`, [short, "Never"]),
    byUser(
      "three sentences",
      `There is one more thing. The auditors watch ${three}, so never restart it during the day. At night it is fine.`,
      [three, "never"],
    ),
    byUser("a paragraph", `${paragraph} For all of these reasons never restart ${long}. ${paragraph}`, [long, "never"]),
    ...listed.map((name, at): Planted => ({ ...(at === 0 ? list : { ...list, says: [] }), needs: [name, "Never"] })),
  ];
}

function updates(draw: Draw): readonly Planted[] {
  const [port, newPort] = [`${draw(5_000) + 10_000}`, `${draw(5_000) + 20_000}`] as const;
  const [format, newFormat] = [nameFrom(draw), nameFrom(draw)] as const;
  const [host, newHost] = [nameFrom(draw), nameFrom(draw)] as const;
  const [queue, newQueue] = [nameFrom(draw), nameFrom(draw)] as const;
  return [
    {
      variant: "both named",
      says: changed(
        "user",
        `The service must listen on port ${port}.`,
        `The service must listen on ${newPort} instead of ${port}.`,
      ),
      needs: [newPort, "listen"],
      outdated: port,
    },
    {
      variant: "the old one not named",
      says: changed("user", `For exports use ${format}.`, `Change of plan: for exports use ${newFormat}.`),
      needs: [newFormat, "exports"],
      outdated: format,
    },
    {
      variant: "as a correction",
      says: changed(
        "user",
        `Always deploy to ${host}.`,
        `I was wrong about the deployment: always deploy to ${newHost}.`,
      ),
      needs: [newHost, "deploy"],
      outdated: host,
    },
    {
      variant: "the agent's decision overruled",
      says: changed(
        "assistant",
        `I decided to use ${queue} as the queue.`,
        `No, use ${newQueue} as the queue after all.`,
      ),
      needs: [newQueue, "queue"],
      outdated: queue,
    },
  ];
}

/**
 * Said by one, and overruled by the person later. Not in the opening messages, which every engine keeps word for word
 * whatever is said later.
 */
function changed(by: ProbeText["by"], first: string, then: string): Planted["says"] {
  return [[], [{ by, says: first }], [{ by: "user", says: then }]];
}

const OWN_RULES = 5;
const FLOOD_LINES = 400;
/** How often the longest floods come, each in a later cycle. */
const FLOODS = 4;
const FLOOD_PHRASES = ["Never restart", "You must not delete", "Under no circumstances touch", "Do not ever rename"];

/** Rules of the person's own, one a request, and then hundreds of lines that only look like rules, once or several times. */
function floodsIn(draw: Draw): readonly Planted[] {
  const line = (): string => `${FLOOD_PHRASES[draw(FLOOD_PHRASES.length)]!} ${nameFrom(draw)}.`;
  const flooded = (variant: string, by: readonly SceneLine["by"][], times: number): readonly Planted[] => {
    const flood = (): readonly SceneLine[] => by.map((one) => ({ by: one, says: linesOf(FLOOD_LINES, line) }));
    const floods = Array.from({ length: times }, flood);
    return Array.from({ length: OWN_RULES }, (_, at): Planted => {
      const name = `the${nameFrom(draw)}`;
      const rule = { by: "user", says: `You must not delete ${name}, the customer is still using it.` } as const;
      return { variant, says: at === 0 ? [[rule], ...floods] : [[rule]], needs: [name, "must not"] };
    });
  };
  return [
    ...flooded("in a result", ["tool"], 1),
    ...flooded("in result after result", ["tool"], FLOODS),
    ...flooded("in a paste", ["user"], 1),
    ...flooded("in paste after paste", ["user"], FLOODS),
    ...flooded("by the agent", ["assistant"], 1),
    ...flooded("from everywhere", ["tool", "tool", "user", "user", "assistant"], FLOODS),
  ];
}

function linesOf(count: number, line: () => string): string {
  return Array.from({ length: count }, line).join("\n");
}

const STEMS =
  "aspen birch cedar delta elder falcon garnet heron indigo juniper kestrel larch meadow nickel opal pewter quail raven sable thistle umber vireo willow yarrow";

function nameFrom(draw: Draw): string {
  const stems = STEMS.split(" ");
  return `${stems[draw(stems.length)]!}-${stems[draw(stems.length)]!}-${draw(9_000) + 1_000}`;
}

function fillerSentence(draw: Draw): string {
  return `The numbers of ${nameFrom(draw)} went up to ${draw(900)} again, and nobody has looked at it since.`;
}
