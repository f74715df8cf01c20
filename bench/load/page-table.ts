/** A table of the page under a head of its own. */
import { markdownTable } from "../../scripts/docs/markdown.ts";

export function tableWith(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return markdownTable([head, ...rows]);
}
