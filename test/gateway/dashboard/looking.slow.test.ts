/**
 * Looking at sessions in the dashboard, in a real browser: everything is found by clicking. Every page stays on its origin, without
 * an error on the console or a serious violation of accessibility, in light and dark, on a desktop and a phone.
 * `PRECIS_SCREENSHOTS=FOLDER` writes a picture of each view; docs/dashboard.md shows some of them.
 */
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { corpusFiles } from "../../support/corpus.ts";
import { DESKTOP, expectAccessible, PHONE } from "./support/browser.ts";
import { describeDashboard, REFUNDS } from "./support/opened.ts";
import { EXAMPLE_SESSIONS, type RecordedSession } from "./support/stand.ts";

const JPEG_QUALITY = 62;
const PICTURES = process.env["PRECIS_SCREENSHOTS"];
/** One of the corpus's longer sessions, where there is a corpus. */
const CORPUS_SESSIONS: readonly RecordedSession[] = corpusFiles("openai")
  .filter((file) => file.includes("54bb2ec87cc8"))
  .slice(0, 1)
  .map((file) => ({ name: "corpus", protocol: "anthropic-messages", file }));
const SESSIONS = [...CORPUS_SESSIONS, ...EXAMPLE_SESSIONS];

describeDashboard("looking at sessions", SESSIONS, ({ url, open, signedIn, liveRefunds, openSession }) => {
  it("asks for the operator's token, and forgets it when asked to", async () => {
    const { page, faults } = await open(url());
    await page.goto(`${url()}/_precis/`);
    await page.getByLabel("Operator's token").fill("not the token");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").waitFor();
    await page.getByLabel("Operator's token").fill("the token of the operator");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("list", { name: "Sessions" }).waitFor();
    expect(await page.evaluate("document.cookie + location.href")).not.toContain("token");
    await page.reload();
    await page.getByRole("list", { name: "Sessions" }).waitFor();
    const other = await page.context().newPage();
    await other.goto(`${url()}/_precis/`);
    await other.getByRole("list", { name: "Sessions" }).waitFor();
    await other.close();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Operator's token").waitFor();
    // The browser reports the one answer that refused the wrong token.
    expect(faults).toEqual([expect.stringContaining("401")]);
    await page.context().close();
  });

  it("lists sessions, shows a new one while it happens, and filters them", async () => {
    const { page, faults } = await signedIn();
    const rows = page.getByRole("listitem");
    await expect.poll(() => rows.count()).toBe(SESSIONS.length - 1);
    await liveRefunds();
    await expect.poll(() => rows.count(), { timeout: 10_000 }).toBe(SESSIONS.length);
    const row = rows.filter({ hasText: "Customers in Germany" });
    await expect
      .poll(() => row.innerText(), { timeout: 10_000 })
      .toMatch(/claude-opus-5-5[^]*compressor[^]*%[^]*137[^]*→[^]*\$0\.\d/);
    await page.getByLabel("State").selectOption("never compacted");
    await expect.poll(() => row.count()).toBe(0);
    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByLabel("Engine").selectOption("compressor");
    await expect.poll(() => row.count()).toBe(1);
    await page.getByLabel("Model").selectOption("claude-opus-5-5");
    await page.getByLabel("Filter by title or id").fill("no session is called this");
    await page.getByText("No session matches these filters").waitFor();
    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByRole("list", { name: "Sessions" }).focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: REFUNDS }).waitFor();
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it("finds everything that was said, with its place and its original", async () => {
    await liveRefunds();
    const { page, faults } = await signedIn();
    await page.keyboard.press("/");
    await page.keyboard.type("double rounding");
    await page.keyboard.press("Enter");
    const hit = page.getByRole("listitem").filter({ hasText: "The cause was double rounding" }).first();
    await hit.getByRole("button").first().click();
    await page.getByRole("dialog").getByText("The cause was double rounding").first().waitFor();
    await page.keyboard.press("Escape");
    await hit.getByRole("link", { name: /^Message 51 of/ }).click();
    await page.locator("#message-51.chosen").waitFor();
    expect(await page.locator("#message-51").innerText()).toContain("The cause was double rounding");
    await page.getByRole("searchbox", { name: /Search everything/ }).fill("xylophone quagga");
    await page.keyboard.press("Enter");
    await page.getByText("Nothing holds “xylophone quagga”").waitFor();
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it("draws the context of a session, and says what fills it", async () => {
    const { page, faults } = await signedIn();
    await openSession(page, "Context");
    const chart = page.getByRole("img", {
      name: /^Context over 137 messages: .* of a window of 32\.0K, \d+ compactions/,
    });
    await chart.locator("canvas").waitFor();
    expect(await page.locator(".legend").innerText()).toMatch(
      /sent[^]*without compaction[^]*threshold 15\.0K[^]*window 32\.0K/,
    );
    expect(await page.locator(".fills").innerText()).toMatch(/tool\s*bash[^]*tool\s*read[^]*assistant/);
    expect(await inked(page)).toBeGreaterThan(2_000);
    await page.getByRole("link", { name: "Compaction 1" }).click();
    await page.getByRole("heading", { name: /^Before \d+ messages/ }).waitFor();
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it("shows a compaction before and after, each message linked to what became of it", async () => {
    const { page, faults } = await signedIn();
    await openSession(page, "Compactions");
    const before = page.getByRole("list", { name: "Before the compaction" });
    const after = page.getByRole("list", { name: "After the compaction" });
    await before
      .getByRole("button", { name: /in the handoff/ })
      .first()
      .click();
    await expect.poll(() => after.locator(".linked").innerText()).toMatch(/handoff of \d+/);
    const original = page.getByRole("region", { name: "Original" });
    const sent = page.getByRole("region", { name: "What is sent instead" });
    expect(await sent.innerText()).toContain("[precis handoff");
    const recallId = await original.getByTitle("Show the original").innerText();
    await original.getByTitle("Show the original").click();
    await page
      .getByRole("dialog", { name: `The original ${recallId}` })
      .locator("pre")
      .waitFor();
    await page.getByRole("button", { name: "Close" }).click();
    await after
      .getByRole("button", { name: /digest/ })
      .first()
      .click();
    await expect.poll(() => before.locator(".linked").first().innerText()).toContain("shortened");
    await page.getByRole("button", { name: /^shortened/ }).click();
    await expect.poll(() => before.getByRole("button", { name: /kept/ }).count()).toBe(0);
    await page.getByText(/^(?:Not in the result|Nothing that was looked for is missing)/).click();
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it("shows the handoff as a document, and what changed since the one before", async () => {
    const { page, faults } = await signedIn();
    await openSession(page, "Handoff");
    await page.getByRole("heading", { name: "Completed Actions" }).waitFor();
    const citation = page.getByRole("article").getByRole("link", { name: /^messages \d+-\d+/ });
    expect(await citation.getAttribute("href")).toMatch(/messages\/\d+$/);
    await page.getByRole("button", { name: /^changes against handoff/ }).click();
    const changes = page.getByRole("region", { name: "Changes" });
    await changes.locator(".added").first().waitFor();
    expect(await changes.locator(".removed").count()).toBeGreaterThan(0);
    await page.getByRole("link", { name: "Compaction 1" }).click();
    await expect
      .poll(() => page.getByRole("button", { name: "changes against the one before" }).isDisabled())
      .toBe(true);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it("says what was spent and saved, how long it took, and what failed", async () => {
    await liveRefunds();
    const { page, faults } = await signedIn();
    await page.getByRole("link", { name: "Money and speed" }).click();
    const tiles = page.locator(".tiles");
    await expect
      .poll(() => tiles.innerText())
      .toMatch(
        /Spend\s*\$\d[^]*Saved by the cache\s*\$\d[^]*Saved by compaction\s*≈ \$\d[^]*Added latency\s*≤ \d+ ms[^]*Errors\s*0/,
      );
    await page
      .getByRole("region", { name: "By model" })
      .getByRole("row", { name: /claude-opus-5-5/ })
      .waitFor();
    await page.getByRole("region", { name: "By day" }).getByRole("row").nth(1).waitFor();
    await page
      .getByRole("img", { name: /^Spend by day: \d{4}-\d\d-\d\d \$/ })
      .locator("canvas")
      .waitFor();
    const requests = (): Promise<string> => tiles.locator("small").first().innerText();
    const before = await requests();
    await fetch(`${url()}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer key", "x-precis-upstream": "bookings" },
      body: JSON.stringify({ model: "gpt-5.4", messages: [] }),
    });
    await expect.poll(requests, { timeout: 10_000 }).not.toBe(before);
    await expect.poll(() => tiles.innerText()).toMatch(/Errors\s*1/);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it("says so when the gateway does not know a session", async () => {
    const { page } = await signedIn();
    await page.goto(`${url()}/_precis/#/session/local/nowhere/context`);
    await page
      .getByRole("alert")
      .getByText(/There is no session/)
      .waitFor();
    await page.context().close();
  });

  const SIZES = { desktop: DESKTOP, phone: PHONE } as const;
  it.each(
    (["light", "dark"] as const).flatMap((colorScheme) =>
      (["desktop", "phone"] as const).map((size) => [colorScheme, size] as const),
    ),
  )("is accessible and fits its window, %s on a %s", async (colorScheme, size) => {
    const { page, faults } = await signedIn({ colorScheme, viewport: SIZES[size] });
    const check = async (name: string): Promise<void> => {
      await page.waitForTimeout(400);
      expect([name, await page.evaluate("document.documentElement.scrollWidth <= innerWidth")]).toEqual([name, true]);
      await expectAccessible(page);
      if (PICTURES !== undefined)
        await page.screenshot({
          path: join(PICTURES, `${name}-${size}-${colorScheme}.jpg`),
          quality: JPEG_QUALITY,
          type: "jpeg",
        });
    };
    await liveRefunds();
    await page.getByRole("link", { name: REFUNDS }).first().waitFor();
    await check("sessions");
    await openSession(page, "Context");
    await page.locator(".chart canvas").first().waitFor();
    await check("session");
    await openSession(page, "Compactions");
    await page
      .getByRole("list", { name: "Before the compaction" })
      .getByRole("button", { name: /in the handoff/ })
      .nth(1)
      .click();
    await check("compaction");
    await openSession(page, "Handoff");
    await page.getByRole("article").waitFor();
    await check("handoff");
    await openSession(page, "Messages");
    await page.locator(".message").first().waitFor();
    await check("messages");
    await openSession(page, "Compact now");
    await check("compact");
    await page.getByLabel(/^Size/).fill("3000");
    await page.getByRole("button", { name: "Preview", exact: true }).click();
    await page.getByRole("button", { name: "Edit the handoff" }).click();
    await page.getByLabel("The handoff", { exact: true }).waitFor();
    await check("edit");
    await page.goto(`${url()}/_precis/#/money`);
    await page.locator(".chart canvas").first().waitFor();
    await check("money");
    await page.goto(`${url()}/_precis/#/search?q=rounding`);
    await page.locator(".hits li").first().waitFor();
    await check("search");
    await page.getByRole("button", { name: "Sign out" }).click();
    await check("sign-in");
    expect(faults).toEqual([]);
    await page.context().close();
  });
});

/** How many pixels of the chart are not empty. */
function inked(page: Page): Promise<number> {
  return page.evaluate(`(() => {
    const canvas = document.querySelector(".chart canvas");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let inked = 0;
    for (let at = 3; at < data.length; at += 4) if (data[at] > 0) inked++;
    return inked;
  })()`);
}
