/** Text the script makes itself: the kinds that no prose corpus holds (encodings, digests, number tables, logs, runs). */
import { createHash } from "node:crypto";

export type Random = () => number;

/** A linear congruential generator (Numerical Recipes): the same texts on every machine. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** One text of each made-up category; `size` is its rough length in characters and `prose` some text to encode. */
export function makeTexts(random: Random, size: number, prose: string): Readonly<Record<string, string>> {
  const whole = (below: number): number => Math.floor(random() * below);
  const pick = <T>(items: readonly T[]): T => items[whole(items.length)] as T;
  const lines = (perLine: number, make: () => string): string =>
    Array.from({ length: Math.ceil(size / perLine) }, make).join("\n");
  const bytes = (length: number): Buffer =>
    createHash("shake256", { outputLength: length }).update(String(random())).digest();
  const base64 = bytes(Math.ceil(size * 0.75)).toString("base64");
  const time = (): string => new Date(1.6e12 + random() * 1e11).toISOString();
  const record = (): object => ({
    id: whole(1e5),
    name: pick(["alpha", "beta particle", "Gamma", "delta-7"]),
    value: Number((random() * 1e4).toFixed(3)),
    flags: { active: random() < 0.5, tags: [pick(["red", "blue"]), `x${whole(100)}`] },
    at: time(),
  });
  const records = Array.from({ length: Math.ceil(size / 130) }, record);
  return {
    base64,
    "base64, wrapped": base64.replace(/.{76}/g, "$&\n"),
    "base64 of text": Buffer.from(prose.slice(0, size * 0.75)).toString("base64"),
    hexadecimal: bytes(Math.ceil(size / 2)).toString("hex"),
    "hashes and paths": lines(
      50,
      () => `${bytes(20).toString("hex")} ${pick(["src/index.ts", "README.md", "docs/a/b"])}`,
    ),
    UUIDs: lines(37, () =>
      bytes(16)
        .toString("hex")
        .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"),
    ),
    "CSV of numbers": lines(45, () =>
      Array.from({ length: 6 }, () => (random() * 10 ** (random() * 6)).toFixed(whole(4))).join(","),
    ),
    "JSON, minified": JSON.stringify(records),
    "JSON, indented": JSON.stringify(records, null, 2),
    "log lines": lines(
      110,
      () => `${time()} ${pick(LEVELS)} [${pick(THREADS)}${whole(30)}] ${pick(LOGGERS)} - ${pick(EVENTS)}${whole(1e6)}`,
    ),
    "coloured output": lines(
      60,
      () =>
        `\u001b[${30 + whole(8)}m${pick(["✓", "×", "PASS", "FAIL"])}\u001b[39m ${pick(EVENTS)}\u001b[2m${whole(999)}ms\u001b[22m`,
    ),
    "one mark repeated": pick(RULES).repeat(size),
    "one letter repeated": pick([...ALPHABET]).repeat(size),
    "random letters": lines(200, () => Array.from({ length: 1 + whole(200) }, () => ALPHABET[whole(26)]).join("")),
    emoji: Array.from({ length: Math.ceil(size / 4) }, () => pick(EMOJI) + pick(["", " ", "ok ", "done\n"])).join(""),
  };
}

const LEVELS = ["INFO", "WARN", "ERROR", "DEBUG"] as const;
const THREADS = ["main-", "http-nio-8080-exec-", "worker "] as const;
const LOGGERS = ["com.example.app.OrderService", "kernel", "db.pool", "nginx"] as const;
const EVENTS = [
  "request completed ",
  "connection refused: 10.2.0.7:",
  "user logged in id=",
  "GET /api/v1/orders/",
  "retrying in ",
] as const;
const ALPHABET = "abcdefghijklmnopqrstuvwxyz";
const RULES = [..."-=_*#~.+ \n\t─"] as const;
const EMOJI = ["😀", "🚀", "✅", "❌", "🔥", "👍🏽", "🧪", "📦", "⚠️", "👩‍💻", "🎉", "🐛"] as const;
