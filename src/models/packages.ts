/**
 * The packages that reach language models. They are optional peers: nothing loads them before a model is asked, and
 * where one is missing the answer is a sentence that says what to install.
 */

/** The protocol an endpoint is spoken to in; one provider package each. */
export type Dialect = "anthropic" | "openai" | "openai-compatible";

export type PackageName = "ai" | `@ai-sdk/${Dialect}`;

/** How a package is loaded; a test hands in its own. */
export type LoadPackage = (name: PackageName) => Promise<unknown>;

const IMPORTS: Readonly<Record<PackageName, () => Promise<unknown>>> = {
  ai: () => import("ai").catch(missing),
  "@ai-sdk/anthropic": () => import("@ai-sdk/anthropic").catch(missing),
  "@ai-sdk/openai": () => import("@ai-sdk/openai").catch(missing),
  "@ai-sdk/openai-compatible": () => import("@ai-sdk/openai-compatible").catch(missing),
};

/** Says to bundlers that a package may be missing: esbuild and others refuse one that they do not find, unless its failure is caught. */
function missing(reason: unknown): never {
  throw reason;
}

export const loadPackage: LoadPackage = (name) => IMPORTS[name]();

/** Loads both packages a dialect needs, or says what is missing. */
export async function loadDialect(
  dialect: Dialect,
  load: LoadPackage,
): Promise<{ readonly ai: unknown; readonly provider: unknown } | { readonly missing: string }> {
  const names: readonly PackageName[] = ["ai", `@ai-sdk/${dialect}`];
  const loaded = await Promise.allSettled(names.map(load));
  const failed = names.filter((_, at) => loaded[at]!.status === "rejected");
  if (failed.length > 0)
    return {
      missing: `${failed.join(" and ")} cannot be loaded: npm install ${names.join(" ")}, with --global where precis itself was installed so`,
    };
  const [ai, provider] = loaded.map((one) => (one as PromiseFulfilledResult<unknown>).value);
  return { ai, provider };
}
