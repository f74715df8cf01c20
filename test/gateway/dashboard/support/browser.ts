/** A real browser for the tests of the dashboard, where one is installed; and what every page of it must keep to. */
import { existsSync } from "node:fs";
import axe from "axe-core";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const PLACES = [process.env["PRECIS_CHROMIUM"], "/usr/bin/chromium", "/usr/bin/chromium-browser"];
const PLACE = PLACES.find((path): path is string => path !== undefined && existsSync(path));
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export const PHONE = { width: 390, height: 844 };
export const DESKTOP = { width: 1_440, height: 900 };

export interface Watched {
  readonly page: Page;
  /** Messages of the console that are errors or warnings, requests that left the origin, and errors of scripts. */
  readonly faults: readonly string[];
}

/** A suite with a browser; where none is installed, one skipped test says so in its place. */
export function describeInBrowser(title: string, suite: (open: OpenPage) => void): void {
  const body = PLACE === undefined ? saysWhatIsMissing : () => suite(launch(PLACE));
  describe(`${title}`, () => {
    body();
  });
}

function saysWhatIsMissing(): void {
  it.skipIf(PLACE === undefined)(
    "needs chromium: `apt-get install chromium`, or PRECIS_CHROMIUM=PLACE",
    () => undefined,
  );
}

function launch(executablePath: string): OpenPage {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args: FLAGS });
  });
  afterAll(() => browser.close());
  return (origin, options) => openPage(browser, origin, options);
}

export type OpenPage = (origin: string, options?: BrowserContextOptions) => Promise<Watched>;

async function openPage(browser: Browser, origin: string, options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext({ viewport: DESKTOP, ...options });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") faults.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`script: ${error.message}`));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !url.startsWith(`blob:${origin}/`)) faults.push(`request: ${url}`);
  });
  return { page, faults };
}

interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** No violation that axe calls serious or critical; evaluated outside the page's policy, as an extension would. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  const violations = await page.evaluate(
    async () =>
      (await (globalThis as unknown as { axe: { run: () => Promise<{ violations: unknown }> } }).axe.run()).violations,
  );
  const serious = (violations as readonly Violation[])
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .slice(0, 3)
          .map(({ html }) => html.slice(0, 160))
          .join(" | ")}`,
    );
  expect(serious).toEqual([]);
}
