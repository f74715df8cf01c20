/** A page of one sentence and the facts behind it. */
import { version } from "../version.ts";
import { markup, pageText } from "./html.ts";
import { STYLE } from "./style.ts";

export interface FactsPage {
  readonly verdict: string;
  readonly facts: readonly (readonly [name: string, says: string])[];
}

export function factsPage({ verdict, facts }: FactsPage): string {
  const rows = facts.map(([name, says]) => markup`<tr><th>${name}</th><td>${says}</td></tr>`);
  const body = markup`<main>
    <header><span class="eyebrow">precis · gateway</span><h1>${verdict}</h1></header>
    <table><tbody>${rows}</tbody></table>
    <footer>Written by precis ${version()}.</footer>
  </main>`;
  return pageText({ title: verdict, style: STYLE, body });
}
