import { type APIRequestContext, type APIResponse, request } from "@playwright/test";
import { FINAL_STATUSES } from "#app/orders/rules/order-status.ts";
import type { Samples } from "#tools/pages/page-list.ts";
import { type SandboxFault, sandboxLink } from "#tools/stand-ins/sandbox-faults.ts";
import type { Demo } from "./seed.ts";

/** The first order is held, so that its page shows every decision. */
const ORDER_FAULTS: (SandboxFault | null)[] = ["500", null, "still", "partial", "cancelled", "refuse"];
const FINAL_WITHIN_MS = 60_000;

/**
 * Fills a running copy so that none of its pages is empty: orders in every state, a mass order, a payment in review,
 * codes, a webhook, a refused email, files, replies and conversations. Uses only HTTP requests that people make. Returns the ids that the
 * paths of pages need.
 */
export async function fillDemo(demo: Demo): Promise<Samples> {
  const customer = await signIn(demo, demo.customer);
  const agent = await signIn(demo, demo.agent);
  const admin = await signIn(demo, demo.admin);

  const orders: unknown[] = [];
  for (const fault of ORDER_FAULTS) {
    const placed = await callApi(demo, {
      action: "add",
      service: "1",
      quantity: "1000",
      link: sandboxLink(fault, fault ?? "plain"),
    });
    if (placed.error) throw new Error(`order refused: ${placed.error}`);
    orders.push(placed.order);
  }
  const massOrder = await placeMassOrder(customer);
  const payment = await payInEuro(customer);
  const webhook = { intent: "create-webhook", url: "https://hooks.example.com/growline", wantsOrders: "on" };
  await post(customer, "/dashboard/api", webhook);
  await upload(customer, "november.csv", "service,link,quantity\n1,https://instagram.com/p/a,1000\n");
  await upload(customer, `${"a-name-that-goes-on-".repeat(8)}end.txt`, "Long.");
  await createCodes(admin);
  await createTier(admin);
  await post(agent, "/admin/replies", { intent: "save", shortcut: "refill", body: "A refill takes up to a day." });

  await sendRefusedEmail(demo);

  const answered = await converse(demo, agent, "Bo");
  await send(agent, `/admin/support/${answered.id}/actions`, { action: "status", status: "closed" });
  await send(answered.visitor, `/support/sessions/${answered.id}/rating`, { rating: "good" });
  const { id: conversation } = await converse(demo, agent, "Maximiliane ".repeat(8).trim());

  await waitForFinalStatuses(demo, orders.join());
  return {
    "/admin/support/:id :id": conversation,
    "/admin/customers/:id :id": await firstId(admin, "/admin/customers", `?q=${demo.customer.email}`),
    "/admin/services/changes/:id :id": await moveServices(admin),
    "/admin/audit/:id :id": await firstId(admin, "/admin/audit"),
    "/admin/exports/:list :list": "orders",
    "/admin/codes/:id :id": await firstId(admin, "/admin/codes"),
    "/admin/tiers/:id :id": await firstId(admin, "/admin/tiers"),
    "/admin/payments/:id :id": payment,
    "/dashboard/orders/mass/:id :id": massOrder,
    "/dashboard/transactions/:id :id": await firstId(customer, "/dashboard/transactions"),
  };
}

/** Fills a running copy with an example of what has a page of its own in the console, unless each list has one. */
export async function fillConsole(demo: Demo): Promise<void> {
  const admin = await signIn(demo, demo.admin);
  const isEmpty = async (list: string) => !(await (await ok(await admin.get(list))).text()).includes(`href="${list}/`);
  if (await isEmpty("/admin/codes")) await createCodes(admin);
  if (await isEmpty("/admin/tiers")) await createTier(admin);
  if (!(await (await ok(await admin.get("/admin/audit?what=services.change"))).text()).includes('href="/admin/audit/'))
    await moveServices(admin);
  await converse(demo, admin, "Bo");
}

async function createCodes(admin: APIRequestContext): Promise<void> {
  const codes = { name: "Autumn", amount: "5", count: "3", maxUses: "1", expires: "", once: crypto.randomUUID() };
  await post(admin, "/admin/codes", { intent: "save", ...codes });
}

async function createTier(admin: APIRequestContext): Promise<void> {
  const tier = { name: "Gold", kind: "percent", percent: "10", once: crypto.randomUUID() };
  await post(admin, "/admin/tiers", { intent: "save", ...tier });
}

/** Leaves an email that the email API refuses, and a suppressed address. */
async function sendRefusedEmail(demo: Demo): Promise<void> {
  const email = `refused.${"a-long-name-".repeat(4)}@demo.example`;
  const context = await newContext(demo);
  await post(context, "/auth/signup", { fullName: "Rae", email, password: crypto.randomUUID() });
  await post(context, "/reset-password", { email });
}

function newContext(demo: Demo): Promise<APIRequestContext> {
  return request.newContext({ baseURL: demo.url, extraHTTPHeaders: { Origin: demo.url } });
}

