import { randomBytes } from "node:crypto";
import type { Canaries } from "../oracles/judge-response.ts";
import type { FuzzedCopy } from "../product/fuzzed-copy.ts";
import { createKey, logIn, startChat } from "./fuzz-callers.ts";

/**
 * Creates an account whose email, name, key, webhook, order, file and chat hold words that no other caller may see.
 * Returns those words.
 */
export async function plantCanaries(copy: FuzzedCopy): Promise<Canaries> {
  const { url } = copy;
  const word = `canary${randomBytes(6).toString("hex")}`;
  const login = { email: `${word}@mail.example`, password: randomBytes(9).toString("base64url") };
  const post = (path: string, form: Record<string, string>, cookie: string) =>
    fetch(`${url}${path}`, {
      method: "POST",
      headers: { Cookie: cookie },
      body: new URLSearchParams(form),
      redirect: "manual",
    });
  await post("/auth/signup", { fullName: `Name ${word}`, ...login }, "");
  await copy.query(`update users set email_confirmed_at = 1 where email = '${login.email}'`);
  const cookie = await logIn(url, login);
  const key = await createKey(url, cookie, `Key ${word}`, "order");
  const testKey = await createKey(url, cookie, `Test ${word}`, "test");
  const webhook = { intent: "create-webhook", url: `https://hooks.example.com/${word}`, wantsOrders: "on" };
  await post("/dashboard/api", webhook, cookie);
  const ordered = await post(
    "/api/v2",
    { action: "add", service: "1", quantity: "1000", link: `https://instagram.com/p/${word}`, key: testKey },
    "",
  );
  if (!(await ordered.text()).includes("order")) throw new Error("the canary's order was refused");
  await startChat(url, `Visitor ${word}`, `A message about ${word}`);
  const [row] = await copy.query<{ hash: string }>(
    `select password_hash as hash from users where email = '${login.email}'`,
  );
  return { texts: [word], secrets: [key, testKey, login.password, row?.hash ?? key] };
}
