/** The licences of everything that comes with precis: the packages whose code is in the bundle. */
import { build } from "esbuild";
import { bundleOptions } from "../build/bundle.ts";
import { builtEntries } from "../build/entries.ts";
import { definitions } from "./markdown.ts";
import { bundledPackages } from "../build/licence-texts.ts";
import manifest from "../../package.json" with { type: "json" };

/** A row a package, by name, under a heading. */
export async function licenceRows(): Promise<readonly (readonly string[])[]> {
  const { metafile } = await build({ ...bundleOptions(builtEntries(manifest)), write: false });
  const packages = bundledPackages(metafile).map(({ name, version, licence }) => [name, version, licence]);
  return [["package", "version", "licence"], ...packages];
}

/** Such rows as a list: of each licence the packages under it. */
export function licenceList([, ...packages]: readonly (readonly string[])[]): string {
  const byLicence = Map.groupBy(packages, ([, , licence]) => licence!);
  return definitions([...byLicence].map(([licence, own]) => [`**${licence}**`, own.map(([name]) => name).join(", ")]));
}
