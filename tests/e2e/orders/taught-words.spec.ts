import type { Page } from "@playwright/test";
import { auditPage, expectNoOverflow } from "#tests/e2e/axe-audit.ts";
import { expect, signIn, test } from "#tests/e2e/fixtures.ts";
import type { LocalCopy } from "#tests/product/local-copy.ts";
import { sandboxLink } from "#tools/stand-ins/sandbox-faults.ts";

test("teaches a provider's word with three actions, and undoes it with two", { tag: "@nightly" }, async ({
  page,
  copy,
}) => {
  const placed = { action: "add", service: "1", link: sandboxLink(null, crypto.randomUUID()), quantity: "1000" };
  const body = new URLSearchParams({ key: copy.demo.customer.apiKey, ...placed });
  expect(await (await fetch(`${copy.url}/api/v2`, { method: "POST", body })).json()).toHaveProperty("order");
  await addUnread(copy, "state", "All set", '{"status":"All set","remains":"0","note":"<b>bold</b>"}');
  await addUnread(copy, "error", "moon is not full", '{"error":"Moon is not full"}');
  await signIn(page, copy, "admin", "/admin/providers/1");
  const unread = page.getByRole("region", { name: "Answers we couldn't read" });
  await expect(unread.getByText('"note":"<b>bold</b>"')).toBeVisible();
  const row = unread.getByRole("listitem").filter({ hasText: '"status":"All set"' });
  await row.getByLabel("What does it mean for the order?").selectOption("Completed");
  await row.getByRole("button", { name: "Preview rule" }).click();
  await expect(row.getByText("No open order has a kept answer with it.")).toBeVisible();
  const other = unread.getByRole("listitem").filter({ hasText: "Moon is not full" });
  await other.getByLabel("Why is the order refused?").selectOption("The service is paused");
  await look(page, "the preview of a rule");
  await row.getByRole("button", { name: "Save rule" }).click();
  await expect(page.getByText("“All set” taught. It holds from the next answer on.")).toBeVisible();
  const taught = page.getByRole("region", { name: "Taught words" });
  await expect(taught.getByText("All set means Completed")).toBeVisible();
  await expect(unread.getByText('"status":"All set"')).toBeHidden();

  await other.getByLabel("Why is the order refused?").selectOption("The link is wrong, private or not supported");
  await other.getByRole("button", { name: "Preview rule" }).click();
  await expect(other.getByText("when an order is refused so: The order is canceled and refunded.")).toBeVisible();

  await taught.getByRole("button", { name: "Undo rule: All set" }).click();
  await expect(page.getByText("money that was refunded stays refunded")).toBeVisible();
  await page.getByRole("button", { name: "Undo the rule" }).click();
  await expect(page.getByText("“All set” undone.")).toBeVisible();
  await expect(taught).toBeHidden();

  await page.getByRole("button", { name: "Test connection" }).click();
  const connection = page.getByRole("region", { name: "Connection" });
  await expect(connection.getByText("Panel API v2")).toBeVisible();
  await look(page, "a tested provider");
});

/** Stores what the reader does when it can't read an answer about the copy's first order, with the answer. */
async function addUnread(copy: LocalCopy, kind: string, word: string, answer: string): Promise<void> {
  const order = "(select min(id) from orders where provider_id = 1)";
  const key = kind === "state" ? "allset" : word;
  const action = kind === "state" ? "status" : "add";
  const log = `insert into provider_log (provider_id, order_id, action, response, created_at) values (1, ${order}, ?, ?, 1)`;
  await copy.changeRows("DB", log, action, answer);
  const unread = `insert into unread_answers (provider_id, kind, key, word, order_id, seen, first_seen_at, last_seen_at)
    values (1, ?, ?, ?, ${order}, 3, ?, ?)`;
  await copy.changeRows("DB", unread, kind, key, word, Date.now() - 3_600_000, Date.now());
}

async function look(page: Page, what: string): Promise<void> {
  await auditPage(page, what);
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    await expectNoOverflow(page, what);
  }
}
