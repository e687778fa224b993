import { waitAfter } from "./persist.ts";
import { canaryOf, type Site } from "./site.ts";

/** `location` is where a redirect leads, or null. */
export type Page = { status: number; html: string; location: string | null };

/** `mayFail`: the page says that something outside the product failed. `from`: another network address than their own. */
export type SubmitOptions = { signal?: AbortSignal; mayFail?: boolean; from?: string };

/** A person with a browser's cookies, who uses the product's own pages and forms. */
export type Person = {
  email: string;
  password: string;
  /** A word that is in everything private of theirs, and in no one else's. Staff may read everybody's. */
  canary: string;
  /** Their network address. */
  address: string;
  /** Sends a form as a browser does and returns the page. */
  submit(path: string, fields: Record<string, string>, options?: SubmitOptions): Promise<Page>;
  get(path: string): Promise<Response>;
  /** Sends a file as the body. */
  upload(path: string, content: Uint8Array, signal: AbortSignal): Promise<Response>;
  /** Sends JSON as a page's script does. */
  post(path: string, body: unknown, options?: SubmitOptions): Promise<Response>;
  /** Makes the clock of their device wrong by so many ms. */
  setClock(offset: number): void;
  /** Returns what their device says of the time. */
  clockHeaders(): Record<string, string>;
  /** The Cookie header. */
  cookie(): string;
};

const SIGN_UP_TRIES = 20;
/** Where a page leads that needs a log-in. */
const LOG_IN_FIRST = "/auth/login?redirectTo=";

let people = 0;

/** A browser with a network address of its own, that nobody is logged in with. */
export function visitor(site: Site, { isStaff = false, canary = canaryOf(`p${people}`) } = {}): Person {
  const cookies = new Map<string, string>();
  people++;
  const address = `198.51.${Math.floor(people / 250)}.${(people % 250) + 1}`;
  let clockOffset = 0;
  const clockHeaders = (): Record<string, string> => {
    if (clockOffset === 0) return {};
    const time = new Date(site.now() + clockOffset).toUTCString();
    return { Date: time, "If-Modified-Since": time };
  };
  const cookie = () => [...cookies].map(([key, value]) => `${key}=${value}`).join("; ");
  const send = async (
    path: string,
    init: RequestInit = {},
    { mayFail = false, from = address }: SubmitOptions = {},
  ) => {
    const headers = new Headers(init.headers);
    headers.set("Cookie", cookie());
    headers.set("CF-Connecting-IP", from);
    headers.set("Origin", site.url);
    for (const [name, value] of Object.entries(clockHeaders())) headers.set(name, value);
    const response = await site.fetch(path, { ...init, headers }, isStaff ? null : canary, mayFail);
    for (const text of response.headers.getSetCookie()) {
      const [, key = "", value = ""] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
      cookies.set(key, value);
    }
    return response;
  };
  /** Sends a request of a person, who logs in again where a page asks for it: a log-in lasts for days. */
  const sendLoggedIn = async (
    { email, password }: Person,
    path: string,
    init?: RequestInit,
    options?: SubmitOptions,
  ) => {
    const response = await send(path, init, options);
    if (email === "" || !response.headers.get("Location")?.startsWith(LOG_IN_FIRST)) return response;
    const logIn = await send(
      "/auth/login",
      { method: "POST", body: new URLSearchParams({ email, password }) },
      options,
    );
    if (logIn.status >= 500) return logIn;
    // The way to the log-in looks like a form that was saved.
    if (logIn.status !== 302) return new Response(null, { status: 401, headers: response.headers });
    site.count("logged in again");
    return send(path, init, options);
  };
  return {
    email: "",
    password: "",
    canary,
    address,
    cookie,
    clockHeaders,
    setClock(offset) {
      clockOffset = offset;
    },
    async submit(path, fields, options = {}) {
      const { signal } = options;
      const post = (to: string, body: Record<string, string>) =>
        sendLoggedIn(this, to, { method: "POST", body: new URLSearchParams(body), ...(signal && { signal }) }, options);
      let response = await post(path, fields);
      if (response.headers.get("Location")?.startsWith("/auth/verify")) {
        // The log-in is too long ago for this form.
        const proof = await post("/auth/verify", { intent: "password", password: this.password, redirectTo: "/" });
        // Without the proof, the form would be answered by the same question, which looks like a form that was saved.
        response = proof.status < 400 ? await post(path, fields) : proof;
      }
      return { status: response.status, html: await response.text(), location: response.headers.get("Location") };
    },
    get(path) {
      return sendLoggedIn(this, path);
    },
    upload: (path, content, signal) => send(path, { method: "POST", body: content as BodyInit, signal }),
    post(path, body, options) {
      const headers = { "Content-Type": "application/json" };
      return send(path, { method: "POST", headers, body: JSON.stringify(body) }, options);
    },
  };
}

/** Signs a person up, and tries again while the product cannot. */
export async function signUpPerson(
  site: Site,
  name: string,
  options: { isStaff?: boolean; canary?: string } = {},
): Promise<Person> {
  // Customers see the names of staff.
  const canary = options.isStaff ? "staff" : (options.canary ?? canaryOf(`p${people}`));
  const email = `${name}.${canary}@world.example`;
  const password = crypto.randomUUID();
  for (let tries = 1; ; tries++) {
    const person = visitor(site, { ...options, canary });
    const { status, html } = await person
      .submit("/auth/signup", { email, password, fullName: `${name} ${canary}` })
      .catch((error) => ({ status: 0, html: String(error) }));
    if (status === 302) return { ...person, email, password };
    if (tries === SIGN_UP_TRIES) throw new Error(`sign-up of ${email}: ${status} ${html.slice(0, 500)}`);
    await waitAfter(site, tries);
  }
}
