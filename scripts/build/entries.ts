/** What of the sources is a file of its own when built: what package.json names, and what is loaded by its address. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const SRC = join(import.meta.dirname, "..", "..", "src");

/** `new URL(`./worker${import.meta.url.slice(-3)}`, import.meta.url)`: a thread's own file, or a module for a thread. */
const BY_ADDRESS = /new URL\(`([^`$]+)\$\{import\.meta\.url\.slice\(-3\)\}`, import\.meta\.url\)/g;
/** A module that says its own address, so that a thread can load it. */
const OWN_ADDRESS = /\bmodule: import\.meta\.url\b/;

export interface BuiltEntry {
  /** Below `src/` and below `dist/`, without its ending: `gateway/index`. */
  readonly path: string;
  /** Whether package.json exports it. */
  readonly isPublic: boolean;
  readonly isExecutable: boolean;
}

export interface Manifest {
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
}

/** Every entry once, those of package.json first. */
export function builtEntries({ bin, exports }: Manifest): readonly BuiltEntry[] {
  const exported = Object.values(exports).flatMap((entry) => (typeof entry === "string" ? [] : [entry.default]));
  const entries: readonly BuiltEntry[] = [
    ...exported.map((file) => ({ path: sourceOf(file), isPublic: true, isExecutable: false })),
    ...Object.values(bin).map((file) => ({ path: sourceOf(file), isPublic: false, isExecutable: true })),
    ...["platform/refuse-old-node", ...byAddress()].map((path) => ({ path, isPublic: false, isExecutable: false })),
  ];
  return [...new Map(entries.toReversed().map((entry) => [entry.path, entry])).values()].toReversed();
}

function sourceOf(built: string): string {
  return built.replace(/^(?:\.\/)?dist\//, "").replace(/\.js$/, "");
}

function byAddress(): readonly string[] {
  return readdirSync(SRC, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .flatMap((name) => {
      const text = readFileSync(join(SRC, name), "utf8");
      const targets = [...text.matchAll(BY_ADDRESS)].map(([, target]) => join(name, "..", target!));
      return OWN_ADDRESS.test(text) ? [...targets, name.slice(0, -".ts".length)] : targets;
    });
}
