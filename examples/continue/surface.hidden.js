/** What the mobile app and the till software pin: the names that src/index.js exports, and how many arguments each takes. */
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";

const surfaceOf = async (folder) =>
  Object.entries(await import(pathToFileURL(`${folder}/src/index.js`).href)).map(
    ([name, value]) => `${name} ${typeof value} ${typeof value === "function" ? value.length : ""}`,
  );
assert.deepEqual(await surfaceOf(process.cwd()), await surfaceOf(process.env.PRECIS_ORIGINAL));
