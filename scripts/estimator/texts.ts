/**
 * The texts the estimator is fitted and judged on: transcripts where a corpus is at hand, files of installed
 * packages, messages of programs in many languages, and made-up text. Each is cut into pieces the size of messages.
 */
import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createRandom, makeTexts, type Random } from "./made.ts";
import { SENTENCES } from "./sentences.ts";

export interface Piece {
  readonly category: string;
  readonly text: string;
  /** Held out of the fit: whole transcripts, whole files, and the second half of each language. */
  readonly held: boolean;
}

const SHORTEST_CHARS = 50;
const LONGEST_CHARS = 8000;
const FILE_CHARS = 60_000;
const HELD_OUT_OF_TEN = 3;
const MADE_ROUNDS = 120;
const SEED = 2_026;

export function collectPieces(corpus: string | undefined): readonly Piece[] {
  const random = createRandom(SEED);
  const pieces = [...fromPackages(random), ...fromLanguages(random), ...fromSentences(), ...fromMade(random)];
  if (corpus !== undefined && existsSync(join(corpus, "openai")))
    pieces.push(...fromTranscripts(join(corpus, "openai"), random));
  return [...new Map(pieces.map((piece) => [piece.text, piece])).values()];
}

/** Pieces of log-uniform length, spread over the text. */
function cut(text: string, most: number, random: Random): readonly string[] {
  const pieces: string[] = [];
  for (let at = 0; at + SHORTEST_CHARS <= text.length && pieces.length < most;) {
    const size = Math.floor(SHORTEST_CHARS * (LONGEST_CHARS / SHORTEST_CHARS) ** random());
    pieces.push(text.slice(at, at + size));
    at += size + Math.floor(Math.max(0, text.length / most - size) * random());
  }
  return pieces;
}

function digest(name: string): string {
  return createHash("sha256").update(name).digest("hex");
}

function isHeld(name: string): boolean {
  return Number.parseInt(digest(name).slice(0, 8), 16) % 10 < HELD_OUT_OF_TEN;
}

const PACKAGE_FILES: readonly (readonly [category: string, pattern: string, files: number, pieces: number])[] = [
  ["Markdown", "**/*.md", 150, 4],
  ["JavaScript", "**/{lib,src,dist,esm,cjs}/**/*[!n].js", 250, 3],
  ["TypeScript declarations", "**/*.d.ts", 200, 3],
  ["JSON files", "**/*.json", 120, 3],
  ["minified JavaScript", "**/*.min.js", 30, 8],
  ["source maps", "**/*.map", 60, 3],
  ["CSS", "**/*.css", 60, 3],
];
/** Word lists and vocabularies are no text that an agent reads. */
const NOT_TEXT = /locales|diagnosticMessages|gpt-tokenizer|highlight\.js.languages|unicode|emojilib/;

function fromPackages(random: Random): Piece[] {
  return PACKAGE_FILES.flatMap(([category, pattern, files, most]) => {
    const found = globSync(`node_modules/${pattern}`).filter((file) => !NOT_TEXT.test(file));
    const sample = found.toSorted((a, b) => (digest(a) < digest(b) ? -1 : 1)).slice(0, files);
    return sample.flatMap((file) => {
      const text = readFileSync(file, "utf8").slice(0, FILE_CHARS);
      return cut(text, most, random).map((piece) => ({ category, text: piece, held: isHeld(file) }));
    });
  });
}

/** Messages of programs, by language: one half to fit, the other to judge. */
function fromLanguages(random: Random): Piece[] {
  return Object.entries(languages()).flatMap(([language, strings]) => {
    const shuffled = strings.map((string) => [random(), string] as const).toSorted((a, b) => a[0] - b[0]);
    const halves = [shuffled.filter((_, index) => index % 2 === 0), shuffled.filter((_, index) => index % 2 === 1)];
    const category = CATEGORY_OF_LANGUAGE[language] ?? "other languages";
    return halves.flatMap((half, index) =>
      cut(half.map(([, string]) => string + (random() < 0.5 ? "\n" : " ")).join(""), 40, random).map((text) => ({
        category,
        text,
        held: index === 1,
      })),
    );
  });
}

