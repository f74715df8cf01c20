/** Every real session, converted to every format, and from there to every other. A short run takes one of each kind; a full run takes all. */
import { readdirSync, statSync } from "node:fs";
import { expect, it } from "vitest";
import { convertLog, readSession } from "../../src/logs/convert.ts";
import { LOG_FORMATS } from "../../src/logs/log.ts";
import { sessionText } from "../../src/logs/stored.ts";
import { CORPUS, describeCorpus, hasCorpus } from "../support/corpus.ts";
import { expectFaithful } from "../support/conversions.ts";

const FULL = Number(process.env["PRECIS_TEST_RUNS"] ?? 0) > 1_000;
/** Of each folder, in a short run. */
const SAMPLES = 1;
const SHORT_BYTES_MAX = 400_000;

const all = hasCorpus
  ? readdirSync(`${CORPUS}/raw`, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => `${entry.parentPath}/${entry.name}`)
      .toSorted()
  : [];
const sessions = all.flatMap((path) => {
  if (!FULL && statSync(path).size > SHORT_BYTES_MAX) return [];
  const { text, format } = sessionText(path);
  return format === undefined ? [] : [{ path, text, format, name: path.slice(CORPUS.length + 1) }];
});
const byFolder = Map.groupBy(sessions, ({ name }) => name.slice(0, name.lastIndexOf("/")));
const chosen = FULL ? sessions : [...byFolder.values()].flatMap((group) => group.slice(0, SAMPLES));

describeCorpus(`conversions of the corpus (${chosen.length} of ${sessions.length} sessions; all in a full run)`, () => {
  it.each(chosen)("$name: to every format, and back", ({ text, format }) => {
    const session = readSession(text, format);
    for (const to of LOG_FORMATS) expectFaithful(session, to);
  });

  it.each(chosen)("$name: from each format that it was written in to every other", ({ text, format }) => {
    // A header alone leaves nothing to write.
    if (readSession(text, format).messages.length === 0) return;
    for (const via of LOG_FORMATS) {
      const session = readSession(convertLog(text, format, { to: via, nowMs: 0 }).text, via);
      for (const to of LOG_FORMATS) if (to !== via) expectFaithful(session, to);
    }
  });

  it.each(chosen)("$name: to its own format, byte for byte", ({ text, format }) => {
    const to = LOG_FORMATS.find((name) => name === format);
    if (to !== undefined) expect(convertLog(text, format, { to, nowMs: 0 }).text).toBe(text);
  });
});
