/** The file that `precis config init` writes: every setting with its meaning, commented out at its default. */
import { written } from "./bad-value.ts";
import { parentOf, SECTIONS, SETTINGS } from "./settings.ts";
import { wrapped } from "./wrap.ts";

const COMMENT_COLUMNS = 96;

export function configurationTemplate(): string {
  const lines = [
    "# Settings of precis. Every line below is the default: remove the # to change one.",
    "# `precis config check` shows the values computed from them.",
  ];
  for (const { path, description } of SECTIONS) {
    const depth = path.split(".").length - 1;
    const indent = "  ".repeat(depth);
    if (depth === 0) lines.push("");
    lines.push(`${indent}# ${description}`, `${indent}${path.slice(path.lastIndexOf(".") + 1)}:`);
    for (const setting of SETTINGS)
      if (parentOf(setting.path) === path) for (const each of settingLines(setting, `${indent}  `)) lines.push(each);
  }
  for (const setting of SETTINGS)
    if (parentOf(setting.path) === "") for (const each of ["", ...settingLines(setting, "")]) lines.push(each);
  return `${lines.join("\n")}\n`;
}

function settingLines(setting: (typeof SETTINGS)[number], indent: string): readonly string[] {
  const key = setting.path.slice(setting.path.lastIndexOf(".") + 1);
  const text = `${setting.description} Takes ${setting.expects}.`;
  return [
    ...wrapped(text, COMMENT_COLUMNS).map((line) => `${indent}# ${line}`),
    `${indent}# ${key}: ${written(setting.default)}`,
  ];
}
