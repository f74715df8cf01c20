import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../src/store/open.ts";
import { storeContract } from "./contract.ts";

storeContract("folder", (clock) => openStore(`folder:${mkdtempSync(join(tmpdir(), "precis-folder-"))}`, clock));
