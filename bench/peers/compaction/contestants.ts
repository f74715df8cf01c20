/** Everyone who is measured at compacting, and those that could not be loaded. */
import { isAbsent, orAbsent, type Absent } from "../load.ts";
import { pruneMessagesContestant } from "./ai-sdk.ts";
import type { Contestant } from "./contestant.ts";
import { headroomContestant } from "./headroom.ts";
import { hermesContestant } from "./hermes.ts";
import { contextEditingContestant, summarizationContestant, trimContestants } from "./langchain.ts";
import { piContestant } from "./pi.ts";

const PEERS: Readonly<Record<string, () => Promise<Contestant | readonly Contestant[]>>> = {
  pi: piContestant,
  "AI SDK pruneMessages": pruneMessagesContestant,
  "LangChain.js trimMessages": trimContestants,
  "LangChain.js contextEditingMiddleware": contextEditingContestant,
  "LangChain.js summarizationMiddleware": summarizationContestant,
  "Hermes Agent": hermesContestant,
  Headroom: headroomContestant,
};

export interface Field {
  readonly peers: readonly Contestant[];
  readonly absent: readonly Absent[];
}

export async function loadPeers(): Promise<Field> {
  const made = await Promise.all(Object.entries(PEERS).map(([name, make]) => orAbsent(name, make)));
  return { peers: made.flatMap((one) => (isAbsent(one) ? [] : one)), absent: made.filter(isAbsent) };
}
