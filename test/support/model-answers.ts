/**
 * What models answer, good ones and bad ones, made from the prompt they are given: a record in the sections asked for,
 * and the ways in which a record goes wrong.
 */

/** The parts of a prompt of ours that a model would work from. */
interface Prompt {
  readonly session: string;
  readonly record: string;
  readonly headings: readonly string[];
}

const between = (text: string, name: string): string => {
  const open = `=== ${name} ===\n`;
  const from = text.indexOf(open);
  return from < 0 ? "" : text.slice(from + open.length, text.indexOf(`\n=== end of ${name} ===`, from));
};

function promptIn(user: string): Prompt {
  const structure = user.slice(Math.max(0, user.lastIndexOf("=== end of session ===")));
  return {
    session: between(user, "session"),
    record: between(user, "record"),
    headings: structure.split("\n").filter((line) => line.startsWith("## ") || line.startsWith("### ")),
  };
}

interface Block {
  readonly by: string;
  readonly lines: readonly string[];
}

function blocksIn(session: string): readonly Block[] {
  const blocks: { by: string; lines: string[] }[] = [];
  for (const line of session.split("\n")) {
    const by = /^\[\d+ (user|assistant|record|result of [^\]]+)\] ?(.*)$/.exec(line);
    if (by === null) blocks.at(-1)?.lines.push(line);
    else blocks.push({ by: by[1]!, lines: by[2] === "" ? [] : [by[2]!] });
  }
  return blocks;
}

const sentences = (text: string): string[] => text.split(/(?<=[.!?])\s+|\n+/).filter((one) => one.trim().length > 12);

function recorded(record: string): Map<string, string[]> {
  const sections = new Map<string, string[]>();
  let items: string[] | undefined;
  for (const line of record.split("\n")) {
    if (line.startsWith("#")) sections.set(line, (items = []));
    else if (/^(?:-|\d+\.) /.test(line)) items?.push(line.replace(/^(?:-|\d+\.) /, ""));
  }
  return sections;
}

const ACTIONS_MAX = 60;
const ITEMS_MAX = 12;

/** The sections of a careful answer: what was there, and what the session adds. */
export function sectionsFor(user: string): Map<string, string[]> {
  const { session, record, headings } = promptIn(user);
  const before = recorded(record);
  const blocks = blocksIn(session);
  const said = blocks
    .filter(({ by }) => by === "assistant")
    .flatMap(({ lines }) => lines.filter((line) => !line.startsWith("> ")));
  const asked = blocks.filter(({ by }) => by === "user").map(({ lines }) => lines.join(" "));
  const actions = blocks.flatMap(({ by, lines }, at) =>
    by !== "assistant"
      ? []
      : lines
          .filter((line) => line.startsWith("> "))
          .map((line) => {
            const outcome = blocks[at + 1]?.lines.find((one) => one.trim() !== "" && !one.startsWith("[digest"));
            return `${line.slice(2)}${outcome === undefined ? "" : ` — ${outcome.trim().slice(0, 90)}`}`;
          }),
  );
  const fresh = new Map([
    ["Goal", asked.slice(0, 1).flatMap((text) => sentences(text).slice(0, 2))],
    ["Completed Actions", actions],
    ["Done", actions],
    ["In Progress", sentences(said.at(-1) ?? "").slice(-1)],
    [
      "Key Decisions",
      said
        .flatMap(sentences)
        .filter((one) => /\b(?:decided|because|instead|chose)\b/i.test(one))
        .slice(-ITEMS_MAX),
    ],
    [
      "Critical Context",
      blocks
        .flatMap(({ lines }) => lines)
        .filter((line) => /error|fail/i.test(line))
        .slice(-ITEMS_MAX),
    ],
  ]);
  return new Map(
    headings.map((heading) => {
      const own = before.get(heading) ?? [];
      const more = (fresh.get(heading.replace(/^#+ /, "")) ?? []).filter((one) => !own.includes(one));
      return [heading, [...own, ...more].slice(-ACTIONS_MAX)];
    }),
  );
}

export function written(sections: ReadonlyMap<string, readonly string[]>): string {
  return Array.from(sections, ([heading, items]) =>
    [
      heading,
      ...(items.length === 0
        ? ["None"]
        : items.map((text, at) => `${heading.includes("Actions") ? `${at + 1}.` : "-"} ${text}`)),
    ].join("\n"),
  ).join("\n\n");
}

/** The newest of each section, until the whole is as long as the prompt allows. */
function within(
  sections: ReadonlyMap<string, readonly string[]>,
  user: string,
): ReadonlyMap<string, readonly string[]> {
  const charsMax = Number(/Use up to (\d+) tokens/.exec(user)?.[1] ?? Infinity) * CHARS_A_TOKEN;
  let limited = sections;
  for (let most = ACTIONS_MAX; written(limited).length > charsMax && most > 1; most = Math.floor(most / 2))
    limited = new Map(Array.from(sections, ([heading, items]) => [heading, items.slice(-most)]));
  return limited;
}

const CHARS_A_TOKEN = 4;

/** A record in order, and no longer than was asked for. */
export const careful = (user: string): string => written(within(sectionsFor(user), user));

/** The same with every second sentence gone. */
export const forgetful = (user: string): string =>
  written(
    new Map(Array.from(sectionsFor(user), ([heading, items]) => [heading, items.filter((_, at) => at % 2 === 0)])),
  );

/** A record for a question that follows the conversation itself, where the session is not in the prompt. */
export const behind = (question: string, items: readonly string[]): string =>
  written(
    new Map(
      promptIn(question).headings.map((heading) => [heading, /Actions|Decisions|Files/.test(heading) ? items : []]),
    ),
  );
