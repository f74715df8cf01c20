/** A web page or search result: its title and headings, how many links it has, and the passages the task is about. */
import { oneLine } from "../cut.ts";
import { headingsOf, linesWith, type Page } from "../page.ts";
import { informativeLines } from "../informative-lines.ts";
import { inOrder, plural, range, type DigestContent, type DigestContentRequest } from "../short.ts";

const LINK = /\]\(https?:\/\/|\bhref=|^https?:\/\//gm;
const LINKS_MAX = 10_000;
const HEADINGS_MAX = 14;
const HEADINGS_SHOWN = 2;
const TELLING_MAX = 10;
const TITLE = /<title[^>]{0,200}>([^<]{1,300})|^(?:Title|# ?Title): ?(.{1,200})$/im;
const TITLE_CHARS = 20_000;
/** Lines with this much to say are passages, not navigation. */
const PASSAGE_CHARS_MIN = 80;
const PASSAGES_MAX = 4;

export function shortWebPage(page: Page, { focus }: DigestContentRequest): DigestContent {
  const links = linesWith(page, LINK, LINKS_MAX).length;
  const headings = headingsOf(page);
  const title = TITLE.exec(page.text.slice(0, TITLE_CHARS));
  const passages: number[] = [];
  for (let at = 0; at < page.lines.length && passages.length < PASSAGES_MAX; at++)
    if (page.lines[at]!.trim().length >= PASSAGE_CHARS_MIN) passages.push(at);
  return {
    facts: [
      title === null ? "" : oneLine(title[1] ?? title[2] ?? "", 100),
      links === 0 ? "" : plural(links, "line") + " with links",
    ],
    lines: inOrder(
      range(0, 1),
      focus.slice(0, 6),
      headings.slice(0, HEADINGS_SHOWN),
      passages.slice(0, 1),
      focus,
      () => informativeLines(page, TELLING_MAX),
      passages,
      headings.slice(0, HEADINGS_MAX),
      range(1, 6),
    ),
  };
}
