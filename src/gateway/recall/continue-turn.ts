/** The next request of a turn: where its provider finds it too large, once more without what was recalled last. */
import type { ProviderAnswer } from "../request/open-answer.ts";
import type { Turn } from "./turn.ts";

export interface ContinuedTurn {
  readonly turn: Pick<Turn, "withoutLast">;
  readonly resend: (body: string) => Promise<ProviderAnswer>;
  readonly further: (answer: ProviderAnswer) => void;
}

export async function continueTurn({ turn, resend, further }: ContinuedTurn, body: string): Promise<ProviderAnswer> {
  const answer = await resend(body);
  further(answer);
  const smaller = answer.tooLarge ? turn.withoutLast() : undefined;
  if (smaller === undefined) return answer;
  await answer.body.return();
  const again = await resend(smaller);
  further(again);
  return again;
}
