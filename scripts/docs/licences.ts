/** The licences of everything that comes with precis, from the lock file: direct dependencies and what they depend on. */
import lock from "../../package-lock.json" with { type: "json" };

const FOLDER = "node_modules/";

interface Locked {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
}

/** A row a package, by name, under a heading; development dependencies left out. */
export function licenceRows(): readonly (readonly string[])[] {
  const packages = Object.entries(lock.packages as Readonly<Record<string, Locked>>)
    .filter(([path, { dev }]) => path.startsWith(FOLDER) && dev !== true)
    .map(([path, { version = "", license = "not stated" }]) => [
      path.slice(path.lastIndexOf(FOLDER) + FOLDER.length),
      version,
      license,
    ])
    .toSorted(([one = ""], [other = ""]) => (one < other ? -1 : 1));
  return [["package", "version", "licence"], ...packages];
}
