/** A fork: a session with a name of its own that begins with what another has said so far. It only adds a row. */
import { PrecisError } from "../../core/errors.ts";
import { exchangesOf } from "../../core/transcript/exchanges.ts";
import { sharesWire } from "../../core/transcript/message.ts";
import type { ForkHow, ForkResult, Which } from "./contract.ts";
import { readConversation } from "./conversation.ts";
import { findSession } from "./find.ts";
import type { HistoryDependencies } from "./dependencies.ts";

const NAME = /^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,127}$/;
const OWN_NAMES_MAX = 1_000;
const SHORT_ID_CHARS = 12;

export async function fork({ store }: HistoryDependencies, which: Which, { at, name }: ForkHow): Promise<ForkResult> {
  const { tenant, entry } = await findSession(store, which);
  const { messages } = await readConversation(store, tenant, entry.head);
  const links = await store.readLinks(tenant, entry.head);
  const end = at ?? messages.length;
  const ends = exchangesOf(messages)
    .map((exchange) => exchange.end)
    .filter((one) => one === messages.length || !sharesWire(messages[one - 1], messages[one]!));
  if (!ends.includes(end)) throw noBoundary(end, ends);
  const named = await nameFor(name, entry.id, async (one) => (await store.getSession(tenant, one)) === undefined);
  const chain = { links: links.slice(0, end), messages: messages.slice(0, end), session: named };
  // A store that masks secrets may have another name for it.
  const { session } = await store.appendChain(tenant, chain);
  return { session, parent: entry.id, messages: end };
}

/** A call and its results are not parted: the conversation could not go on from there. */
function noBoundary(end: number, ends: readonly number[]): PrecisError {
  const before = ends.findLast((one) => one < end);
  const after = ends.find((one) => one > end);
  const near = [before, after].filter((one) => one !== undefined).join(" or ");
  return new PrecisError(`message ${end} is not the end of an exchange`, {
    code: "bad_fork",
    hint:
      near === "" ? "The session has no message." : `A call and its results stay together: fork after message ${near}.`,
  });
}

async function nameFor(
  given: string | undefined,
  parent: string,
  isFree: (name: string) => Promise<boolean>,
): Promise<string> {
  if (given !== undefined) {
    if (!NAME.test(given))
      throw new PrecisError(`${JSON.stringify(given.slice(0, 128))} is not a valid session name`, {
        code: "bad_fork",
        hint: "Use at most 128 letters, digits and the characters . _ : @ / -",
      });
    if (await isFree(given)) return given;
    throw new PrecisError(`a session named ${JSON.stringify(given)} already exists`, {
      code: "session_exists",
      hint: "Choose another name, or leave it out.",
    });
  }
  for (let number = 1; number <= OWN_NAMES_MAX; number++) {
    const name = `${parent.slice(0, SHORT_ID_CHARS)}-fork-${number}`;
    if (await isFree(name)) return name;
  }
  throw new PrecisError("the session has too many forks without a name", {
    code: "session_exists",
    hint: "Give this one a name.",
  });
}
