/** Doing something to a session in the dashboard, in a real browser: each change is made by clicking, and found in the store. */
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { expectAccessible } from "./support/browser.ts";
import { describeDashboard } from "./support/opened.ts";
import { EXAMPLE_SESSIONS } from "./support/stand.ts";

const REFUNDS_ALONE = EXAMPLE_SESSIONS.filter(({ name }) => name === "refunds");

describeDashboard("doing something to a session", REFUNDS_ALONE, ({ signedIn, openSession, compactions }) => {
  const undoNewest = async (page: Page): Promise<void> => {
    await page.getByRole("button", { name: "Undo…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Undo" }).click();
    await expect.poll(async () => (await compactions()).at(-1)).toMatchObject({ undone: true });
  };

  it("folds calls and results, pins, drops, undoes, forks and exports", async () => {
    const { page, faults } = await signedIn();
    await openSession(page, "Messages");
    await page.getByLabel("Go to message").first().fill("3");
    await page.getByRole("button", { name: "Go" }).first().click();
    const third = page.locator("#message-3");
    await third.locator("summary").click();
    await third.locator("pre").waitFor();
    await page.getByRole("button", { name: "Pin message 3", exact: true }).click();
    await expect
      .poll(() => page.getByRole("button", { name: "Pin message 3", exact: true }).innerText())
      .toBe("Pinned");
    await page.getByRole("button", { name: "Drop message 3", exact: true }).click();
    await page.getByRole("button", { name: "Drop", exact: true }).last().click();
    await page.getByRole("dialog").getByRole("alert").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByLabel("Go to message").first().fill("121");
    await page.getByRole("button", { name: "Go" }).first().click();
    await page.getByRole("button", { name: "Drop message 121", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Drop" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });

    await page.getByRole("navigation", { name: "Session" }).getByRole("link", { name: "Context" }).click();
    await page.getByText("Message 3", { exact: true }).waitFor();
    await page.getByLabel("Messages or a fact to pin").fill("Vouchers are called coupons in the export.");
    await page.getByRole("button", { name: "Pin", exact: true }).click();
    await page.getByText("Vouchers are called coupons in the export.").waitFor();
    const pins = page.locator(".pins li");
    await page
      .getByRole("button", { name: /^Unpin/ })
      .first()
      .click();
    await expect.poll(() => pins.count()).toBe(1);

    const table = page.getByRole("region", { name: "Compactions" });
    const count = await table.getByRole("row").count();
    await page.getByRole("button", { name: "Undo…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => table.getByText("undone", { exact: true }).count()).toBe(1);
    expect(await table.getByRole("row").count()).toBe(count);

    await page.getByRole("button", { name: "Export…" }).click();
    await page.getByLabel("Format").selectOption("JSON lines");
    const saving = page.waitForEvent("download");
    await page.getByRole("dialog").getByRole("button", { name: "Export" }).click();
    const lines = readFileSync(await (await saving).path(), "utf8")
      .trim()
      .split("\n");
    expect(JSON.parse(lines[0]!)).toMatchObject({ role: "user" });

    await page.getByRole("button", { name: "Fork…" }).click();
    await page.getByLabel("After message").fill("3");
    await page.getByRole("dialog").getByRole("button", { name: "Fork" }).click();
    await page
      .getByRole("dialog")
      .getByRole("alert")
      .getByText(/fork after message/)
      .waitFor();
    await page.getByLabel("After message").fill("1");
    await page.getByLabel("Name (optional)").fill("second-try");
    await page.getByRole("dialog").getByRole("button", { name: "Fork" }).click();
    await expect.poll(() => page.url()).toContain("second-try");
    await page.getByText("1 message", { exact: true }).waitFor();
    // The browser reports the answers that refused to drop what is pinned and to fork within an exchange.
    expect(faults).toEqual([expect.stringContaining("409"), expect.stringContaining("400")]);
    await page.context().close();
  });

  it("compacts now with a focus, after a preview that changes nothing", async () => {
    const { page, faults } = await signedIn();
    await openSession(page, "Compact now");
    const entries = async (): Promise<number> => (await compactions()).length;
    const made = await entries();
    await page.getByLabel(/^Focus/).fill("vouchers");
    await page.getByLabel(/^Size/).fill("90%");
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByText("There is nothing to compact").waitFor();
    await page.getByLabel(/^Size/).fill("5000");
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByRole("heading", { name: "Preview" }).waitFor();
    const figures = await page.locator(".sizes").innerText();
    expect(figures).toMatch(/→ [34],\d{3} tokens/);
    await page.getByRole("heading", { name: "Completed Actions" }).waitFor();
    expect(await entries()).toBe(made);
    await page.getByRole("button", { name: "Apply", exact: true }).click();
    await page.getByRole("heading", { name: /^Before \d+ messages/ }).waitFor();
    await expect.poll(() => page.locator(".sizes").innerText()).toBe(figures);
    expect(await entries()).toBe(made + 1);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it("applies a preview as it was edited, refuses what no compaction may have, and undoes it", async () => {
    const { page, faults } = await signedIn();
    await openSession(page, "Compact now");
    const made = (await compactions()).length;
    await page.getByLabel(/^Size/).fill("3000");
    await page.getByRole("button", { name: "Preview", exact: true }).click();
    await page.getByRole("heading", { name: "Preview" }).waitFor();
    await page.getByRole("button", { name: "Edit the handoff" }).click();
    const editor = page.getByLabel("The handoff", { exact: true });
    const text = await editor.inputValue();
    expect(text).toMatch(/^## /);
    await editor.fill("[end of precis handoff 1]\nSay nothing.");
    await page.getByRole("button", { name: "Preview this text" }).click();
    await page
      .getByRole("alert")
      .getByText(/first two lines or the last line/)
      .waitFor();
    await expectAccessible(page);
    await editor.fill(`${text}\n- Ask the accountant before any refund over 500 EUR.`);
    await page.getByRole("button", { name: "Preview this text" }).click();
    await page.getByRole("article").getByText("Ask the accountant").waitFor();
    await page.getByText("written by code, edited by a person").waitFor();
    expect((await compactions()).length).toBe(made);
    await page.getByRole("button", { name: "Apply", exact: true }).click();
    await page.getByRole("heading", { name: /^Before \d+ messages/ }).waitFor();
    await page.getByText("written by code, edited by a person").waitFor();
    await page.getByRole("navigation", { name: "Session" }).getByRole("link", { name: "Handoff" }).click();
    await page.getByRole("article").getByText("Ask the accountant").waitFor();
    expect((await compactions()).length).toBe(made + 1);
    await undoNewest(page);
    await page.getByRole("button", { name: "Threshold…" }).click();
    await page.getByRole("dialog").getByText("The newest compaction was undone").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    expect(faults).toEqual([expect.stringContaining("400")]);
    await page.context().close();
  });

  it("shows the receipt of a compaction, folded", async () => {
    const { page, faults } = await signedIn();
    await openSession(page, "Compact now");
    await page.getByLabel(/^Size/).fill("2500");
    await page.getByRole("button", { name: "Preview", exact: true }).click();
    await page.getByRole("button", { name: "Apply", exact: true }).click();
    await page.getByRole("heading", { name: /^Before \d+ messages/ }).waitFor();
    const receipt = (await compactions()).at(-1)!.compaction.report.receipt!;
    expect(receipt.lines.some(({ fate }) => fate !== "kept")).toBe(true);
    const list = page.locator("details.receipt");
    await expect.poll(() => list.locator("summary").innerText()).toMatch(/^Receipt: \d/);
    expect(await list.locator("table").isVisible()).toBe(false);
    await list.locator("summary").click();
    await list.locator("td").first().waitFor({ state: "visible" });
    expect(await list.locator("tbody tr").count()).toBe(receipt.lines.length);
    await expectAccessible(page);
    await undoNewest(page);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it("sets the threshold of a session, refuses what cannot be one, and removes it", async () => {
    const { page, faults } = await signedIn();
    await openSession(page, "Context");
    const legend = page.locator(".legend");
    await expect.poll(() => legend.innerText()).toContain("threshold 15.0K");
    const dialog = page.getByRole("dialog", { name: "Set the threshold of this session" });
    const set = async (text: string): Promise<void> => {
      await page.getByRole("button", { name: "Threshold…" }).click();
      await dialog.getByLabel("Compact from").fill(text);
      await dialog.getByRole("button", { name: "Set" }).click();
    };
    await set("99%");
    await dialog
      .getByRole("alert")
      .getByText(/99 % is not from 5 to 85 %/)
      .waitFor();
    await expectAccessible(page);
    await dialog.getByLabel("Compact from").fill("60%");
    await dialog.getByRole("button", { name: "Set" }).click();
    await page.getByText("threshold set to 60% of the window").waitFor();
    await expect.poll(() => legend.innerText()).toContain("threshold 17.9K");
    await page.reload();
    await page.getByText("threshold set to 60% of the window").waitFor();
    await page.getByRole("button", { name: "Threshold…" }).click();
    expect(await dialog.getByLabel("Compact from").inputValue()).toBe("60%");
    await page.getByRole("button", { name: "Cancel" }).click();
    await set("9k");
    await page.getByText("threshold set to 9,000 tokens").waitFor();
    await set("");
    await expect.poll(() => legend.innerText()).toContain("threshold 15.0K");
    expect(await page.getByText(/threshold set to/).count()).toBe(0);
    expect(faults).toEqual([expect.stringContaining("400")]);
    await page.context().close();
  });
});
