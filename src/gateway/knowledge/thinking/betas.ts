/** Beta headers: a list in one line or in several, whose order providers and caches may depend on, so that one is only ever added at its end. */
import type { HeaderLines } from "../../contract.ts";

const BETA_HEADER = "anthropic-beta";

function betasIn(lines: HeaderLines): readonly string[] {
  return lines
    .filter(([name]) => name.toLowerCase() === BETA_HEADER)
    .flatMap(([, value]) => value.split(",").map((beta) => beta.trim()))
    .filter((beta) => beta !== "");
}

/** The same lines where it is there already. */
export function withBeta(lines: HeaderLines, beta: string): HeaderLines {
  if (betasIn(lines).includes(beta)) return lines;
  const last = lines.findLastIndex(([name]) => name.toLowerCase() === BETA_HEADER);
  const line = lines[last];
  if (line === undefined) return [...lines, [BETA_HEADER, beta]];
  const [name, value] = line;
  return lines.with(last, [name, value.trim() === "" ? beta : `${value},${beta}`]);
}
