import { cookiesOf } from "#tests/response-cookies.ts";
import type { Demo } from "#tools/demo/seed.ts";
import type { CallerName, Credentials } from "../cases/fuzz-case.ts";
import type { FuzzedCopy } from "../product/fuzzed-copy.ts";

type Login = { email: string; password: string };
const PEOPLE = ["customer", "agent", "admin"] as const;
const KEYS = { key: "order", readKey: "read", testKey: "test" } as const;

/** The callers of a running copy, each with what it sends to say who it is. */
export type FuzzCallers = {
  credentials: Record<CallerName, Credentials>;
  /** Undoes what cases did to the callers' accounts and keys, and logs in those whose session has ended. */
  restore(): Promise<void>;
};

/** Thrown if a caller's account is gone: only a new copy has it again. */
export class CallerGone extends Error {
  override name = "CallerGone";
}

export async function openCallers(copy: FuzzedCopy): Promise<FuzzCallers> {
  const { url, demo } = copy;
  const credentials: Record<CallerName, Credentials> = {
    visitor: { cookie: await startChat(url, "Visitor", "Hello") },
    customer: {},
    agent: {},
    admin: {},
    key: {},
    readKey: {},
    testKey: {},
    token: {},
  };
  for (const name of PEOPLE) credentials[name] = { cookie: await logIn(url, demo[name]) };
  for (const [name, may] of Object.entries(KEYS)) {
    const bearer = await createKey(url, credentials.customer.cookie ?? "", `Fuzz ${may}`, may);
    credentials[name as CallerName] = { bearer };
  }
  credentials.token = { bearer: await getToken(url, demo.customer) };
  const undo = await rememberAccounts(copy, demo);
  const isLoggedIn = async ({ cookie = "" }: Credentials) =>
    (await fetch(`${url}/dashboard`, { headers: { Cookie: cookie }, redirect: "manual" })).status === 200;
  return {
    credentials,
    async restore() {
      await undo();
      for (const name of PEOPLE) {
        if (!(await isLoggedIn(credentials[name]))) credentials[name] = { cookie: await logIn(url, demo[name]) };
      }
      const headers = { Authorization: `Bearer ${credentials.token.bearer}` };
      const { status } = await fetch(`${url}/auth/v1/user`, { headers });
      if (status !== 200) credentials.token = { bearer: await getToken(url, demo.customer) };
    },
  };
}

/** Returns a function that gives the demo's people their email, password, role and keys back. */
async function rememberAccounts(copy: FuzzedCopy, demo: Demo): Promise<() => Promise<void>> {
  type Row = { id: string; email: string; hash: string; role: string };
  const emails = PEOPLE.map((name) => text(demo[name].email)).join();
  const rows = await copy.query<Row>(
    `select id, users.email as email, password_hash as hash, role from users join profiles on user_id = id where users.email in (${emails})`,
  );
  const keys = await copy.query<{ id: string }>("select id from api_keys where name like 'Fuzz %'");
  return async () => {
    for (const { id, email, hash, role } of rows) {
      await copy.query(
        `update users set email = ${text(email)}, password_hash = ${text(hash)}, suspended_at = null, email_confirmed_at = 1 where id = ${text(id)}`,
      );
      await copy.query(`update profiles set email = ${text(email)}, role = ${text(role)} where user_id = ${text(id)}`);
      for (const table of ["totp_secrets", "passkeys"]) {
        await copy.query(`delete from ${table} where user_id = ${text(id)}`);
      }
    }
    const ids = keys.map(({ id }) => text(id)).join();
    await copy.query(
      `update api_keys set revoked_at = null, replaced_at = null, replaced_by = null, expires_at = null, addresses = '[]', daily_cap = null where id in (${ids})`,
    );
    const left = await copy.query(`select id from users where email in (${emails})`);
    if (left.length < PEOPLE.length) throw new CallerGone("an account of the demo was deleted");
  };
}

function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

/** A random address, because sign-ins are limited per address. */
function headersOf(cookie = ""): Record<string, string> {
  const part = () => Math.floor(Math.random() * 256);
  return { Cookie: cookie, "CF-Connecting-IP": `198.18.${part()}.${part()}` };
}

export async function logIn(url: string, { email, password }: Login): Promise<string> {
  const body = new URLSearchParams({ email, password });
  const response = await fetch(`${url}/auth/login`, { method: "POST", headers: headersOf(), body, redirect: "manual" });
  if (response.status !== 302) throw new CallerGone(`${email} could not log in: ${response.status}`);
  return cookiesOf(response);
}

async function getToken(url: string, login: Login): Promise<string> {
  const response = await fetch(`${url}/auth/v1/token?grant_type=password`, {
    method: "POST",
    headers: { ...headersOf(), "Content-Type": "application/json" },
    body: JSON.stringify(login),
  });
  const { access_token } = (await response.json()) as { access_token?: string };
  if (!access_token) throw new CallerGone(`no token: ${response.status}`);
  return access_token;
}

export async function createKey(url: string, cookie: string, name: string, may: string): Promise<string> {
  const body = new URLSearchParams({ intent: "create-key", name, may });
  const response = await fetch(`${url}/dashboard/api`, { method: "POST", headers: headersOf(cookie), body });
  const key = /gl_(live|test)_\w+/.exec(await response.text())?.[0];
  if (!key) throw new Error(`no key: ${response.status}`);
  return key;
}

/** Starts a conversation with one message. Returns the visitor's cookie. */
export async function startChat(url: string, name: string, message: string): Promise<string> {
  const json = (body: object, cookie = "") => ({
    method: "POST",
    headers: { ...headersOf(cookie), "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const started = await fetch(`${url}/support/session`, json({ name }));
  const { session } = (await started.json()) as { session: { session_id: string } };
  const cookie = cookiesOf(started);
  const sent = await fetch(
    `${url}/support/sessions/${session.session_id}/messages`,
    json({ clientId: "c1", body: message }, cookie),
  );
  if (!sent.ok) throw new Error(`no message: ${sent.status}`);
  return cookie;
}
