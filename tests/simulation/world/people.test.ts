import { expect, test } from "vitest";
import { signUpPerson } from "./people.ts";
import type { Site } from "./site.ts";

/** A site that asks for a proof before it saves, and answers the proof with `proofStatus`. */
function askingSite(proofStatus: number) {
  const called: string[] = [];
  let isProven = false;
  const redirect = (to: string) => new Response(null, { status: 302, headers: { Location: to } });
  const fetch = async (path: string) => {
    called.push(path);
    if (path === "/auth/verify") {
      isProven = proofStatus < 400;
      return isProven ? redirect("/") : new Response("", { status: proofStatus });
    }
    if (path !== "/admin/services/1") return redirect("/dashboard");
    return redirect(isProven ? path : "/auth/verify?redirectTo=%2Fadmin%2Fservices%2F1");
  };
  const site = { fetch, count: () => {}, query: async () => [{ id: "staff" }] };
  return { site: site as unknown as Site, called };
}

test.each([
  [302, { status: 302, location: "/admin/services/1" }, 2],
  [503, { status: 503 }, 1],
  [429, { status: 429 }, 1],
])("takes a form for saved only if its proof was, which was answered with %i", async (proof, answer, times) => {
  const { site, called } = askingSite(proof);
  const person = await signUpPerson(site, "Ada", { isStaff: true });
  expect(await person.submit("/admin/services/1", { rate: "2" })).toMatchObject(answer);
  expect(called.filter((path) => path === "/admin/services/1")).toHaveLength(times);
});

/** A site whose session has ended, and that answers the log-in after the one of the sign-up with `logInStatus`. */
function loggedOutSite(logInStatus: number) {
  const called: string[] = [];
  let isLoggedIn = false;
  const redirect = (to: string) => new Response(null, { status: 302, headers: { Location: to } });
  const fetch = async (path: string) => {
    called.push(path);
    if (path === "/auth/signup") return redirect("/dashboard");
    if (path === "/auth/login") {
      isLoggedIn = logInStatus === 302;
      return isLoggedIn ? redirect("/dashboard") : new Response("", { status: logInStatus });
    }
    return isLoggedIn ? redirect(path) : redirect("/auth/login?redirectTo=%2Fadmin%2Fservices%2F1");
  };
  return { site: { fetch, count: () => {} } as unknown as Site, called };
}

test.each([
  ["saved after it", 302, { status: 302, location: "/admin/services/1" }, 2],
  ["not saved if it is refused", 200, { status: 401 }, 1],
  ["not saved if it is refused", 429, { status: 401 }, 1],
  ["not saved if it fails", 503, { status: 503 }, 1],
])("takes a form that needs a log-in for %s, answered with %i", async (_, logIn, answer, times) => {
  const { site, called } = loggedOutSite(logIn);
  const person = await signUpPerson(site, "Ada", { isStaff: true });
  expect(await person.submit("/admin/services/1", { rate: "2" })).toMatchObject(answer);
  expect(called.filter((path) => path === "/admin/services/1")).toHaveLength(times);
});