async function signIn(demo: Demo, { email, password }: { email: string; password: string }) {
  const context = await newContext(demo);
  await post(context, "/auth/login", { email, password });
  return context;
}

async function callApi(demo: Demo, fields: Record<string, string>): Promise<Record<string, unknown>> {
  const context = await newContext(demo);
  return (await post(context, "/api/v2", { key: demo.customer.apiKey, ...fields })).json();
}

async function waitForFinalStatuses(demo: Demo, orders: string): Promise<void> {
  for (const deadline = Date.now() + FINAL_WITHIN_MS; ; ) {
    const states = JSON.stringify(await callApi(demo, { action: "status", orders }));
    if (FINAL_STATUSES.every((status) => states.includes(status))) return;
    if (Date.now() > deadline) throw new Error(`the orders are still ${states}`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** Places a mass order and returns its id. */
async function placeMassOrder(customer: APIRequestContext): Promise<string> {
  const path = `/dashboard/orders/mass?draft=mass-${crypto.randomUUID()}`;
  const lines = "1 | https://instagram.com/one | 1000\n2 | https://instagram.com/two | 500";
  const checked = await (await post(customer, path, { intent: "check", lines })).text();
  const charge = /name="charge" value="([1-9]\d*)"/.exec(checked)?.[1] ?? "";
  const placed = await customer.post(path, {
    form: { intent: "place", which: "all", lines, charge },
    maxRedirects: 0,
  });
  if (!placed.headers().location) throw new Error(`mass order refused: ${placed.status()}`);
  return lastPartOf(placed.headers().location);
}

/** Moves two services that no order is for to another category, and returns the id of the change. */
async function moveServices(admin: APIRequestContext): Promise<string> {
  const path = "/admin/services/bulk?id=30&id=31&change=category&to=Moved";
  const preview = await (await admin.get(path)).text();
  const digest = /name="digest" value="([^"]+)"/.exec(preview)?.[1] ?? "";
  const moved = await admin.post(path, { form: { intent: "apply", digest }, maxRedirects: 0 });
  if (!moved.headers().location) throw new Error(`services not moved: ${moved.status()}`);
  return lastPartOf(moved.headers().location);
}

/** Pays in another currency, which puts the payment into review. Returns its id. */
async function payInEuro(customer: APIRequestContext): Promise<string> {
  const opened = await (await post(customer, "/dashboard/top-up", { intent: "card", amount: "25" })).text();
  const page = /http:[^"\\]+\/pay\/\w+/.exec(opened)?.[0] ?? "";
  const paid = await customer.post(`${page}/confirm-euro`, { maxRedirects: 0 });
  return new URL(paid.headers().location ?? "").searchParams.get("checkout") ?? "";
}

async function upload(customer: APIRequestContext, name: string, text: string): Promise<void> {
  const started = await send(customer, "/upload/parts", { name, size: text.length });
  const { id } = (await started.json()) as { id: string };
  await ok(await customer.put(`/upload/parts/${id}?part=1`, { data: Buffer.from(text) }));
  await ok(await customer.post(`/upload/parts/${id}`));
}

/** Starts a conversation in which the team replies, adds tags and leaves a note. */
async function converse(demo: Demo, team: APIRequestContext, name: string) {
  const visitor = await newContext(demo);
  const started = await send(visitor, "/support/session", { name });
  const { session } = (await started.json()) as { session: { session_id: string } };
  const id = session.session_id;
  const messages = `/support/sessions/${id}/messages`;
  await send(visitor, messages, { clientId: "q1", body: "Where is my order? It was placed this morning." });
  await send(team, messages, { clientId: "a1", body: "It is being delivered: 400 of 1,000 so far." });
  await send(visitor, messages, {
    clientId: "q2",
    body: `Thank you.\nhttps://example.com/${"a-long-way/".repeat(20)}`,
  });
  for (const tag of ["refill", "first order", "vip"]) {
    await send(team, `/admin/support/${id}/actions`, { action: "tag", tag, isOn: true });
  }
  await send(team, `/admin/support/${id}/actions`, {
    action: "note",
    clientId: "n1",
    body: "Asked for the second time.",
  });
  return { id, visitor };
}

/** Returns the id of the first entry of a list. */
async function firstId(who: APIRequestContext, list: string, search = ""): Promise<string> {
  const html = await (await ok(await who.get(list + search))).text();
  const id = new RegExp(`href="${list}/([^"/?#]+)"`).exec(html)?.[1];
  if (id === undefined) throw new Error(`${list}${search} is empty`);
  return id;
}

async function post(who: APIRequestContext, path: string, form: Record<string, string>): Promise<APIResponse> {
  return ok(await who.post(path, { form }));
}

async function send(who: APIRequestContext, path: string, json: object): Promise<APIResponse> {
  return ok(await who.post(path, { data: json }));
}

async function ok(response: APIResponse): Promise<APIResponse> {
  if (!response.ok()) throw new Error(`${response.url()} returned ${response.status()}: ${await response.text()}`);
  return response;
}

function lastPartOf(address = ""): string {
  return address.split("?")[0]?.split("/").at(-1) ?? "";
}
