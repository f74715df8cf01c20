/** Texts full of names, for the tests of what the measure counts. */
import * as fc from "fast-check";

const LETTERS = "abcdefgxyz";
const name = fc.string({ unit: fc.constantFrom(...LETTERS), minLength: 1, maxLength: 8 });
const capital = name.map((word) => word[0]!.toUpperCase() + word.slice(1));
const joined = (separator: string, part: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(separator));
const extension = fc.constantFrom(".ts", ".go", ".x1", ".toolongext9", ".", "");

const symbols = fc.oneof(
  joined("_", name),
  fc.tuple(name, joined("", capital)).map((parts) => parts.join("")),
  joined("", capital),
);
const paths = fc
  .tuple(fc.constantFrom("", "/", "./", "../", "~/", "//"), joined("/", fc.oneof(name, symbols)), extension)
  .map((parts) => parts.join(""));
const hashes = fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: 5, maxLength: 42 });
const numbers = fc.oneof(
  fc.integer({ min: 0, max: 1e9 }).map(String),
  fc.double({ min: 0, max: 1e4, noNaN: true }).map((value) => value.toFixed(3)),
  fc.constantFrom("1999", "2024", "2100", "1.2.3", "12.", "0x1f4"),
);
const urls = fc
  .tuple(
    fc.constantFrom("http://", "https://", "xhttps://", "http:/", "https:///"),
    joined("/", name),
    fc.constantFrom("", ".", "?q=1", ")"),
  )
  .map((parts) => parts.join(""));
/** Characters on which rules turn. No decimal digits beyond ASCII: the scanner leaves those to their languages. */
const tricky = fc.string({
  unit: fc.constantFrom(
    ..."aZ9f_./~@+-:;,`'\"()<> \t\n\\",
    "é",
    "文",
    "件",
    "→",
    "½",
    "😀",
    "𝒳",
    "\ud800",
    "\udc00",
    "\u00a0",
    "\u0301",
    "\ufeff",
  ),
  maxLength: 14,
});
const words = fc.constantFrom(
  "the file",
  "returns an error",
  "Fix",
  "文件已经保存",
  "see also",
  "HTTPServer",
  "and/or",
);
const glue = fc.constantFrom(" ", "", "\n", ", ", "(", ")", ":", "`", "\t", ". ");

/** A text in which names, words and traps stand side by side. */
export const namings: fc.Arbitrary<string> = fc
  .array(fc.tuple(fc.oneof(symbols, paths, hashes, numbers, urls, tricky, words), glue), { maxLength: 30 })
  .map((parts) => parts.flat().join(""));
