/** What reading text comes to: counting its tokens, and looking for secrets. */
import type { Figures } from "../main.ts";
import type { Kept } from "../results.ts";
import { absentLines, provenance, type Blocks } from "./section.ts";
import { percent } from "./wording.ts";

export function textSections(kept: Kept<Figures["text"]>): Blocks {
  const { estimates, secrets } = kept.figures;
  const counts = estimates.rows.map(({ name, error95 }) => `${name} ${percent(error95)}`);
  const found = secrets.rows.map(({ name, tokens, named }) => `${name} ${percent(tokens)} and ${percent(named)}`);
  const { planted } = secrets;
  return [
    "## Counting tokens, and looking for secrets",
    provenance(kept),
    `- **Tokens**: 95th percentile of the error, in percent of exact counts: ${counts.join("; ")}.
- **Secrets**: found, in percent, of ${planted.tokens} planted tokens of vendors and of ${planted.named} secrets that are known by their name or place, which are ours and favour precis: ${found.join("; ")}.`,
    ...absentLines([...estimates.absent, ...secrets.absent]),
  ];
}
