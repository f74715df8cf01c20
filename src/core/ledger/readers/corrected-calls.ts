/** Calls that make good what a call before them failed at, though they are not the same. */
import type { ClassifiedCall } from "./commands.ts";

const INSTALLS = /\b(?:install|add)\s/;
const MISSING =
  /No module named '([\w-]+)|Cannot find (?:module|package) '(@?[\w-]+)|(?:^|\s)([\w-]+): (?:command )?not found/;

/** Whether the command installs what an error missed, whatever the name has between its words. */
export function installing(command: string | undefined): (error: string) => boolean {
  if (command === undefined || !INSTALLS.test(command)) return () => false;
  return (error) => {
    const name = MISSING.exec(error)?.slice(1).find(Boolean);
    return (
      name !== undefined &&
      hyphened(command)
        .split(/[^\w@-]/)
        .includes(hyphened(name))
    );
  };
}

function hyphened(text: string): string {
  return text.replaceAll("_", "-");
}

const VALUES_COMPARED_MAX = 20;
const VALUE_CHARS_MIN = 3;

/**
 * Whether the call is another one once more, with one other value: the one that the error named (`use 'billing-2'`), or
 * another folder for a file of that name and content.
 */
export function amends({
  tool,
  values,
  command,
  action,
  paths,
}: ClassifiedCall): (former: ClassifiedCall, error: string) => boolean {
  if (command !== undefined || values.length > VALUES_COMPARED_MAX) return () => false;
  return (former, error) => {
    if (former.tool !== tool || former.values.length !== values.length) return false;
    const others = values.filter((value, at) => value !== former.values[at]);
    const [value = ""] = others;
    if (others.length !== 1 || value.length < VALUE_CHARS_MIN) return false;
    return action === "write" && paths[0] === value
      ? fileOf(value) === fileOf(former.paths[0] ?? "")
      : error.includes(value);
  };
}

function fileOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
