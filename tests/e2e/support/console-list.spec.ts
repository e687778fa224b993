import type { Page } from "@playwright/test";
import { allowConsole, expect, test } from "#tests/e2e/fixtures.ts";
import { type LocalCopy, startLocalCopy } from "#tests/product/local-copy.ts";
import { fillInbox } from "#tests/workerd/inbox-fill.ts";
import { openDatabase } from "#tools/run/database.ts";
import { CUT_OFF, newPage, openConsole, row, say, startChat } from "./chat-steps.ts";

/** A tenth of them is open. */
const FILLED = 30_000;
const ROW_PX = 80;
/** Far more than are in sight, far fewer than there are. */
const ROWS_MOST = 60;

test("a list of thousands: few rows in the page, the right ones in sight wherever one goes, and the place is kept", async ({
  browser,
}) => {
  test.setTimeout(300_000);
  // Its own: what it fills in would bury the conversations of every other test.
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

  // The whole of it was read anew by itself, and is there as one goes on.
  await expect(agent.getByRole("link", { name: `Open ${total.toLocaleString("en")}`, exact: true })).toBeVisible();
  await expect(agent.getByText("Live", { exact: true })).toBeVisible();
  await expect(row(agent, order[0]?.user_name ?? "")).toBeVisible();
  await inSight(agent, order);
  const pages: string[] = [];
  agent.on("response", (answer) => answer.url().includes("after=") && pages.push(answer.url()));
  for (let loaded = 0; loaded < total; ) {
    loaded = await toEnd(agent);
    await inSight(agent, order);
  }
  await list(agent).evaluate((box) => box.scrollTo(0, box.scrollHeight));
  await inSight(agent, order);
  expect(pages.length).toBeGreaterThan(10);
  expect(new Set(pages).size, "no page is read twice").toBe(pages.length);
  await expect(row(agent, name)).toBeInViewport();

  // Beside the list, and on a phone in its place: an open conversation leaves the list where it was.
  for (const width of [1440, 390]) {
    await agent.setViewportSize({ width, height: 844 });
    await list(agent).evaluate((box) => box.scrollTo(0, box.scrollHeight - box.clientHeight - 20));
    await row(agent, name).scrollIntoViewIfNeeded();
    const visible = await inSight(agent, order);
    const top = await list(agent).evaluate((box) => box.scrollTop);
    await row(agent, name).click();
    await expect(agent.getByRole("heading", { name, level: 1 })).toBeVisible();
    if (width === 390) await agent.getByRole("link", { name: "All conversations" }).click();
    else await agent.goBack();
    await agent.waitForURL(/\/admin$/);
    expect(await inSight(agent, order)).toBe(visible);
    expect(await list(agent).evaluate((box) => box.scrollTop)).toBe(top);
  }
  await agent.setViewportSize({ width: 1440, height: 900 });

  // Up and down again by the wheel and by the scroll bar.
  for (const to of [0, 0.5, 0.01, 0.99, 0.3, 1, 0]) {
    await list(agent).evaluate((box, part) => box.scrollTo(0, part * (box.scrollHeight - box.clientHeight)), to);
    await inSight(agent, order);
  }
  await list(agent).hover();
  for (let turn = 0; turn < 12; turn++) await agent.mouse.wheel(0, 4000);
  await expect.poll(() => list(agent).evaluate((box) => box.scrollTop)).toBeGreaterThan(20_000);
  await inSight(agent, order);
  await frames(agent);

  // What a hint changes above does not move what is being read.
  const middle = await list(agent).evaluate((box) => {
    box.scrollTop = Math.round(box.scrollHeight / 2) + 33;
    return box.scrollTop;
  });
  const first = await inSight(agent, order);
  await say(visitor, "And one more thing");
  await expect.poll(() => list(agent).evaluate((box) => box.scrollTop)).toBe(middle + ROW_PX);
  const moved = [...order.slice(-1), ...order.slice(0, -1)];
  expect(await inSight(agent, moved)).toBe(first);

  // A line that was down reads as much anew as there was.
  const lastPage = agent.waitForResponse((answer) => answer.url().includes(`limit=${total % 500}&`));
  copy.killWorkerd();
  await copy.answering();
  await lastPage;
  await expect(agent.getByText("Live", { exact: true })).toBeVisible();
  expect(await inSight(agent, moved)).toBe(first);
  expect(await list(agent).evaluate((box) => box.scrollTop)).toBe(middle + ROW_PX);
  for (const page of [agent, visitor]) await page.context().close();
  await copy.remove();
});

type Row = { user_name: string };

/** Newest first, as the list has to show them. */
async function fill(copy: LocalCopy): Promise<Row[]> {
  const database = await openDatabase({ remote: false, stateDir: copy.stateDir, name: "DB_SUPPORT" });
  try {
    await fillInbox(database.binding, {
      conversations: FILLED,
      messagesEach: 1,
      agents: ["someone", "else"],
      // Newer than what was said before, and none of them newer than what is said afterwards.
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

/** To the end of what is loaded, until more of it is there or it is all. Answers how many rows there are. */
async function toEnd(page: Page): Promise<number> {
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

/** Checks that the view has no gap and shows what belongs there; answers the name of the first row in it. */
async function inSight(page: Page, order: Row[]): Promise<string> {
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
  await expect
    .poll(async () => {
      const { seen, first, height } = await look();
      const wanted = order.slice(first, first + Math.floor(height / ROW_PX)).map(({ user_name }) => user_name);
      return JSON.stringify(seen.slice(0, wanted.length).map(({ name }) => name)) === JSON.stringify(wanted);
    })
    .toBe(true);
  const { rows, seen } = await look();
  expect(rows).toBeLessThan(ROWS_MOST);
  return seen[0]?.name ?? "";
}

/** Printed, not asserted: how long the frames of a long wheel are. */
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
