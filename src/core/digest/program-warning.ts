/** What the program that an agent runs in warns of between the agent's words: `/lib/client.py:55: UserWarning: …`. */

const PLACE_AND_KIND = String.raw`^[/\w.-]{1,300}\.\w{1,5}:\d{1,6}: [A-Z]\w{0,60}Warning: `;
const LINE = new RegExp(PLACE_AND_KIND, "m");
/** With the line of code that it shows below. */
const WARNING = new RegExp(String.raw`${PLACE_AND_KIND}.*(?:\n[ \t]+\S.*)?`, "gm");

/** One look for the word is much cheaper than the pattern. */
export function holdsProgramWarning(text: string): boolean {
  return text.includes("Warning: ") && LINE.test(text);
}

export function withoutProgramWarnings(text: string): string {
  return text.includes("Warning: ") ? text.replace(WARNING, "") : text;
}
