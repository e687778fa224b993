import type { SandboxProvider } from "#tools/stand-ins/sandbox-provider.ts";
import type { FilledShop } from "./fill-shop.ts";
import type { OperatorHand } from "./operator-hand.ts";

/** What the scenes find in the copy. */
export type PlayedShop = FilledShop & {
  standIns: SandboxProvider[];
  names: string[];
  /** Places an order of a service of the provider through the panel API. */
  order: (provider: number) => Promise<void>;
};

type Scene = (hand: OperatorHand, shop: PlayedShop) => Promise<void>;

const RAISED = 400;
/** More than the rise that a night takes by itself. */
const RAISE = 1.3;

/** An operator's day: each scene is what one person does until it is done. */
export const SCENES: Record<string, Scene> = {
  "Morning look": async (hand) => {
    const { page } = hand;
    await hand.goTo("/admin/today");
    await page.getByRole("heading", { level: 1 }).waitFor();
    for (const name of [/Held orders/, /Payments to review/]) {
      await hand.click(page.getByRole("link", { name }).first());
      await page.getByRole("heading", { level: 1 }).waitFor();
      await hand.goTo("/admin/today");
    }
    await hand.click(page.locator('a[href*="/admin/orders?late=1"]').first());
    await page.waitForURL(/late=1/);
    await page.getByRole("table").first().waitFor();
  },

  [`A provider raises ${RAISED} prices`]: async (hand, shop) => {
    const { page } = hand;
    for (const offer of shop.offers[0]?.slice(0, RAISED) ?? []) offer.rate = (Number(offer.rate) * RAISE).toFixed(4);
    await hand.goTo(`/admin/providers/${shop.providerIds[0]}`);
    await hand.click(page.getByRole("button", { name: "Run the nightly comparison" }));
    await hand.see(/wait for your decision/);
    await hand.click(page.getByRole("link", { name: /of its catalog wait/ }));
    await page.waitForURL(/quarantine/);
    await hand.click(page.getByRole("link", { name: /^Select all [\d,]+ that match/ }));
    await hand.see(/^All [\d,]+ that match selected/);
    await hand.click(page.getByRole("button", { name: "Take the new price" }));
    await hand.see(/New prices taken for/);
    hand.note(
      (await page
        .getByText(/New prices taken for/)
        .first()
        .textContent()) ?? "",
    );
    await hand.goTo(`/admin/services?provider=${shop.providerIds[0]}`);
    await hand.click(page.getByLabel("Select all rows on this page"));
    await hand.click(page.getByRole("link", { name: /^Change all [\d,]+ that match/ }));
    await page.waitForURL(/services\/bulk/);
    const margin = page.getByRole("link", { name: /margin/i });
    await hand.click(margin.first());
    await hand.fill(page.getByLabel("Margin in percent"), "35");
    await hand.click(page.getByRole("button", { name: "Preview" }));
    await page.getByRole("group", { name: "Changes", exact: true }).waitFor();
    const loss = page.getByRole("checkbox", { name: /below cost/ });
    if ((await loss.count()) > 0) await hand.tick(loss);
    await hand.click(page.getByRole("button", { name: /^Change [\d,]+ services/ }));
    await page.waitForURL(/services\/changes\/\d+/);
    await page.getByRole("heading", { level: 1, name: /^Change / }).waitFor({ state: "detached" });
    hand.note((await page.getByRole("heading", { level: 1 }).textContent()) ?? "");
  },

  "A provider dies at noon": async (hand, shop) => {
    const { page } = hand;
    await shop.standIns[1]?.close();
    for (let n = 0; n < 12; n++) await shop.order(1);
    await page.waitForTimeout(5000);
    await hand.goTo("/admin/system");
    await hand.see(new RegExp(`${shop.names[1]} .*(respond|held)|orders are held`, "i"));
    await hand.goTo(`/admin/providers/${shop.providerIds[1]}`);
    await hand.click(page.getByLabel("Send orders to this provider"));
    await hand.click(page.getByRole("button", { name: "Save provider" }));
    await hand.see("Provider saved.");
    await hand.goTo(`/admin/services?provider=${shop.providerIds[1]}&state=enabled`);
    await hand.click(page.getByLabel("Select all rows on this page"));
    await hand.click(page.getByRole("link", { name: /^Change all [\d,]+ that match/ }));
    await page.waitForURL(/services\/bulk/);
    await hand.click(page.getByRole("link", { name: /off sale|switch off/i }).first());
    await hand.click(page.getByRole("button", { name: /^Take [\d,]+ services off sale/ }));
    await page.waitForURL(/services\/changes\/\d+/);
    await page.getByRole("heading", { level: 1, name: /^Change / }).waitFor({ state: "detached" });
    hand.note((await page.getByRole("heading", { level: 1 }).textContent()) ?? "");
  },

  "30 held orders": async (hand) => {
    const { page } = hand;
    await hand.goTo("/admin/orders?state=held");
    await hand.click(page.getByLabel("Select all rows on this page"));
    await hand.click(page.getByRole("link", { name: "Cancel and refund…" }));
    await page.getByRole("heading", { level: 1, name: /^Decide on/ }).waitFor();
    await hand.fill(page.getByLabel("Reason"), "Not in their panel");
    await hand.click(page.getByRole("button", { name: /^Cancel and refund \d+ orders?/ }));
    await hand.see(/refunded/i);
    await hand.goTo("/admin/orders?state=held");
    hand.note(`${await page.locator("tbody tr input:visible").count()} are left, of those held meanwhile`);
  },

  "A disputed payment": async (hand, shop) => {
    const { page } = hand;
    await hand.goTo("/admin/payments?state=reversed");
    await hand.click(page.locator(`a[href="/admin/payments/${shop.disputedPayment}"]`).first());
    await page.getByRole("heading", { name: "Refunds and disputes" }).waitFor();
    await hand.click(page.locator('a[href^="/admin/customers/"]').first());
    await page.waitForURL(/admin\/customers\/./);
    await page.getByRole("group", { name: "Transactions" }).waitFor();
    await hand.goTo("/admin/payments?state=review");
    await hand.click(page.locator(`a[href="/admin/payments/${shop.paymentInReview}"]`).first());
    await page.getByRole("heading", { name: "Card payment" }).waitFor();
  },

  "The month's report": async (hand) => {
    const { page } = hand;
    await hand.goTo("/admin/reports");
    await hand.see("Revenue");
    hand.note(`30 days: ${await page.locator("dl dd").first().textContent()} of revenue`);
    for (const name of ["By service", "By provider", "By customer"]) {
      await hand.click(page.getByRole("link", { name }));
      await page.waitForURL(new RegExp(`by=${name.replace("By ", "")}`));
      await page.getByRole("group", { name: "Report" }).waitFor();
    }
    await hand.click(page.getByRole("link", { name: "By service" }));
    await page.waitForURL(/by=service/);
    await hand.click(page.getByRole("link", { name: "Change", exact: true }).first());
    await page.waitForURL(/sort=-change/);
    const download = page.waitForEvent("download");
    await hand.click(page.getByRole("link", { name: "Export CSV" }));
    await (await download).delete();
  },
};
