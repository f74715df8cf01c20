/**
 * A strict provider that plays every part of an exam: it writes questions that quote the session, reads by looking whether
 * the quoted words are in the context, and grades by the key. Served over HTTP; every request is kept.
 */
import { createProvider, type Answer, type ScriptedRequest } from "../../../provider/src/index.ts";
import { careful } from "../../../test/support/model-answers.ts";

export type Role = "writer" | "reader" | "grader" | "plain" | "engine";

export interface Request {
  readonly role: Role;
  readonly system: string;
  readonly user: string;
}

export interface Examiner {
  /** As a base URL is written. */
  readonly url: string;
  readonly requests: Request[];
  /** Comes before the usual answer: what it gives is answered instead. */
  meddle: (request: Request, index: number) => Answer | undefined;
  readonly close: () => Promise<void>;
}

const MODELS = { "exam-1": { windowTokens: 400_000 }, "exam-2": { windowTokens: 400_000 } };

export async function startExaminer(): Promise<Examiner> {
  const requests: Request[] = [];
  const provider = createProvider({
    models: MODELS,
    script: (asked) => {
      const request = requestOf(asked);
      requests.push(request);
      return examiner.meddle(request, requests.length - 1) ?? { text: usual(request) };
    },
  });
  const { url, close } = await provider.listen();
  const examiner: Examiner = { url: `${url}/v1`, requests, meddle: () => undefined, close };
  return examiner;
}

function requestOf({ body }: ScriptedRequest): Request {
  const messages = body["messages"] as readonly { readonly role: string; readonly content: unknown }[];
  const said = (role: string): string => {
    const content = messages.find((message) => message.role === role)?.content ?? "";
    return typeof content === "string" ? content : JSON.stringify(content);
  };
  const [system, user] = [said("system"), said("user")];
  return { role: roleOf(system), system, user };
}

function roleOf(system: string): Role {
  if (system.startsWith("You write exams")) return "writer";
  if (system.startsWith("You are an agent that goes on")) return "reader";
  if (system.startsWith("You grade exams")) return "grader";
  return system.startsWith("You write handoffs") ? "plain" : "engine";
}

export function usual({ role, user }: Request): string {
  switch (role) {
    case "writer":
      return `Here they are:\n\`\`\`json\n${JSON.stringify({ questions: questionsFrom(user) })}\n\`\`\``;
    case "reader":
      return JSON.stringify(answersFrom(user));
    case "grader":
      return JSON.stringify(marksFrom(user));
    case "plain":
      return `## Task as the person asked for it\n${user.slice(0, 400)}`;
    case "engine":
      return careful(user);
  }
}

const KINDS = ["state", "state", "state", "state", "constraint", "constraint", "constraint"].concat(
  ["finding", "finding"],
  ["detail", "detail", "detail", "detail", "detail"],
);
/** That many characters of a line are given away by the question. */
const STARTS_CHARS = 24;

/** Lines of the session from its beginning to its end, each with the question how it goes on. */
function questionsFrom(user: string): readonly object[] {
  const lines = tellingLines(between(user, "<session>\n", "\n</session>"));
  return KINDS.map((kind, at) => {
    const quote = lines[Math.floor((at * (lines.length - 1)) / (KINDS.length - 1))]!;
    const question = `How does this go on: ${quote.slice(0, STARTS_CHARS)}`;
    return { kind, question, answer: quote, full: "EARNS-ONE", half: "a part", quote };
  });
}

/** Lines of several words that nothing else in the text begins like. */
function tellingLines(text: string): readonly string[] {
  const lines = text.split("\n").filter((line) => /^[A-Za-z][^<>]{40,200}$/.test(line) && line.split(/ +/).length >= 6);
  const starts = Map.groupBy(text.split("\n"), (line) => line.slice(0, STARTS_CHARS));
  return lines.filter((line) => starts.get(line.slice(0, STARTS_CHARS))!.length === 1);
}

/** An honest reader: it gives the line that begins so, where there is one. */
function answersFrom(user: string): readonly object[] {
  const lines = between(user, "<text>\n", "\n</text>").split("\n");
  const asked = user.slice(user.lastIndexOf("</text>")).matchAll(/^(\d+)\. How does this go on: (.*)$/gm);
  return [...asked].map(([, id, start]) => ({
    id: Number(id),
    a: lines.find((one) => one.startsWith(start!)) ?? "unknown",
  }));
}

function marksFrom(user: string): Record<string, Record<string, number>> {
  const marks: Record<string, Record<string, number>> = {};
  for (const block of user.split(/^## /m).slice(1)) {
    const key = /^KEY: (.*)$/m.exec(block)![1]!.trim();
    const answers = [...block.matchAll(/^([A-Z]): (.*)$/gm)];
    const earned = answers.map(([, letter, a]) => [letter!, a === "unknown" ? 0 : a!.trim() === key ? 1 : 0.5]);
    marks[/^\d+/.exec(block)![0]] = Object.fromEntries(earned);
  }
  return marks;
}

function between(text: string, open: string, close: string): string {
  return text.slice(text.indexOf(open) + open.length, text.lastIndexOf(close));
}
