import { join } from "node:path";
import { expect, test } from "vitest";
import { sourceFiles } from "../arrows.ts";
import { freeTargets } from "./navigation-targets.ts";

/** Code in the browser whose addresses are paths of our own site, in a variable. */
const OWN_PATHS = [
  "app/accounts/session/shared-refresh.ts",
  "app/native/network/watch-network.ts",
  "app/orders/api/docs/code-samples.ts",
  "app/orders/api/docs/try-it.tsx",
  "app/orders/catalog/use-catalog.ts",
  "app/support/client/room-http.ts",
];

test("follows no redirect of another server, which would take our keys and bodies elsewhere", () => {
  const files = Object.entries(sourceFiles(join(import.meta.dirname, "..", "..", ".."))).filter(
    ([path]) => /^(app|workers)\//.test(path) && !/\.test\.tsx?$/.test(path) && !OWN_PATHS.includes(path),
  );
  const calls = files.flatMap(([path, source]) =>
    [...source.matchAll(/(?<![.\w]|async )fetch\(/g)].map(({ index }) => ({ path, call: callAt(source, index) })),
  );
  const outgoing = calls.filter(({ call }) => !/^fetch\(\s*(["`]\/|[A-Z_]+_PATH\b)/.test(call));
  expect(outgoing.length).toBeGreaterThan(4);
  const following = outgoing.filter(({ call }) => !/\bredirect: "(manual|error)"/.test(call));
  expect(following.map(({ path }) => path)).toEqual([]);
});

test("gives libraries no fetch but the one that follows no redirect", () => {
  const files = Object.entries(sourceFiles(join(import.meta.dirname, "..", "..", ".."))).filter(
    ([path, source]) => /^(app|workers)\//.test(path) && /customFetch|createFetchHttpClient|new Stripe\(/.test(source),
  );
  for (const [path, source] of files) expect(source, path).toMatch(/cappedFetch\(/);
  expect(files.length).toBeGreaterThan(1);
});

/** Returns the call that starts at `from`, to its closing parenthesis. */
function callAt(source: string, from: number): string {
  let depth = 0;
  for (let at = source.indexOf("(", from); at < source.length; at++) {
    if (source[at] === "(") depth++;
    if (source[at] === ")" && --depth === 0) return source.slice(from, at + 1);
  }
  return source.slice(from);
}

/** Addresses that aren't fixed in the code, and what makes each of them harmless. */
const LOOKED_AT: Record<string, string> = {
  "app/accounts/step-up/confirm-identity.ts: link.href": "a link that this test looks at, followed later",
  "app/components/forms/action-form.tsx: action":
    "spread into it with all that a form has; its forms' actions are looked at",
  "app/components/navigation/page-shell.tsx: to": "a list of pairs in the same file",
  "app/components/table/data-table.tsx: linkTo({ after: null }, exportTo)": "a query, or a fixed path of an export",
  'app/components/table/data-table.tsx: linkTo({ sort: `${descending ? "-" : ""}${column.sort}`, after: null })':
    "a query",
  "app/components/table/data-table.tsx: linkTo({ after: null })": "a query",
  "app/components/table/data-table.tsx: linkTo({ after: next })": "a query",
  "app/components/ui/confirm-button.tsx: action": "as with action-form.tsx",
  "app/gmail/page/use-connect.ts: response.authUrl": "Google's page for consent, from our server",
  "app/components/page/error-message.tsx: action": "where a form of our own was just sent",
  "app/http/responses/https-redirect.ts: url.href": "the address that was asked for, by https",
  "app/monitoring/alerts/alert-list.tsx: path": "a path of alert-text.ts",
  "app/landing/landing-details.tsx: termsUrl": "site-settings.ts takes https only",
  "app/native/gate/gate-provider.tsx: withWayBack(path, isGated)": "a path of the gate's decision, with a query",
  "app/native/gate/use-shell.ts: path": "a path that deepLinkPath returned",
  "app/native/shell/open-external.ts: url": "Google's page for consent, from our server",
  "app/orders/list/order-table.tsx: link": "parse-order.server.ts takes http and https only",
  "app/console/audit/audit-list.tsx: part.to": "a page of the console, by the id that the entry has",
  "app/console/audit/entry-details.tsx: part.to": "as in audit-list.tsx",
  "app/console/resources/code-batches.tsx: href": "a file that the page itself made",
  "app/console/system/suppression-table.tsx: linkTo(row.digest)": "a query",
  "app/console/orders/timeline/staff-order-details.tsx: link": "as in order-table.tsx",
  "app/console/undo/undo-card.tsx: plan.to": "a page of the console, by the id that the entry has",
  "app/orders/top-up/card-form.tsx: url": "Stripe's page, from its API",
  "app/routes/dashboard/overview.tsx: order.topUp": "the page for top-ups, with a query",
  "app/routes/debug/email.tsx: paragraph": "begins with http, on a page that deployments don't have",
  "app/routes/gmail/connect.ts: started.ok ? started.authUrl : resultPath(started.fault)": "Google's page for consent",
  "app/routes/site/updates.tsx: link": "announcement-store.server.ts takes paths and https only",
  "app/support/console/conversation/open-conversation.tsx: to": "the next conversation's path",
  'app/support/console/palette/command-palette.tsx: result.group === "Conversations" ? to + inConsole : to':
    "a page of the console, from the search of our server",
  "app/support/thread/message-text.tsx: href": "link-parts.ts finds http, https and mailto only",
};

test("leads nobody to an address that another person chose", () => {
  const root = join(import.meta.dirname, "..", "..", "..");
  const found = freeTargets(sourceFiles(root));
  expect(found.filter((it) => LOOKED_AT[it] === undefined)).toEqual([]);
  expect(Object.keys(LOOKED_AT).filter((it) => !found.includes(it))).toEqual([]);
});

test("finds a target that others choose, by whatever names it gets there", () => {
  const found = freeTargets({
    "app/a.tsx": `
      import { PATH, listPath } from "./b.ts";
      const { pathname } = useLocation();
      const chosen = searchParams.get("to");
      const go = (next: string) => navigate(next);
      go(chosen);
      throw redirect(safePath(chosen, PATH));
      throw redirect(safePath(PATH, chosen));
      location.href = listPath(chosen);
      response.headers.set("Location", \`\${PATH}/\${chosen}\`);
      function Back({ to }) { return <Link to={to}>Back</Link>; }
      const tabs = [{ label: "One", to: "/one" }, { label: "Two", to: form.get("two") }];
      const page = <><Back to="/x" /><a href={"/" + chosen} /><Link to={pathname} />{tabs.map(({ label, to }) => <Tab to={to} />)}</>;`,
    "app/b.ts": `export const PATH = "/a"; export function listPath(id: string) { return "/a/" + id; }`,
  });
  expect(found.map((it) => it.replace("app/a.tsx: ", ""))).toEqual([
    "next",
    "safePath(PATH, chosen)",
    '"/" + chosen',
    "pathname",
    "to",
  ]);
});
