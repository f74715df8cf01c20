/**
 * Text that somebody else wrote, safe to show in a terminal: what would move the cursor, change colours, hide or turn the
 * reading direction is written as its code instead. The colours of this program carry a number that nobody outside of this
 * process knows; they alone become colours, in the one place that writes for people.
 */
import { randomInt } from "node:crypto";

/** Controls but line breaks and tabs, and what has no form of its own (https://www.unicode.org/reports/tr44/#Default_Ignorable_Code_Point) but the choice of an emoji's. */
const HIDDEN = String.raw`(?![\n\t\ufe00-\ufe0f])[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]`;
const UNSEEN = new RegExp(HIDDEN, "gu");
/** As a colour that is in force before one of ours, it would be none: terminals skip what they do not know. */
const OURS = String(randomInt(1e9, 1e10));
const OURS_OR_UNSEEN = new RegExp(String.raw`\u001b\[${OURS};([\d;]*m)|${HIDDEN}`, "gu");

export function visible(text: string): string {
  return text.replace(UNSEEN, coded);
}

/** The same on one line. */
export function visibleLine(text: string): string {
  return visible(text).replaceAll("\n", "\\n").replaceAll("\t", " ");
}

/** With colours of ours around it, which `shown` tells from all others. */
export function painted(text: string, paint: (text: string) => string): string {
  // oxlint-disable-next-line no-control-regex -- the escape character is what a colour starts with
  return paint(shown(text)).replaceAll(/\u001b\[(?=[\d;]*m)/g, `\u001b[${OURS};`);
}

/** As it goes to a person: only our own colours are in force. */
export function shown(text: string): string {
  return text.replace(OURS_OR_UNSEEN, (one: string, colour: string | undefined) =>
    colour === undefined ? coded(one) : `\u001b[${colour}`,
  );
}

/** The same with our colours still marked: what was shown may then be broken into lines, and be shown again. */
export function marked(text: string): string {
  return text.replace(OURS_OR_UNSEEN, (one: string, colour: string | undefined) =>
    colour === undefined ? coded(one) : one,
  );
}

function coded(one: string): string {
  return `\\u{${one.codePointAt(0)!.toString(16)}}`;
}
