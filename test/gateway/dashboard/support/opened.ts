/** The dashboard opened in a browser, over recorded sessions that lived through a real gateway. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import type { CompactionEntry } from "../../../../src/store/store.ts";
import { describeInBrowser, type OpenPage, type Watched } from "./browser.ts";
import { standDashboard, type DashboardStand, type RecordedSession } from "./stand.ts";

const WINDOW_TOKENS = 32_000;
/** The title of the session that most is done to, and the number of its messages. */
export const REFUNDS = /^Customers in Germany/;
const REFUNDS_MESSAGES = 137;

export interface OpenedDashboard {
  readonly url: () => string;
  readonly open: OpenPage;
  readonly signedIn: (options?: Parameters<OpenPage>[1]) => Promise<Watched>;
  /** Lives the last session through the gateway, once: while somebody looks, or whenever it is needed. */
  readonly liveRefunds: () => Promise<void>;
  readonly openSession: (page: Page, tab: string) => Promise<void>;
  /** Those of that session. */
  readonly compactions: () => Promise<readonly CompactionEntry[]>;
}

/** A suite over these sessions, of which the last, `refunds`, is still to come. */
export function describeDashboard(
  title: string,
  sessions: readonly RecordedSession[],
  suite: (dashboard: OpenedDashboard) => void,
): void {
  describeInBrowser(title, (open) => {
    let folder: string;
    let stand: DashboardStand;
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "precis-dashboard-"));
      stand = await standDashboard({ folder, contextLength: WINDOW_TOKENS, sessions });
      for (const { name } of sessions.slice(0, -1)) await stand.live(name);
    }, 120_000);
    afterAll(async () => {
      await stand.close();
      rmSync(folder, { recursive: true, force: true });
    });

    let refunds: Promise<void> | undefined;
    const liveRefunds = (): Promise<void> => (refunds ??= stand.live("refunds"));
    suite({
      url: () => stand.url,
      open,
      liveRefunds,
      signedIn: async (options) => {
        const watched = await open(stand.url, options);
        await watched.page.goto(stand.link());
        await watched.page.getByText("live", { exact: true }).waitFor();
        return watched;
      },
      openSession: async (page, tab) => {
        await liveRefunds();
        await page.goto(`${stand.url}/_precis/#/`);
        await page.getByRole("link", { name: REFUNDS }).last().click();
        await page.getByRole("navigation", { name: "Session" }).getByRole("link", { name: tab }).click();
      },
      compactions: () => compactionsOf(stand),
    });
  });
}

async function compactionsOf({ store }: DashboardStand): Promise<readonly CompactionEntry[]> {
  const sessions = await store.listSessions("local", { limit: 50 });
  const session = sessions.find(({ messages }) => messages === REFUNDS_MESSAGES)!;
  return store.listCompactions("local", await store.readLinks("local", session.head));
}
