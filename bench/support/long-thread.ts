import { type Browser, chromium, type Page } from "@playwright/test";
import { type LocalCopy, startLocalCopy } from "#tests/product/local-copy.ts";
import { fillConversation } from "#tests/product/long-conversation.ts";
import { chromiumPath } from "#tools/run/chromium.ts";
import { median, percentile, reportFigures } from "../figures.ts";

/**
 * `npm run bench -- thread`: opens a conversation of 10,000 messages in the console, in Chromium against a copy of the
 * product, from another conversation that is open: from the click to the frame that shows the last message.
 */

const MESSAGES = 10_000;
const OPENINGS = 20;
const GOAL_MS = 200;
/** Elements of the rows that are in the page. */
const GOAL_ELEMENTS = 3000;

const executablePath = chromiumPath();
const browser = await chromium.launch({ args: ["--no-sandbox"], ...(executablePath && { executablePath }) });
const copy = await startLocalCopy();
try {
  const [long, other] = [await startChat(copy, "Long"), await startChat(copy, "Other")];
  const page = await openConsole(browser, copy);
  // The rooms have copied what they have to D1, so that the one that is filled copies nothing more.
  for (const id of [long, other]) await page.locator(`a[href^="/admin/support/${id}"]`).waitFor();
  await copy.stop();
  fillConversation(copy.stateDir, long, MESSAGES);
  await copy.start();
  await page.reload();
  await untilLive(page);
  const frames = countFrames(page);
  const times: number[] = [];
  const shortTimes: number[] = [];
  for (let n = 0; n < OPENINGS; n++) {
    shortTimes.push(await open(page, other, "Other"));
    frames.count = 0;
    times.push(await open(page, long, `message ${MESSAGES}:`));
  }
  const log = page.getByRole("log", { name: "Messages" });
  await log.press("Home");
  await page
    .getByText(/^message \d+:/)
    .first()
    .waitFor();
  reportFigures([
    { name: `click to last of ${MESSAGES} messages`, value: median(times), unit: "ms", goal: { atMost: GOAL_MS } },
    { name: "click to last of 2 messages", value: median(shortTimes), unit: "ms" },
    { name: "the same of 10000, 19 of 20 openings", value: percentile(times, 0.95), unit: "ms" },
    { name: "the same of 10000, the first opening", value: times[0] ?? Number.NaN, unit: "ms" },
    { name: "frames received to open it", value: frames.count, unit: "" },
    {
      name: "elements in the thread",
      value: await log.evaluate((element) => element.querySelectorAll("*").length),
      unit: "",
      goal: { atMost: GOAL_ELEMENTS },
    },
  ]);
} finally {
  await browser.close();
  await copy.remove();
}
process.exit();

/** Starts a visitor's conversation and returns its id. */
async function startChat({ url }: LocalCopy, name: string): Promise<string> {
  const response = await fetch(`${url}/support/session`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: url },
    body: JSON.stringify({ name }),
  });
  const { session } = (await response.json()) as { session: { session_id: string } };
  const cookie = response.headers
    .getSetCookie()
    .map((one) => one.split(";")[0])
    .join("; ");
  const sent = await fetch(`${url}/support/sessions/${session.session_id}/messages`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: url, Cookie: cookie },
    body: JSON.stringify({ clientId: "first", body: `Hello from ${name}` }),
  });
  if (!sent.ok) throw new Error(`the first message was refused: ${sent.status}`);
  return session.session_id;
}

async function openConsole(chromiumBrowser: Browser, { url, demo }: LocalCopy): Promise<Page> {
  const context = await chromiumBrowser.newContext({ baseURL: url, viewport: { width: 1440, height: 900 } });
  const { email, password } = demo.agent;
  await context.request.post("/auth/login", { form: { email, password }, headers: { Origin: url } });
  const page = await context.newPage();
  await page.goto("/admin");
  await untilLive(page);
  return page;
}

async function untilLive(page: Page): Promise<void> {
  await page.getByText("Live", { exact: true }).waitFor({ state: "attached" });
}

/** Counts the frames of the conversations' sockets. */
function countFrames(page: Page): { count: number } {
  const frames = { count: 0 };
  page.on("websocket", (socket) => {
    if (!socket.url().includes("/support/sessions/")) return;
    socket.on("framereceived", () => {
      frames.count += 1;
    });
  });
  return frames;
}

/** Clicks a conversation in the list and returns the ms until a frame shows its last message, which has that text. */
function open(page: Page, sessionId: string, text: string): Promise<number> {
  return page.evaluate(
    ([id, last]) =>
      new Promise<number>((resolve, reject) => {
        const link = document.querySelector<HTMLElement>(`a[href^="/admin/support/${id}"]`);
        if (!link) return reject(new Error(`no conversation ${id}`));
        const from = performance.now();
        link.click();
        requestAnimationFrame(function look() {
          if (!isShown()) return requestAnimationFrame(look);
          // The frame with it is painted when the next task runs.
          const painted = new MessageChannel();
          painted.port1.onmessage = () => resolve(performance.now() - from);
          painted.port2.postMessage(null);
        });
        function isShown(): boolean {
          const log = document.querySelector('[role="log"]');
          const bubble = [...(log?.querySelectorAll("p") ?? [])].at(-1);
          if (!log || !bubble?.textContent?.includes(last)) return false;
          const [view, box] = [log.getBoundingClientRect(), bubble.getBoundingClientRect()];
          return box.top >= view.top && box.bottom <= view.bottom;
        }
      }),
    [sessionId, text] as const,
  );
}
