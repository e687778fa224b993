import { startLocalCopy } from "#tests/product/local-copy.ts";
import { median, reportFigures } from "./figures.ts";

/**
 * `npm run bench -- mail`: counts the upstream requests of a first sync of 100 messages and of a second sync with nothing
 * new, and compares the time of the first with reading the messages one by one. Starts a private copy.
 * The stand-in responds after LATENCY_MS, as a remote server would; `--latency 0` turns the delay off.
 */

const ROUNDS = 5;
const MESSAGES = 100;
const MAX_REQUESTS = 6;
const MAX_RATIO = 0.25;
const at = process.argv.indexOf("--latency");
const LATENCY_MS = at > 0 ? Number(process.argv[at + 1]) : 40;

const ZERO_USER_ID = "00000000-0000-0000-0000-000000000000";
const GMAIL_SCOPE = "https://www.googleapis.com/auth/gmail.readonly";

const copy = await startLocalCopy();
try {
  const { google } = copy.demo;
  await fetch(`${google.url}/emulator/latency?ms=${LATENCY_MS}`, { method: "POST" });
  const first: number[] = [];
  const oneByOne: number[] = [];
  let firstRequests = 0;
  let againRequests = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const cookie = await connect();
    const before = await requests();
    const started = performance.now();
    await sync(cookie, `${MESSAGES} messages synced`);
    first.push(performance.now() - started);
    const between = await requests();
    await sync(cookie, "Nothing new since the last sync");
    firstRequests = Math.max(firstRequests, between - before);
    againRequests = Math.max(againRequests, (await requests()) - between);
    oneByOne.push(await readOneByOne(await ownToken()));
  }
  reportFigures([
    { name: `requests of a first sync of ${MESSAGES}`, value: firstRequests, unit: "", goal: { atMost: MAX_REQUESTS } },
    { name: "requests of a sync without news", value: againRequests, unit: "", goal: { atLeast: 1, atMost: 1 } },
    {
      name: `first sync of ${MESSAGES}, to reading one by one`,
      value: median(first),
      unit: "ms",
      baseline: median(oneByOne),
      goal: { atMost: MAX_RATIO },
    },
  ]);

  /** Connects a new visitor through Google's pages and returns the visitor's cookies. */
  async function connect(): Promise<string> {
    const started = await post("gmail-oauth-auth", "", { action: "get-auth-url" });
    const { authUrl } = (await started.json()) as { authUrl: string };
    const cookie = started.headers
      .getSetCookie()
      .map((header) => header.split(";")[0])
      .join("; ");
    const callback = await consent(new URL(authUrl).searchParams);
    await (await fetch(callback, { headers: { Cookie: cookie } })).text();
    return cookie;
  }

  async function sync(cookie: string, message: string): Promise<void> {
    const response = await post("gmail-sync", cookie, {
      userId: ZERO_USER_ID,
      syncType: "initial",
      maxMessages: MESSAGES,
    });
    const body = (await response.json()) as { message?: string };
    if (body.message !== message) throw new Error(JSON.stringify(body));
  }

  function post(name: string, cookie: string, body: object): Promise<Response> {
    return fetch(`${copy.url}/functions/${name}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Cookie: cookie },
      body: JSON.stringify(body),
    });
  }

  /** Presses "Continue" at Google and returns the URL that Google redirects to. */
  async function consent(params: URLSearchParams): Promise<string> {
    const form = new URLSearchParams({ ...Object.fromEntries(params), email: "demo@gmail.example" });
    form.set("granted", GMAIL_SCOPE);
    form.set("decision", "allow");
    const response = await fetch(`${google.url}/o/oauth2/v2/auth/consent`, {
      method: "POST",
      body: form,
      redirect: "manual",
    });
    return response.headers.get("Location") ?? "";
  }

  async function ownToken(): Promise<string> {
    const client = { client_id: google.clientId, redirect_uri: `${copy.url}/gmail-sync/callback` };
    const code = new URL(await consent(new URLSearchParams(client))).searchParams.get("code") ?? "";
    const form = { ...client, grant_type: "authorization_code", code, client_secret: google.clientSecret };
    const response = await fetch(`${google.url}/oauth2/token`, { method: "POST", body: new URLSearchParams(form) });
    return ((await response.json()) as { access_token: string }).access_token;
  }

  async function readOneByOne(token: string): Promise<number> {
    const headers = { Authorization: `Bearer ${token}` };
    const messages = `${google.url}/gmail/v1/users/me/messages`;
    const started = performance.now();
    const list = (await (await fetch(`${messages}?maxResults=${MESSAGES}`, { headers })).json()) as {
      messages: { id: string }[];
    };
    for (const { id } of list.messages) await (await fetch(`${messages}/${id}?format=metadata`, { headers })).json();
    if (list.messages.length !== MESSAGES) throw new Error("the mailbox is too small");
    return performance.now() - started;
  }

  async function requests(): Promise<number> {
    return ((await (await fetch(`${google.url}/emulator/requests`)).json()) as { requests: number }).requests;
  }
} finally {
  await copy.remove();
}
