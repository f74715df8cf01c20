/** What protocols share in telling what a request asks: the model and the form of its answer, and what was said last. */
import { textOf, blocksOf, type Fields } from "../../src/protocols/fields.ts";
import type { RequestForm } from "./wire.ts";

/** For protocols whose body says it. */
export const BODY_FORM: Pick<RequestForm, "modelOf" | "isStreamed"> = Object.freeze({
  modelOf: (body: Fields) => body["model"],
  isStreamed: (body: Fields) => body["stream"] === true,
});

export function wordsOf(message: Fields): string {
  return blocksOf(message["content"] ?? message["output"])
    .map((block) => textOf(block["text"]) ?? (block["content"] === undefined ? "" : wordsOf(block)))
    .filter((text) => text !== "")
    .join("\n");
}

/** Ids of the answers to calls that are at the end of a list. */
export function answersAtEnd(list: readonly Fields[], idOf: (item: Fields) => string | undefined): readonly string[] {
  const from = list.findLastIndex((item) => idOf(item) === undefined);
  return list.slice(from + 1).flatMap((item) => idOf(item) ?? []);
}
