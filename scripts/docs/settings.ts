/** The settings as a Markdown table, as it is in docs/configuration.md; a test keeps the page up to date. */
import { withGenerated } from "./markdown.ts";
import { written } from "../../src/config/problems.ts";
import { ALIASES, findParent, SECTIONS, SETTINGS, type Setting } from "../../src/config/settings.ts";

/** docs/configuration.md with its table renewed. */
export function withReference(page: string): string {
  return withGenerated(page, "settings", settingsReference());
}

/** One list a section, an item a setting; a setting without a section has a heading of its own. */
function settingsReference(): string {
  const alone = SETTINGS.filter(({ path }) => !path.includes("."));
  const headings = alone.map((setting) => `### \`${setting.path}\`\n\n${meaningOf(setting)}\n`);
  const sections = SECTIONS.map(({ path, description }) => {
    const own = SETTINGS.filter((setting) => findParent(setting.path) === path);
    return own.length === 0 ? "" : `### \`${path}\`\n\n${description}\n\n${listed(own)}\n`;
  });
  return [...sections, ...headings].filter((text) => text !== "").join("\n");
}

function listed(settings: readonly Setting[]): string {
  const items = settings.map((setting) => {
    const key = setting.path.slice(setting.path.lastIndexOf(".") + 1);
    return `- \`${key}\` (${valuesOf(setting)}): ${meaningOf(setting)}`;
  });
  return items.join("\n");
}

const UNSET = ", or `null`";

/** What a setting accepts, and its default; one that is `null` by default is not set. */
function valuesOf({ expects: said, default: value }: Setting): string {
  const expects = said.replaceAll("` or `", "`, `");
  if (value === null && expects.endsWith(UNSET)) return `${expects.slice(0, -UNSET.length)}; unset`;
  return `${expects}; default \`${written(value)}\``;
}

function meaningOf(setting: Setting): string {
  const alias = Object.keys(ALIASES).find((name) => ALIASES[name] === setting.path);
  const also = alias === undefined ? "" : ` Also written \`${alias}\`.`;
  return `${setting.description}${also}`;
}
