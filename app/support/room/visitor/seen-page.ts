import { cleanName } from "#app/http/clean-text.ts";
import type { VisitedPage } from "#app/support/protocol/console-frames.ts";

/** A part of a path that looks like a key: long, with digits, and without a space or a dot. */
const SECRET = /^(?=.*\d)[\w~-]{24,}$/;

/**
 * Returns a page as agents see it: a path on this site whatever the browser sent, without parts that look like keys, and
 * a title without controls.
 */
export function seenPage({ path, title }: VisitedPage): VisitedPage {
  const parts = cleanName(path)
    .split(/[/\\]+/)
    .filter((part) => part !== "");
  return { path: `/${parts.map((part) => (SECRET.test(part) ? "…" : part)).join("/")}`, title: cleanName(title) };
}
