import type { Page } from "@playwright/test";
import { allowConsole, expect, test } from "#tests/e2e/fixtures.ts";
import { type LocalCopy, startLocalCopy } from "#tests/product/local-copy.ts";
import { fillInbox } from "#tests/workerd/inbox-fill.ts";
import { openDatabase } from "#tools/run/database.ts";
import { CUT_OFF, newPage, openConsole, row, say, startChat } from "./chat-steps.ts";

/** Conversations to create. One tenth of them are open. */
const FILLED = 30_000;
const ROW_PX = 80;
/** Far more rows than are visible, far fewer than there are. */
const MAX_ROWS = 60;

test("renders the visible rows of thousands of conversations wherever the list is scrolled, and keeps the position", async ({
  browser,
}) => {
  test.setTimeout(300_000);
  // A separate copy, because these conversations would bury those of every other test.
  const copy = await startLocalCopy();
  const stamp = Date.now();
  const visitor = await newPage(browser, copy);
  const name = `Oldest ${stamp}`;
  await startChat(visitor, name);
  await say(visitor, "The first question of all");
  const agent = await openConsole(browser, copy, "agent");
  await expect(row(agent, name)).toContainText("The first question of all");
  allowConsole(agent, CUT_OFF);
  allowConsole(visitor, CUT_OFF);
  await copy.stop();
  const order = await fill(copy);
  await copy.start();
  const total = order.length;
  expect(total).toBeGreaterThan(3000);

  // The reconnected console reloads the list, and loads more as it is scrolled.
  await expect(agent.getByRole("link", { name: `Open ${total.toLocaleString("en")}`, exact: true })).toBeVisible();
  await expect(agent.getByText("Live", { exact: true })).toBeVisible();
  await expect(row(agent, order[0]?.user_name ?? "")).toBeVisible();
  await checkVisibleRows(agent, order);
  const pages: string[] = [];
  agent.on("response", (response) => response.url().includes("after=") && pages.push(response.url()));
  for (let loaded = 0; loaded < total; ) {
    loaded = await loadMore(agent);
    await checkVisibleRows(agent, order);
  }
  await list(agent).evaluate((box) => box.scrollTo(0, box.scrollHeight));
  await checkVisibleRows(agent, order);
  expect(pages.length).toBeGreaterThan(10);
  expect(new Set(pages).size, "no page is read twice").toBe(pages.length);
  await expect(row(agent, name)).toBeInViewport();

  // An opened conversation keeps the list's position, beside the list and, on a phone, in its place.
  for (const width of [1440, 390]) {
    await agent.setViewportSize({ width, height: 844 });
    await list(agent).evaluate((box) => box.scrollTo(0, box.scrollHeight - box.clientHeight - 20));
    await row(agent, name).scrollIntoViewIfNeeded();
    const visible = await checkVisibleRows(agent, order);
    const top = await list(agent).evaluate((box) => box.scrollTop);
    await row(agent, name).click();
    await expect(agent.getByRole("heading", { name, level: 1 })).toBeVisible();
    if (width === 390) await agent.getByRole("link", { name: "All conversations" }).click();
    else await agent.goBack();
    await agent.waitForURL(/\/admin$/);
    expect(await checkVisibleRows(agent, order)).toBe(visible);
    expect(await list(agent).evaluate((box) => box.scrollTop)).toBe(top);
  }
  await agent.setViewportSize({ width: 1440, height: 900 });

  // Scrolls up and down by the wheel and by the scroll bar.
  for (const to of [0, 0.5, 0.01, 0.99, 0.3, 1, 0]) {
    await list(agent).evaluate((box, part) => box.scrollTo(0, part * (box.scrollHeight - box.clientHeight)), to);
    await checkVisibleRows(agent, order);
  }
  await list(agent).hover();
  for (let turn = 0; turn < 12; turn++) await agent.mouse.wheel(0, 4000);
  await expect.poll(() => list(agent).evaluate((box) => box.scrollTop)).toBeGreaterThan(20_000);
  await checkVisibleRows(agent, order);
  await frames(agent);

  // A change above the visible rows does not move them.
  const middle = await list(agent).evaluate((box) => {
    box.scrollTop = Math.round(box.scrollHeight / 2) + 33;
    return box.scrollTop;
  });
  const first = await checkVisibleRows(agent, order);
  await say(visitor, "And one more thing");
  await expect.poll(() => list(agent).evaluate((box) => box.scrollTop)).toBe(middle + ROW_PX);
  const moved = [...order.slice(-1), ...order.slice(0, -1)];
  expect(await checkVisibleRows(agent, moved)).toBe(first);

  // After a reconnect, as many rows are reloaded as were loaded before.
  const lastPage = agent.waitForResponse((response) => response.url().includes(`limit=${total % 500}&`));
  copy.killWorkerd();
  await copy.untilReady();
  await lastPage;
  await expect(agent.getByText("Live", { exact: true })).toBeVisible();
  expect(await checkVisibleRows(agent, moved)).toBe(first);
  expect(await list(agent).evaluate((box) => box.scrollTop)).toBe(middle + ROW_PX);
  for (const page of [agent, visitor]) await page.context().close();
  await copy.remove();
});