/** Every third sentence is held out. */
function fromSentences(): Piece[] {
  return Object.values(SENTENCES).flatMap((sentences) =>
    sentences.map((text, index) => ({ category: "everyday sentences", text, held: index % 3 === 2 })),
  );
}

const CATEGORY_OF_LANGUAGE: Readonly<Record<string, string>> = {
  ...Object.fromEntries(["cs", "de", "es", "fr", "it", "pl", "pt", "tr"].map((code) => [code, "European languages"])),
  "zh-cn": "Chinese, simplified",
  "zh-tw": "Chinese, traditional",
  ja: "Japanese",
  ko: "Korean",
  ru: "Russian",
};
const MESSAGES_PER_LANGUAGE = 3000;
function languages(): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  const add = (language: string, strings: readonly string[]): unknown => (found[language] ??= []).push(...strings);
  for (const file of globSync("node_modules/**/lib/*/diagnosticMessages.generated.json")) {
    const language = (file.split(/[\\/]/).at(-2) as string).replace("pt-br", "pt");
    add(language, Object.values<string>(JSON.parse(readFileSync(file, "utf8"))).slice(0, MESSAGES_PER_LANGUAGE));
  }
  for (const file of globSync("node_modules/zod/v4/locales/*.js")) {
    const language = (file.split(/[\\/]/).at(-1) as string).replace(".js", "").toLowerCase();
    if (language !== "index" && language !== "en") add(language, sentencesOf(readFileSync(file, "utf8")));
  }
  return found;
}

/** Non-English string literals of a module. */
function sentencesOf(source: string): readonly string[] {
  const literals = [...source.matchAll(/"([^"\n]{3,})"|`([^`\n]{6,})`/g)].map((match) =>
    (match[1] ?? match[2] ?? "").replace(/\$\{[^}]*\}/g, "x"),
  );
  return literals.filter((literal) => /[^\p{ASCII}]/u.test(literal));
}

function fromMade(random: Random): Piece[] {
  const prose = globSync("node_modules/*/README.md").map((file) => readFileSync(file, "utf8"));
  return Array.from({ length: MADE_ROUNDS }, (_, round) => {
    const size = Math.floor(SHORTEST_CHARS * 2 * (LONGEST_CHARS / SHORTEST_CHARS / 2) ** random());
    const texts = makeTexts(random, size, prose[round % prose.length] ?? "");
    return Object.entries(texts).map(([category, text]) => ({ category, text, held: round % 10 < HELD_OUT_OF_TEN }));
  }).flat();
}

interface ChatMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly { readonly function: { readonly arguments: string } }[];
}

function fromTranscripts(folder: string, random: Random): Piece[] {
  return readdirSync(folder)
    .toSorted()
    .flatMap((file) => {
      const messages = JSON.parse(readFileSync(join(folder, file), "utf8")) as readonly ChatMessage[];
      const take = (category: string, text: string): readonly Piece[] =>
        cut(text, 4, random).map((piece) => ({ category, text: piece, held: isHeld(file) }));
      return messages.flatMap((message) => [
        ...(typeof message.content === "string"
          ? take(categoryOf(message.role, message.content), message.content)
          : []),
        ...(message.tool_calls ?? []).flatMap((call) => take("transcripts: call arguments", call.function.arguments)),
      ]);
    });
}

function categoryOf(role: string, text: string): string {
  const cjk = text.match(/[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g)?.length ?? 0;
  if (cjk > text.length / 5) return "transcripts: Chinese and Japanese";
  if (role !== "tool") return role === "assistant" ? "transcripts: assistant" : "transcripts: user and system";
  if (/^\s*[[{]/.test(text) && /[\]}]\s*$/.test(text)) return "transcripts: JSON results";
  return /^\s*\d+[→|\t:]/.test(text) ? "transcripts: numbered source" : "transcripts: other results";
}
