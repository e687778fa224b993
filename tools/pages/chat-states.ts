import { type APIRequestContext, expect, type Page, request } from "@playwright/test";
import type { Demo } from "#tools/demo/seed.ts";

/** States of the chat and of its console which no URL shows, each reached by what people do or by a fault. */

export type ChatState = {
  name: string;
  /** The whole page matters, not only the corner with the panel. */
  isPage?: boolean;
  who: "visitor" | "customer" | "agent" | "admin";
  reach: (page: Page, team: Team) => Promise<unknown>;
};

/** What the team does beside the browser that is pictured. */
export type Team = {
  demo: Demo;
  agent: APIRequestContext;
  admin: APIRequestContext;
  openConsole: (path: string, who?: "agent" | "customer") => Promise<Page>;
};

const LONG_WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft".repeat(3);
const LONG_TEXT =
  "My order of this morning still says Pending, and the followers I ordered last week are gone. ".repeat(12);
const LONG_NAME = "Maximiliane Hildegard von und zu Hohenstein-Wittgenstein ".repeat(3).slice(0, 100).trim();
const MANY = 60;
const QUESTIONS = ["Hello", "Where is my order? It was placed this morning.", "https://instagram.com/p/abc"];

const VISITOR_STATES: ChatState[] = [
  { name: "01-launcher", isPage: true, who: "visitor", reach: async (page) => page.goto("/") },
  {
    name: "02-loading",
    who: "visitor",
    reach: async (page) => {
      await page.route("**/support/session", () => {});
      await open(page);
    },
  },
  {
    name: "03-cannot-load",
    who: "visitor",
    reach: async (page) => {
      await page.route("**/support/session", (route) => route.fulfill({ status: 500, body: "" }));
      await open(page);
      await page.getByText("We couldn't reach the chat").waitFor();
    },
  },
  { name: "04-start", who: "visitor", reach: open },
  {
    name: "05-start-name-missing",
    who: "visitor",
    reach: async (page) => {
      await open(page);
      await page.getByRole("button", { name: "Start Chat" }).click();
    },
  },
  {
    name: "06-start-wrong-email",
    who: "visitor",
    reach: async (page) => {
      await open(page);
      await page.getByLabel("Your name").fill("Ola");
      await page.getByLabel("Your email").fill("ola@");
      await page.getByRole("button", { name: "Start Chat" }).click();
    },
  },
  {
    name: "07-starting",
    who: "visitor",
    reach: async (page) => {
      await open(page);
      await page.getByLabel("Your name").fill("Ola");
      await page.route("**/support/session", () => {});
      await page.getByRole("button", { name: "Start Chat" }).click();
    },
  },
  {
    name: "08-start-failed",
    who: "visitor",
    reach: async (page) => {
      await open(page);
      await page.getByLabel("Your name").fill("Ola");
      await page.route("**/support/session", (route) => route.abort("connectionfailed"));
      await page.getByRole("button", { name: "Start Chat" }).click();
      await page
        .getByText(/Failed to start|couldn't/)
        .first()
        .waitFor();
    },
  },
  { name: "09-started", who: "visitor", reach: (page) => start(page) },
  {
    name: "10-sent",
    who: "visitor",
    reach: async (page) => {
      await start(page);
      await say(page, "Where is my order? It was placed this morning.");
      await page.getByText("Sent").waitFor();
    },
  },
  {
    name: "11-answered",
    who: "visitor",
    reach: async (page, team) => {
      await talk(page, team);
      await page.getByText("400 of 1,000").waitFor();
    },
  },
  {
    name: "12-agent-is-here",
    who: "visitor",
    reach: async (page, team) => {
      const id = await talk(page, team);
      const agent = await team.openConsole(`/admin/support/${id}`);
      await agent.getByText("online").first().waitFor();
      await agent.keyboard.press("r");
      await agent.keyboard.type("One moment");
      await page.getByText("is typing…").first().waitFor();
    },
  },
  {
    name: "13-long-texts",
    who: "visitor",
    reach: async (page, team) => {
      const id = await start(page, LONG_NAME);
      await say(page, LONG_TEXT);
      await answer(team, id, `${LONG_WORD}\n\nhttps://example.com/${"a-long-way/".repeat(12)}`);
      await page.getByText("Donaudampf").waitFor();
    },
  },
  {
    name: "14-many-messages",
    who: "visitor",
    reach: async (page, team) => {
      const id = await start(page);
      for (let nr = 1; nr <= MANY; nr += 1) await answer(team, id, `Answer ${nr}: it is being looked at.`);
      await page.getByText(`Answer ${MANY}:`).waitFor();
    },
  },
  {
    name: "15-new-below",
    who: "visitor",
    reach: async (page, team) => {
      const id = await start(page);
      for (let nr = 1; nr <= MANY / 2; nr += 1) await answer(team, id, `Answer ${nr}: it is being looked at.`);
      await page.getByText(`Answer ${MANY / 2}:`).waitFor();
      // The list scrolls to its end a moment after a message.
      await page.waitForTimeout(200);
      await page.getByRole("log").evaluate((log) => {
        log.scrollTop = 100;
      });
      await answer(team, id, "One more.");
      await page.getByRole("button", { name: "New messages" }).waitFor();
    },
  },
  {
    name: "16-draft-of-many-lines",
    who: "visitor",
    reach: async (page) => {
      await start(page);
      await page.getByPlaceholder("Type your message...").fill("One\nTwo\nThree\nFour\nFive\nSix\nSeven\nEight");
    },
  },
  {
    name: "17-too-long",
    who: "visitor",
    reach: async (page) => {
      await start(page);
      await page.getByPlaceholder("Type your message...").fill("word ".repeat(1000));
    },
  },
  {
    name: "18-connecting",
    who: "visitor",
    reach: async (page) => {
      await page.routeWebSocket(/\/support\/sessions\//, (socket) => socket.close());
      await page.route("**/support/sessions/**", (route) => route.abort("connectionfailed"));
      await open(page);
      await page.getByLabel("Your name").fill("Ola");
      await page.getByRole("button", { name: "Start Chat" }).click();
      await page.getByPlaceholder("Type your message...").waitFor();
      await say(page, "Is anybody here?");
    },
  },
  {
    name: "19-not-sent",
    who: "visitor",
    reach: async (page) => {
      await start(page);
      // The server looks at the content.
      await pickFile(page, { name: "fake.png", mimeType: "image/png", buffer: Buffer.from("<html>") });
      await page.getByText("Not sent").waitFor();
    },
  },
  {
    name: "20-uploading",
    who: "visitor",
    reach: async (page) => {
      await start(page);
      await page.route("**/support/sessions/*/files?*", () => {});
      await pickFile(page, {
        name: "screenshot of my profile.png",
        mimeType: "image/png",
        buffer: await page.screenshot(),
      });
      await page.getByText("Sending").waitFor();
    },
  },
  {
    name: "21-files",
    who: "visitor",
    reach: async (page, team) => {
      const id = await start(page);
      await pickFile(page, { name: "screenshot.png", mimeType: "image/png", buffer: await page.screenshot() });
      await page.getByRole("img", { name: "screenshot.png" }).waitFor();
      await pickFile(page, {
        name: `${"receipt-".repeat(12)}.pdf`,
        mimeType: "application/pdf",
        buffer: Buffer.from("%PDF-1.4\n"),
      });
      await page.getByRole("link", { name: /receipt/ }).waitFor();
      await answer(team, id, "Thank you, I see it.");
      await page.getByText("I see it").waitFor();
    },
  },
  {
    name: "22-closed",
    who: "visitor",
    reach: async (page, team) => {
      const id = await talk(page, team);
      await act(team, id, { action: "status", status: "closed" });
      await page.getByText("How did we do?").waitFor();
    },
  },
  {
    name: "23-rated",
    who: "visitor",
    reach: async (page, team) => {
      const id = await talk(page, team);
      await act(team, id, { action: "status", status: "closed" });
      await page.getByRole("button", { name: "Good", exact: true }).click();
      await page.getByText("Thanks for your rating").waitFor();
    },
  },
  {
    name: "24-closed-with-email",
    who: "visitor",
    reach: async (page, team) => {
      const id = await start(page, "Ola", `${"ola.with.a.long.address".repeat(2)}@example.com`);
      await say(page, "Hello");
      await page.getByText("Sent").waitFor();
      await act(team, id, { action: "status", status: "closed" });
      await page.getByText("Email transcript").waitFor();
    },
  },
  {
    name: "25-blocked",
    who: "visitor",
    reach: async (page, team) => {
      const id = await talk(page, team);
      await act(team, id, { action: "block", blocked: true });
      await page.getByText("You can't send messages").waitFor();
    },
  },
  {
    name: "26-minimized",
    who: "visitor",
    reach: async (page) => {
      await start(page);
      await page.getByRole("button", { name: "Minimize chat" }).click();
    },
  },
  {
    name: "27-minimized-new",
    who: "visitor",
    reach: async (page, team) => {
      const id = await start(page);
      await page.getByRole("button", { name: "Minimize chat" }).click();
      for (const nr of [1, 2, 3]) await answer(team, id, `Answer ${nr}`);
      await page.getByText("3 new").waitFor();
    },
  },
  {
    name: "28-closed-panel-new",
    who: "visitor",
    reach: async (page, team) => {
      const id = await start(page);
      await page.getByRole("button", { name: "Close chat" }).click();
      for (const nr of [1, 2, 3]) await answer(team, id, `Answer ${nr}`);
      await page.getByRole("button", { name: "Open support chat, 3 new" }).waitFor();
    },
  },
  {
    name: "29-storage-blocked",
    who: "visitor",
    reach: async (page) => {
      await page.addInitScript(() => {
        for (const kind of ["localStorage", "sessionStorage"]) {
          Object.defineProperty(window, kind, {
            get() {
              throw new DOMException("The operation is insecure.", "SecurityError");
            },
          });
        }
      });
      await start(page);
    },
  },
  {
    name: "30-offline",
    isPage: true,
    who: "visitor",
    reach: async (page) => {
      await start(page);
      await page.getByRole("button", { name: "Close chat" }).click();
      await page.evaluate(() => window.dispatchEvent(new Event("offline")));
      await page.getByRole("button", { name: "Try Again" }).waitFor();
    },
  },
  {
    name: "31-keyboard",
    who: "visitor",
    reach: async (page, team) => {
      await talk(page, team);
      const { width, height } = page.viewportSize() ?? { width: 390, height: 800 };
      if (width < 640) await page.setViewportSize({ width, height: height - 330 });
      await page.getByPlaceholder("Type your message...").focus();
    },
  },
  {
    name: "32-customer",
    who: "customer",
    reach: async (page) => {
      await page.goto("/dashboard");
      await page.getByRole("button", { name: /Open support chat/ }).click();
    },
  },
  {
    name: "62-start-with-message",
    who: "visitor",
    reach: async (page) => {
      await open(page);
      await page.getByLabel("Your name").fill("Ola");
      await page.getByLabel("Your message").fill(LONG_TEXT);
    },
  },
  {
    name: "63-email-for-the-answer",
    who: "visitor",
    reach: async (page) => {
      await start(page);
      await say(page, "Hello?");
      await page.getByRole("button", { name: "Get the answer by email" }).click();
      await page.getByLabel("Your email for the answer").fill("ola@");
      await page.getByRole("button", { name: "Save" }).click();
    },
  },
];

const CONSOLE_STATES: ChatState[] = [
  {
    name: "33-list",
    who: "agent",
    reach: async (page, team) => {
      for (const name of ["Ada", "Bo", LONG_NAME]) await visitor(team, name, QUESTIONS);
      await page.goto("/admin");
      await isLive(page);
    },
  },
  { name: "34-empty-list", who: "agent", reach: (page) => page.goto("/admin?view=snoozed") },
  { name: "35-search", who: "agent", reach: (page) => page.goto("/admin?q=order") },
  { name: "36-search-nothing", who: "agent", reach: (page) => page.goto("/admin?q=zebra") },
  {
    name: "37-thread",
    who: "agent",
    reach: async (page, team) => page.goto(`/admin/support/${await visitor(team, "Ola Nordmann", QUESTIONS)}`),
  },
  {
    name: "38-details",
    who: "agent",
    reach: async (page, team) => {
      await page.goto(`/admin/support/${await visitor(team, LONG_NAME, QUESTIONS)}`);
      await isLive(page);
      const details = page.getByRole("button", { name: "Details" });
      if (await details.isVisible()) await details.click();
    },
  },
  {
    name: "39-thread-long",
    who: "agent",
    reach: async (page, team) => {
      const id = await visitor(team, LONG_NAME, [LONG_TEXT, LONG_WORD]);
      for (let nr = 1; nr <= MANY; nr += 1) await answer(team, id, `Answer ${nr}: it is being looked at.`);
      await page.goto(`/admin/support/${id}`);
      await isLive(page);
    },
  },
  {
    name: "40-note",
    who: "agent",
    reach: async (page, team) => {
      const id = await visitor(team, "Ola", QUESTIONS);
      await act(team, id, { action: "note", clientId: "n1", body: "Asked for the second time. Look at the refill." });
      await page.goto(`/admin/support/${id}`);
      await isLive(page);
      await page.keyboard.press("n");
      await page.keyboard.type("Refill is on its way");
    },
  },
  {
    name: "41-saved-replies",
    who: "agent",
    reach: async (page, team) => {
      await page.goto(`/admin/support/${await visitor(team, "Ola", QUESTIONS)}`);
      await isLive(page);
      await page.keyboard.press("r");
      await page.keyboard.type("/");
    },
  },
  {
    name: "42-palette",
    who: "agent",
    reach: async (page, team) => {
      await page.goto(`/admin/support/${await visitor(team, "Ola", QUESTIONS)}`);
      await isLive(page);
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog").waitFor();
      await page.keyboard.type("o");
    },
  },
  {
    name: "43-shortcuts",
    who: "agent",
    reach: async (page) => {
      await page.goto("/admin");
      await isLive(page);
      await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
    },
  },
  {
    name: "44-notifications",
    who: "agent",
    reach: async (page) => {
      await page.goto("/admin");
      await isLive(page);
      await page.getByRole("button", { name: /^Notifications/ }).click();
    },
  },
  {
    name: "45-closed",
    who: "agent",
    reach: async (page, team) => {
      const id = await visitor(team, "Ola", QUESTIONS);
      await act(team, id, { action: "status", status: "closed" });
      await page.goto(`/admin/support/${id}`);
      await isLive(page);
    },
  },
  {
    name: "46-blocked",
    who: "agent",
    reach: async (page, team) => {
      const id = await visitor(team, "Ola", QUESTIONS);
      await act(team, id, { action: "block", blocked: true });
      await page.goto(`/admin/support/${id}`);
      await isLive(page);
    },
  },
  {
    name: "47-snoozed",
    who: "agent",
    reach: async (page, team) => {
      const id = await visitor(team, "Ola", QUESTIONS);
      await act(team, id, { action: "snooze", until: Date.now() + 3_600_000 });
      await page.goto(`/admin/support/${id}`);
      await isLive(page);
      const details = page.getByRole("button", { name: "Details" });
      if (await details.isVisible()) await details.click();
    },
  },
  {
    name: "48-connecting",
    who: "agent",
    reach: async (page, team) => {
      const id = await visitor(team, "Ola", QUESTIONS);
      await page.routeWebSocket(/./, (socket) => socket.close());
      await page.goto(`/admin/support/${id}`);
      await page
        .getByText(/^connecting…/i)
        .filter({ visible: true })
        .first()
        .waitFor();
    },
  },
  {
    name: "49-file-refused",
    who: "agent",
    reach: async (page, team) => {
      await page.goto(`/admin/support/${await visitor(team, "Ola", QUESTIONS)}`);
      await isLive(page);
      await pickFile(page, { name: "virus.exe", mimeType: "application/x-msdownload", buffer: Buffer.from("MZ") });
      await page.getByText("You can only send images and PDFs.").waitFor();
    },
  },
  { name: "50-unknown-conversation", who: "agent", reach: (page) => page.goto("/admin/support/support_1_nobody") },
  {
    name: "51-many-tags",
    who: "agent",
    reach: async (page, team) => {
      const id = await visitor(team, "Ola", QUESTIONS);
      for (let nr = 1; nr <= 16; nr += 1)
        await act(team, id, { action: "tag", tag: `a rather long tag ${nr}`, isOn: true });
      await page.goto(`/admin/support/${id}`);
      await isLive(page);
      const details = page.getByRole("button", { name: "Details" });
      if (await details.isVisible()) await details.click();
    },
  },
  { name: "52-reports", who: "admin", reach: (page) => page.goto("/admin/reports/support") },
  { name: "53-settings", who: "admin", reach: (page) => page.goto("/admin/settings") },
  { name: "54-replies", who: "admin", reach: (page) => page.goto("/admin/replies") },
  {
    name: "55-customer-details",
    who: "agent",
    reach: async (page, team) => {
      const id = await customerHere(team);
      await page.goto(`/admin/support/${id}`);
      await isLive(page);
      const details = page.getByRole("button", { name: "Details" });
      if (await details.isVisible()) await details.click();
      await page.getByRole("button", { name: "Block visitor" }).scrollIntoViewIfNeeded();
    },
  },
  {
    name: "56-earlier-failed",
    who: "agent",
    reach: async (page, team) => {
      const id = await visitor(team, "Ola", QUESTIONS);
      for (let nr = 1; nr <= MANY; nr += 1) await answer(team, id, `Answer ${nr}: it is being looked at.`);
      await page.route(/before=/, (route) => route.abort("connectionfailed"));
      await page.goto(`/admin/support/${id}`);
      await page.getByRole("log").getByText(`Answer ${MANY}:`).waitFor();
      await page.getByRole("log").evaluate((log) => {
        log.scrollTop = 0;
      });
      await page.getByText("Couldn't load earlier messages.").waitFor();
    },
  },
  {
    name: "57-woken",
    who: "agent",
    reach: async (page, team) => {
      const id = await visitor(team, LONG_NAME, QUESTIONS);
      await act(team, id, { action: "snooze", until: Date.now() + 500 });
      await page.goto("/admin");
      await page.getByText("Woken").first().waitFor();
    },
  },
  {
    name: "58-mention",
    who: "agent",
    reach: async (page, team) => {
      await page.goto(`/admin/support/${await visitor(team, "Ola", QUESTIONS)}`);
      await isLive(page);
      await page.keyboard.press("n");
      await page.keyboard.type("Can you look at this, @", { delay: 30 });
      await page.getByRole("listbox").waitFor();
    },
  },
  {
    name: "59-mentions",
    who: "agent",
    reach: async (page) => {
      await page.goto("/admin");
      await isLive(page);
      await page.keyboard.press("m");
      await page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "60-saved-reply-that-does-more",
    who: "agent",
    reach: async (page, team) => {
      const reply = { shortcut: "done", body: "All delivered, {name}. Anything else?", tags: "delivered, happy" };
      // It exists from the first picture on.
      await team.admin.post("/admin/replies", {
        form: { intent: "save", ...reply, assignTo: "", note: "Checked by hand.", next: "close" },
      });
      await page.goto(`/admin/support/${await visitor(team, "Ola", QUESTIONS)}`);
      await isLive(page);
      await page.keyboard.press("r");
      await page.keyboard.type("/done", { delay: 30 });
      await page.getByRole("listbox").waitFor();
      await page.keyboard.press("Enter");
    },
  },
  {
    name: "61-reply-due",
    who: "agent",
    reach: async (page, team) => {
      const settings = { timeZone: "UTC", awayMessage: "", responseMinutes: "30" };
      await ok(team.admin.post("/admin/settings", { form: settings }));
      for (const name of ["Ada", LONG_NAME]) await visitor(team, name, QUESTIONS);
      await page.goto("/admin");
      await isLive(page);
      await page.getByText("Reply due").first().waitFor();
    },
  },
];

export const STATES: ChatState[] = [...VISITOR_STATES, ...CONSOLE_STATES];

async function open(page: Page): Promise<void> {
  await page.goto("/");
  await page.getByRole("button", { name: /Open support chat/ }).click();
}

/** Starts a conversation and returns its id. */
async function start(page: Page, name = "Ola", email = ""): Promise<string> {
  await open(page);
  await page.getByLabel("Your name").fill(name);
  await page.getByLabel("Your email").fill(email);
  const started = page.waitForResponse(
    (response) => response.request().method() === "POST" && response.url().endsWith("/support/session"),
  );
  await page.getByRole("button", { name: "Start Chat" }).click();
  await page.getByPlaceholder("Type your message...").waitFor();
  const { session } = (await (await started).json()) as { session: { session_id: string } };
  return session.session_id;
}

/** Has the demo customer write from several pages, with a visitor's conversation under the same address. */
async function customerHere(team: Team): Promise<string> {
  const { email } = team.demo.customer;
  await visitor(team, LONG_NAME, QUESTIONS, email);
  const page = await team.openConsole("/", "customer");
  const headers = { Origin: team.demo.url };
  const started = await ok(page.request.post("/support/session", { data: { name: "Demo Customer" }, headers }));
  const { session } = (await started.json()) as { session: { session_id: string } };
  const { session_id: id } = session;
  const ask = (body: string) =>
    ok(
      page.request.post(`/support/sessions/${id}/messages`, { data: { clientId: crypto.randomUUID(), body }, headers }),
    );
  await ask("Where is my order?");
  await act(team, id, { action: "status", status: "closed" });
  await ask("It came, but not all of it.");
  await page.evaluate((known) => localStorage.setItem("support_session_id", known), id);
  for (const path of ["/dashboard", "/dashboard/orders", "/dashboard/top-up", "/api/docs"]) {
    const reported = new Promise<void>((resolve) => {
      page.on("websocket", (socket) =>
        socket.on("framesent", ({ payload }) => String(payload).includes(`"path":"${path}"`) && resolve()),
      );
    });
    await page.goto(path);
    await reported;
  }
  return id;
}

async function talk(page: Page, team: Team): Promise<string> {
  const id = await start(page);
  await say(page, "Where is my order? It was placed this morning.");
  await page.getByText("Sent").waitFor();
  await answer(team, id, "It is being delivered: 400 of 1,000 so far.");
  await page.getByText("400 of 1,000").waitFor();
  return id;
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByPlaceholder("Type your message...").fill(text);
  await page.keyboard.press("Enter");
}

function pickFile(page: Page, file: { name: string; mimeType: string; buffer: Buffer }): Promise<void> {
  return page.getByLabel("File to send").setInputFiles(file);
}

async function answer({ agent }: Team, id: string, body: string): Promise<void> {
  await ok(agent.post(`/support/sessions/${id}/messages`, { data: { clientId: crypto.randomUUID(), body } }));
}

async function act({ agent }: Team, id: string, action: object): Promise<void> {
  await ok(agent.post(`/admin/support/${id}/actions`, { data: action }));
}

/** Has a visitor write, and returns the conversation's id. */
async function visitor({ demo }: Team, name: string, texts: string[], email = ""): Promise<string> {
  const context = await request.newContext({ baseURL: demo.url, extraHTTPHeaders: { Origin: demo.url } });
  const started = await ok(context.post("/support/session", { data: { name, email } }));
  const { session } = (await started.json()) as { session: { session_id: string } };
  for (const body of texts) {
    await ok(
      context.post(`/support/sessions/${session.session_id}/messages`, {
        data: { clientId: crypto.randomUUID(), body },
      }),
    );
  }
  return session.session_id;
}

async function ok(sent: ReturnType<APIRequestContext["post"]>) {
  const response = await sent;
  if (!response.ok()) throw new Error(`${response.url()} returned ${response.status()}: ${await response.text()}`);
  return response;
}

function isLive(page: Page): Promise<void> {
  return expect(page.getByText("Live", { exact: true })).toBeAttached();
}