type Row = { user_name: string };

/** Fills the list and returns its rows, newest first. */
async function fill(copy: LocalCopy): Promise<Row[]> {
  const database = await openDatabase({ remote: false, stateDir: copy.stateDir, name: "DB_SUPPORT" });
  try {
    await fillInbox(database.binding, {
      conversations: FILLED,
      messagesEach: 1,
      agents: ["agent-1", "agent-2"],
      // Newer than the messages before and older than those sent afterwards.
      baseMs: Date.now(),
      everyMs: 0.01,
    });
    const { results } = await database.binding
      .prepare("select user_name from support_sessions where status = 'open' order by updated_at desc, id desc")
      .all<Row>();
    return results;
  } finally {
    await database.close();
  }
}

function list(page: Page) {
  return page.locator("div:has(> ul[aria-label=Conversations])");
}

/** Scrolls to the end of the loaded rows and waits for more, if there are any. Returns the number of loaded rows. */
async function loadMore(page: Page): Promise<number> {
  const before = await loadedRows(page);
  await list(page).evaluate((box) => box.scrollTo(0, box.scrollHeight));
  const total = Number(await counted(page));
  await expect.poll(async () => (await loadedRows(page)) > before || before >= total).toBe(true);
  return loadedRows(page);
}

function loadedRows(page: Page): Promise<number> {
  return list(page).evaluate((box, px) => Math.round((box.firstElementChild?.clientHeight ?? 0) / px), ROW_PX);
}

async function counted(page: Page): Promise<string> {
  return ((await page.getByRole("link", { name: /^Open [\d,]+$/ }).textContent()) ?? "").replace(/\D/g, "");
}

/** Checks that the visible part has no gap and shows the right rows. Returns the name in its first row. */
async function checkVisibleRows(page: Page, order: Row[]): Promise<string> {
  const look = () =>
    list(page).evaluate((box, rowPx) => {
      const top = box.getBoundingClientRect().top;
      const rows = [...box.querySelectorAll("li")].map((item) => ({
        at: Number(item.ariaPosInSet) - 1,
        name: item.querySelector<HTMLElement>("a span[title]")?.title ?? "",
        from: item.getBoundingClientRect().top - top,
      }));
      const seen = rows.filter(({ from }) => from > -rowPx && from < box.clientHeight).sort((a, b) => a.at - b.at);
      return { rows: rows.length, seen, first: Math.floor(box.scrollTop / rowPx), height: box.clientHeight };
    }, ROW_PX);
  let view = await look();
  await expect
    .poll(async () => {
      view = await look();
      const { seen, first, height } = view;
      const wanted = order.slice(first, first + Math.floor(height / ROW_PX)).map(({ user_name }) => user_name);
      return JSON.stringify(seen.slice(0, wanted.length).map(({ name }) => name)) === JSON.stringify(wanted);
    })
    .toBe(true);
  expect(view.rows).toBeLessThan(MAX_ROWS);
  return view.seen[0]?.name ?? "";
}

/** Prints how long the frames of a long scroll take, without asserting it. */
async function frames(page: Page): Promise<void> {
  const times = await list(page).evaluate(
    (box) =>
      new Promise<number[]>((resolve) => {
        const found: number[] = [];
        let before = performance.now();
        const step = (now: number) => {
          found.push(now - before);
          before = now;
          box.scrollTop += 120;
          if (found.length < 200) requestAnimationFrame(step);
          else resolve(found.slice(1).sort((a, b) => a - b));
        };
        requestAnimationFrame(step);
      }),
  );
  const at = (part: number) => times[Math.floor(part * (times.length - 1))]?.toFixed(1);
  console.log(`frames of scrolling, ms: median ${at(0.5)}, 95 % ${at(0.95)}, longest ${at(1)}`);
}
