/** Made-up work around the probes: requests, calls, results long enough to fill a window again and again. */
import { callMessage, resultMessage } from "./messages.ts";
import { textMessage, type Message } from "../../../../src/core/transcript/message.ts";
import { tokensOf } from "../../recall/future-use.ts";
import type { Draw, Probe } from "./plant.ts";

/** What is said on the way. */
export type ProbeText = Pick<Probe, "by" | "says">;

const RESULT_LINES = 60;
const ROUNDS_A_REQUEST = 8;

/** Messages of about that many tokens, with the probes said on the way. */
export function workWith(probes: readonly ProbeText[], tokens: number, draw: Draw): readonly Message[] {
  const messages: Message[] = [];
  const waiting = [...probes];
  const weighed = { tokens: 0 };
  const add = (message: Message, text: string): void => {
    messages.push(message);
    weighed.tokens += tokensOf(text);
  };
  for (let round = 0; weighed.tokens < tokens || waiting.length > 0; round++) {
    if (round % ROUNDS_A_REQUEST === 0) {
      const answer = answerText(draw);
      if (round > 0) add(textMessage("assistant", answer), answer);
      const asked = requestWith(takeBy(waiting, "user"), draw);
      add(textMessage("user", asked), asked);
    }
    const said = `${takeBy(waiting, "assistant")?.says ?? ""} Next I look at ${pathOf(draw)}.`.trim();
    const path = pathOf(draw);
    const result = resultText(draw);
    const id = `call_${draw(1e9)}`;
    add(callMessage(said, { id, name: round % 3 === 0 ? "Bash" : "Read", target: path }), said);
    add(resultMessage(id, result), result);
  }
  const answer = answerText(draw);
  add(textMessage("assistant", answer), answer);
  return messages;
}

function takeBy(waiting: ProbeText[], by: ProbeText["by"]): ProbeText | undefined {
  const at = waiting.findIndex((probe) => probe.by === by);
  return at < 0 ? undefined : waiting.splice(at, 1)[0];
}

function requestWith(probe: ProbeText | undefined, draw: Draw): string {
  const request = `Please find out why ${nameOf(draw)} is slow when ${nameOf(draw)} runs, and mend it.`;
  return probe === undefined ? request : `${request} ${probe.says}`;
}

function answerText(draw: Draw): string {
  return `It waited for ${nameOf(draw)}, which ${pathOf(draw)} opened again for every call. It is fixed, and the tests pass.`;
}

const WORDS =
  "buffer cursor digest driver editor filter folder header kernel ledger marker module packet parser policy record render router schema session signal socket stream string symbol thread ticket vector window worker".split(
    " ",
  );

function nameOf(draw: Draw): string {
  const [one, other] = [WORDS[draw(WORDS.length)]!, WORDS[draw(WORDS.length)]!];
  return `${one}${other[0]!.toUpperCase()}${other.slice(1)}${draw(1000)}`;
}

function pathOf(draw: Draw): string {
  return `src/${WORDS[draw(WORDS.length)]!}/${nameOf(draw)}.ts`;
}

function resultText(draw: Draw): string {
  const lines = Array.from({ length: RESULT_LINES }, (_, at) => {
    const [one, other] = [WORDS[draw(WORDS.length)]!, WORDS[draw(WORDS.length)]!];
    return draw(4) === 0
      ? `  const ${nameOf(draw)} = ${nameOf(draw)}(${draw(10_000)}); // the ${one} before the ${other}`
      : `${at + 1}  the ${one} waits for the ${other} in ${pathOf(draw)} after ${draw(9_000)} ms`;
  });
  return lines.join("\n");
}
