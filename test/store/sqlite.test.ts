import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { storeContract } from "./contract.ts";

const folder = mkdtempSync(join(tmpdir(), "precis-store-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;

storeContract("sqlite", () => openSqliteStore({ path: join(folder, `${++files}.db`) }));
