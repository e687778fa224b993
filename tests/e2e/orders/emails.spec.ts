import { request } from "@playwright/test";
import { openFromMenu } from "#tests/e2e/console-steps.ts";
import { allowConsole, expect, otherPage, PASSWORD, sessionOf, test } from "#tests/e2e/fixtures.ts";
import { faultyAddress } from "#tools/stand-ins/email-faults.ts";

test("shows a refused email to the team, and lets an admin allow the address again", { tag: "@nightly" }, async ({
  page,
  browser,
  copy,
}) => {
  const email = faultyAddress("refused");
  const form = { headers: { Origin: copy.url }, maxRedirects: 0 };
  await page.request.post("/auth/signup", { ...form, form: { fullName: "Rae", email, password: PASSWORD } });
  const asked = await page.request.post("/reset-password", { headers: { Origin: copy.url }, form: { email } });
  // The same text as for any other address.
  expect(await asked.text()).toMatch(/we(&#x27;|')ve sent a link/);

  const storageState = await sessionOf(browser, copy, "admin");
  const asAdmin = await request.newContext({ baseURL: copy.url, storageState });
  await expect.poll(async () => (await asAdmin.get("/admin/emails")).text()).toContain(email);
  await asAdmin.dispose();
  const staff = await otherPage(browser, copy, "admin", "/admin/emails");
  // The first email of the sign-up, which suppresses the address for the second.
  const row = staff.getByRole("row", { name: new RegExp(email) }).filter({ hasText: /Refused/ });
  await expect(row).toContainText("HTTP 422");

  await page.goto("/dashboard/account");
  await expect(page.getByText(/We can't email you/)).toBeVisible();

  await staff.getByRole("link", { name: "Suppressed addresses" }).click();
  await staff.getByLabel("Search").fill(email.slice(0, 20));
  await staff.getByRole("button", { name: "Search" }).click();
  await staff.getByRole("link", { name: `Remove suppression of ${email}` }).click();
  // Refuses the form without a reason.
  allowConsole(staff, /status of 400/);
  await staff.getByRole("button", { name: "Remove suppression" }).click();
  await expect(staff.getByLabel("Reason")).toHaveAccessibleDescription(/Enter a reason/);
  await staff.getByLabel("Reason").fill("Their provider fixed the mailbox");
  await staff.getByRole("button", { name: "Remove suppression" }).click();
  await expect(staff.getByText("Suppression removed.")).toBeVisible();
  await expect(staff.getByText(email)).toHaveCount(0);
  await openFromMenu(staff, "System", "Audit log");
  const entry = staff.getByRole("row", { name: /Their provider fixed the mailbox/ });
  await expect(entry).toContainText(`let ${email} get emails again`);
  await page.reload();
  await expect(page.getByText(/We can't email you/)).toHaveCount(0);
  await staff.context().close();
});
