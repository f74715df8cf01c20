/** What is wrong with one stated value of the configuration. */
import { badValue, meantBy } from "./bad-value.ts";
import { problemInside } from "./diagnose-mapping.ts";
import type { Problem } from "./problems.ts";
import { shown } from "./shown.ts";
import { ALIASES, fits, kindOf, SECTIONS, settingAt, SETTINGS } from "./settings.ts";
import type { StatedSettings } from "./source.ts";

/** What is wrong with one value as it was stated, if anything. */
export function problemOf({ path, value, place }: StatedSettings): Problem | undefined {
  const kind = kindOf(path);
  if (kind === "section") return value === null ? undefined : sectionProblem(path, value, place);
  const setting = settingAt(path);
  if (setting === undefined) return unknown(path, place);
  const read = setting.schema.safeParse(value);
  if (read.success && value !== undefined) return undefined;
  const stated = { path, value, place };
  return problemInside(stated, setting, read.error?.issues[0]) ?? badValue({ ...setting, fits: fits(setting) }, stated);
}

function unknown(path: string, place: string): Problem {
  const settings = SETTINGS.map((setting) => setting.path);
  const meant = meantBy(path, [...settings, ...Object.keys(ALIASES), ...SECTIONS.map((section) => section.path)]);
  const fix =
    meant === undefined ? "Remove it; `precis config schema` lists every setting." : `Did you mean \`${meant}\`?`;
  return { code: "unknown_setting", place, message: `there is no setting \`${path}\``, fix };
}

function sectionProblem(path: string, value: unknown, place: string): Problem {
  const inside = SETTINGS.filter((setting) => setting.path.startsWith(`${path}.`)).map((setting) =>
    setting.path.slice(path.length + 1),
  );
  const message = `\`${path}\` is ${shown(value)}; expected a section with settings`;
  return { code: "bad_value", place, message, fix: `Put one of these below it, indented: ${inside.join(", ")}.` };
}
