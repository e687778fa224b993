import { beforeEach, expect, test, vi } from "vitest";

const FOUND = { session: { session_id: "user_1" } };
let asked: string[];
let answer: () => Promise<Response>;

beforeEach(() => {
  vi.resetModules();
  asked = [];
  answer = async () => Response.json({ session: null });
  for (const name of ["localStorage", "sessionStorage"]) vi.stubGlobal(name, emptyStorage());
  vi.stubGlobal("window", { requestIdleCallback: true });
  vi.stubGlobal("requestIdleCallback", (work: () => void) => work());
  vi.stubGlobal("fetch", (path: string) => {
    asked.push(path);
    return answer();
  });
});

test("asks once per tab and log-in whether the account has a conversation", async () => {
  expect(await look("first log-in")).toBe(false);
  expect(await look("first log-in")).toBe(false);
  expect(asked).toEqual(["/support/session"]);
  expect(await look("second log-in")).toBe(false);
  expect(asked).toHaveLength(2);
});

test("goes on in a conversation that the account has", async () => {
  answer = async () => Response.json(FOUND);
  expect(await look("log-in")).toBe(true);
  expect(Object.values({ ...localStorage })).toContain("user_1");
});

test("asks again after an answer that failed or never came", async () => {
  answer = async () => new Response(null, { status: 503 });
  await look("log-in");
  answer = () => Promise.reject(new TypeError("Failed to fetch"));
  await look("log-in");
  answer = async () => Response.json(FOUND);
  expect(await look("log-in")).toBe(true);
  expect(asked).toHaveLength(3);
});

/** Looks as a page that has just loaded, and returns whether it found a conversation. */
async function look(accountSession: string): Promise<boolean> {
  const { findConversation } = await import("./find-conversation.ts");
  let isFound = false;
  findConversation(accountSession, new AbortController().signal, () => {
    isFound = true;
  });
  // The answer and its JSON are there without waiting for anything outside.
  await new Promise((resolve) => setImmediate(resolve));
  vi.resetModules();
  return isFound;
}

function emptyStorage(): Storage {
  const storage = {};
  const methods = {
    getItem: (key: string) => Reflect.get(storage, key) ?? null,
    setItem: (key: string, value: string) => Reflect.set(storage, key, value),
    removeItem: (key: string) => Reflect.deleteProperty(storage, key),
  };
  for (const [name, value] of Object.entries(methods)) Object.defineProperty(storage, name, { value });
  return storage as Storage;
}
