/** Where in the dashboard one is, as the fragment of the address says it: links, the back button and bookmarks work. */
import { useEffect, useState } from "preact/hooks";
import type { SessionRef } from "./api.ts";

export const SESSION_TABS = ["context", "compactions", "handoff", "messages", "compact"] as const;
export type SessionTab = (typeof SESSION_TABS)[number];

export type Route =
  | { readonly view: "sessions" }
  | { readonly view: "search"; readonly words: string }
  | { readonly view: "money" }
  | {
      readonly view: "session";
      readonly session: SessionRef;
      readonly tab: SessionTab;
      readonly number: number | undefined;
    };

function routeOf(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [view, tenant = "", id = "", tab, number] = path.split("/").map(decodeURIComponent);
  if (view === "search") return { view, words: new URLSearchParams(query).get("q") ?? "" };
  if (view === "money") return { view };
  if (view !== "session" || id === "") return { view: "sessions" };
  const known = SESSION_TABS.find((one) => one === tab) ?? "context";
  return { view, session: { tenant, id }, tab: known, number: number === undefined ? undefined : Number(number) };
}

export function sessionHref({ tenant, id }: SessionRef, tab: SessionTab = "context", number?: number): string {
  const path = `#/session/${encodeURIComponent(tenant)}/${encodeURIComponent(id)}/${tab}`;
  return number === undefined ? path : `${path}/${number}`;
}

export function searchHref(words: string): string {
  return `#/search?q=${encodeURIComponent(words)}`;
}

export function go(href: string): void {
  location.hash = href;
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => routeOf(location.hash));
  useEffect(() => {
    const change = (): void => setRoute(routeOf(location.hash));
    addEventListener("hashchange", change);
    return () => removeEventListener("hashchange", change);
  }, []);
  return route;
}
