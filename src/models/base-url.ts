/** What is wrong with an endpoint's address, recognised by its shape once nothing answered there. */

/** Ends of the addresses that requests go to; a base address has none of them. */
const ENDPOINT = /\/(?:chat\/completions|completions|responses|messages|models)\/?$/;
const VERSIONED = /\/v\d/;

/** The address that was probably meant; undefined where its shape says nothing. */
export function meantAddress(baseUrl: string): string | undefined {
  const { origin, pathname } = new URL(baseUrl);
  if (ENDPOINT.test(pathname)) return origin + pathname.replace(ENDPOINT, "");
  return VERSIONED.test(pathname) ? undefined : `${origin}${pathname.replace(/(?<!\/)\/+$/, "")}/v1`;
}
