/**
 * How identifiers stand in the messages that hold them, put down while a message is at hand: what the ranking weighs
 * of an identifier is then known without reading its messages again.
 */
import type { Role } from "../transcript/message.ts";
import type { Reading } from "./reading.ts";

/** By the number of the identifier, over the places that count. */
export interface Signs {
  /** From each place 1 / (identifiers of the message + `COMPANY_OFFSET`): the more, the fewer names it stands among. */
  readonly company: readonly number[];
  /** The fewest neighbours that any of its mentions has. */
  readonly neighbours: readonly number[];
  /** Places where an assistant wrote it himself. */
  readonly pointed: readonly number[];
  /** 1 where it stands in backticks anywhere. */
  readonly quoted: readonly number[];
  /** Places that are results. */
  readonly results: readonly number[];
}

/** A message that was read. */
export interface Said {
  readonly role: Role;
  readonly reading: Reading;
}

export interface SignsKeeper extends Signs {
  /** Another place of an identifier, by its index among those of the message; identifiers are new in order of number. */
  readonly add: (number: number, local: number, said: Said) => void;
}

/** Added to the number of identifiers in a message, so that one alone in a message does not outweigh all else. */
const COMPANY_OFFSET = 2;

export function createSigns(): SignsKeeper {
  const company: number[] = [];
  const neighbours: number[] = [];
  const pointed: number[] = [];
  const quoted: number[] = [];
  const results: number[] = [];
  return {
    company,
    neighbours,
    pointed,
    quoted,
    results,
    add: (number, local, { role, reading }) => {
      const isNew = number === company.length;
      const share = 1 / (reading.first.length + COMPANY_OFFSET);
      const near = reading.neighbours[local]!;
      company[number] = isNew ? share : company[number]! + share;
      neighbours[number] = isNew ? near : Math.min(neighbours[number]!, near);
      pointed[number] = (isNew ? 0 : pointed[number]!) + reading.pointed[local]!;
      quoted[number] = (isNew ? 0 : quoted[number]!) | reading.quoted[local]!;
      results[number] = (isNew ? 0 : results[number]!) + (role === "tool" ? 1 : 0);
    },
  };
}
