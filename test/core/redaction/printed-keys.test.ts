/** A private key is hidden however a tool printed it: with numbers, names of files, signs of a diff or a comment before its lines. */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createRedactor } from "../../../src/core/redaction/redactor.ts";

const LINES = Array.from({ length: 25 }, (_, at) =>
  createHash("sha384").update(String(at)).digest("base64").slice(0, 64),
);
const KEY = [`-----BEGIN ${"PRIVATE"} KEY-----`, ...LINES, `-----END ${"PRIVATE"} KEY-----`];

const PRINTED: Readonly<Record<string, (line: string, number: number) => string>> = {
  "a tab behind the number": (line, number) => `${String(number).padStart(6)}\t${line}`,
  "an arrow behind the number": (line, number) => `${number}→${line}`,
  "a colon behind the number": (line, number) => `${number}: ${line}`,
  "a bar behind the number": (line, number) => `${String(number).padStart(4)} | ${line}`,
  "the letter L before the number": (line, number) => `L${number}: ${line}`,
  "the file's name": (line) => `id_rsa:${line}`,
  "the file's name and the number": (line, number) => `/home/user/.ssh/id_rsa:${number}:${line}`,
  "lines around a hit": (line, number) => (number === 1 ? `id_rsa:1:${line}` : `id_rsa-${number}-${line}`),
  "lines that a diff adds": (line) => `+${line}`,
  "lines that a diff takes away": (line) => `-${line}`,
  "a quote": (line) => `> ${line}`,
  "a comment of a shell": (line) => `# ${line}`,
  "a comment in a block": (line) => ` * ${line}`,
  "a comment of a line": (line) => `// ${line}`,
};

const JOINED: Readonly<Record<string, (lines: readonly string[]) => string>> = {
  "as text": (lines) => `Here it is.\n${lines.join("\n")}\nThat was it.`,
  "with line ends of Windows": (lines) => lines.join("\r\n"),
  "as a string of JSON": (lines) => JSON.stringify({ text: lines.join("\n") }),
};

describe.each(Object.entries(PRINTED))("a key printed with %s", (_, printed) => {
  it.each(Object.entries(JOINED))("is hidden %s", (_way, joined) => {
    const shown = createRedactor()(joined(KEY.map((line, at) => printed(line, at + 1))));
    for (const line of LINES) expect(shown).not.toContain(line.slice(8, 40));
    expect(shown).toContain("[private key redacted]");
  });

  it.each(Object.entries(JOINED))("is hidden without its first lines %s", (_way, joined) => {
    const shown = createRedactor()(joined(KEY.map((line, at) => printed(line, at + 1)).slice(4)));
    for (const line of LINES.slice(3)) expect(shown).not.toContain(line.slice(8, 40));
  });
});

it.each(["\t", "→", ": ", " | "])("a secret in lines below its name is hidden with %j behind their numbers", (sign) => {
  const secret = LINES[0]!.slice(0, 20);
  for (const text of [
    `db:\n  password: |\n    ${secret}\n  port: 5432`,
    `kind: Secret\nmetadata:\n  name: shop\nstringData:\n  motto: ${secret}\n`,
  ]) {
    const numbered = text.split("\n").map((line, at) => `${String(at + 1).padStart(6)}${sign}${line}`);
    for (const shown of [numbered.join("\n"), JSON.stringify(numbered.join("\n"))])
      expect(createRedactor()(shown)).not.toContain(secret);
  }
});

it("leaves what stands behind a key", () => {
  const text = [...KEY, "The key above is for tests.", "4: next step"]
    .map((line, at) => `${at + 1}\t${line}`)
    .join("\n");
  expect(createRedactor()(text)).toBe(`1\t[private key redacted]\n28\tThe key above is for tests.\n29\t4: next step`);
});
