import type { Page } from "@playwright/test";
import { allowConsole, expect, test } from "#tests/e2e/fixtures.ts";
import { meet, openConsole, row, say, startChat } from "./chat-steps.ts";

function palette(page: Page) {
  const dialog = page.getByRole("dialog", { name: "Command palette" });
  return { dialog, field: dialog.getByRole("combobox"), options: dialog.getByRole("option") };
}

test("finds conversations, pages and actions by keyboard alone, also while writing, and customers for admins only", {
  tag: "@nightly",
}, async ({ browser, page, copy }) => {
  test.setTimeout(120_000);
  const { agent, name } = await meet({ browser, copy, page }, "Pia");
  await say(page, "A question");
  const { keyboard } = agent;
  const { dialog, field, options } = palette(agent);
  await expect(agent.getByLabel("Assigned to")).toBeVisible();

  // Cancelled: the focus returns to what was being written.
  await keyboard.press("r");
  await keyboard.type("A dra");
  await keyboard.press("Control+k");
  await expect(field).toBeFocused();
  await expect(options.first()).toHaveAttribute("aria-selected", "true");
  await keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await keyboard.type("ft");
  await expect(agent.getByLabel("Your message")).toHaveValue("A draft");

  await keyboard.press("Control+k");
  await keyboard.type("assign me");
  // Saved replies of other tests that assign stand below.
  await expect(options.first()).toHaveText(/^Assign to me/);
  await keyboard.press("Enter");
  await expect(row(agent, name)).toContainText("Demo Agent");
  await expect(dialog).toHaveCount(0);

  await keyboard.press("Control+k");
  await keyboard.type("add a tag");
  await keyboard.press("Enter");
  await expect(agent.getByLabel("New tag")).toBeFocused();
  await keyboard.press("Escape");
  await expect(agent.getByRole("log")).toBeFocused();

  await keyboard.press("Control+k");
  await keyboard.type("team note");
  await keyboard.press("Enter");
  await expect(agent.getByLabel("Your note")).toBeFocused();
  await expect(dialog).toHaveCount(0);
  await expect(agent.getByLabel("Your note")).toBeFocused();

  // Goes to a page, where it finds the conversation again, and closes it.
  await keyboard.press("Control+k");
  await keyboard.type("orders");
  await keyboard.press("Enter");
  await expect(agent.getByRole("heading", { name: "Orders", level: 1 })).toBeVisible();
  await keyboard.press("Control+k");
  await field.fill(name);
  await expect(options).toHaveText([new RegExp(name)]);
  await keyboard.press("Enter");
  await expect(agent.getByRole("heading", { name, level: 1 })).toBeVisible();
  await expect(agent.getByRole("log")).toBeFocused();
  await expect(agent.getByLabel("Assigned to")).toBeVisible();
  await keyboard.press("Control+k");
  await keyboard.type("close");
  await keyboard.press("Enter");
  await expect(page.getByText("This conversation is closed.")).toBeVisible();

  const admin = await openConsole(browser, copy, "admin");
  await test.step("says when it finds nothing or can't search, and finds customers for admins only", async () => {
    for (const [staff, finds] of [
      [admin, true],
      [agent, false],
    ] as const) {
      const palettes = palette(staff);
      await staff.keyboard.press("Control+k");
      await palettes.field.fill(copy.demo.customer.email);
      const customer = palettes.dialog.getByRole("group", { name: "Customers" }).getByRole("option");
      if (finds) await expect(customer).toContainText(copy.demo.customer.email);
      else await expect(palettes.dialog.getByRole("status")).not.toHaveText("Searching…");
      await expect(customer).toHaveCount(finds ? 1 : 0);

      await palettes.field.fill("zzzz nobody");
      await expect(palettes.dialog.getByRole("status")).toContainText("No matches for “zzzz nobody”");
      await expect(palettes.options).toHaveCount(0);

      allowConsole(staff, /Failed to load resource/);
      await staff.route("**/admin/find?*", (route) => route.abort("connectionfailed"));
      await palettes.field.fill("zzzz");
      await expect(palettes.dialog.getByRole("alert")).toContainText("Couldn't search.");
      await staff.unroute("**/admin/find?*");
      await palettes.dialog.getByRole("button", { name: "Try again" }).click();
      await expect(palettes.dialog.getByRole("status")).toContainText("No matches for “zzzz”");
    }
  });
  for (const staff of [agent, admin]) await staff.context().close();
});

test("fits the palette on a phone and on a desktop", { tag: "@nightly" }, async ({ browser, page, copy }) => {
  const name = `Ria ${Date.now()}`;
  await startChat(page, name);
  for (const width of [390, 1280]) {
    const agent = await openConsole(browser, copy, "agent", { viewport: { width, height: 844 } });
    await row(agent, name).click();
    await expect(agent.getByRole("log")).toBeFocused();
    // By its button, because a phone has no such key.
    await agent.getByRole("button", { name: "Command palette" }).click();
    const { dialog, field } = palette(agent);
    await expect(field).toBeFocused();
    await field.fill(name.slice(0, 3));
    await expect(dialog.getByRole("group", { name: "Conversations" })).toBeVisible();
    const box = await dialog.boundingBox();
    expect(box && box.x >= 0 && box.x + box.width <= width).toBe(true);
    await agent.keyboard.press("Escape");
    await expect(dialog).toHaveCount(0);
    // Escape leads back to the messages from anywhere in the conversation, also from details that hide them.
    await agent.keyboard.press("s");
    await expect(agent.getByLabel("Snooze", { exact: true })).toBeFocused();
    await agent.keyboard.press("Escape");
    await expect(agent.getByRole("log")).toBeFocused();
    await agent.goto("/admin/orders");
    await agent.getByRole("button", { name: "Command palette" }).click();
    await expect(field).toBeFocused();
    await agent.context().close();
  }
});
