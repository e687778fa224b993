import { join } from "node:path";
import { expect, test } from "vitest";
import { sourceFiles } from "./arrows.ts";

/** Reads a body whole, whatever its size. */
const WHOLE = /\.(text|json|arrayBuffer|formData|blob|bytes)\(\)/;
/** Files that run in the browser, where a body comes from our own server. */
const BROWSER = [
  "app/accounts/factors/browser/ask-for-passkey.ts",
  "app/accounts/session/shared-refresh.ts",
  "app/accounts/step-up/confirm-identity.ts",
  "app/accounts/step-up/use-proof.ts",
  "app/gmail/page/post-function.ts",
  "app/gmail/page/use-connect.ts",
  "app/orders/api/docs/try-it.tsx",
  "app/orders/catalog/use-catalog.ts",
  "app/orders/catalog/use-network-offers.ts",
  "app/orders/list/use-live-orders.ts",
  // A file that its owner chose.
  "app/orders/mass/mass-order-sheet.tsx",
  "app/orders/mass/use-line-checks.ts",
  "app/orders/placing/codes/use-percent-code.ts",
  "app/orders/placing/use-order-form.ts",
  "app/push/client/own-device.ts",
  "app/support/client/find-conversation.ts",
  "app/support/client/own-session.ts",
  "app/support/client/room-http.ts",
  "app/support/console/conversation/use-reply-search.ts",
  "app/support/console/filters-sheet.tsx",
  "app/support/console/list/inbox-requests.ts",
  "app/support/console/mentions-sheet.tsx",
  "app/support/console/palette/use-palette-search.ts",
  "app/support/thread/emoji/emoji-picker.tsx",
  "app/support/widget/start-session.ts",
];
/** Files that read what is bounded already. */
const BOUNDED: Record<string, string> = {
  "app/accounts/password/breached-passwords.server.ts": "a response of cappedFetch",
  "app/backup/format/sealed-objects.server.ts": "chunks and parts of copies that the backup has written",
  "app/backup/run/file-copies.server.ts": "a part of a stored file",
  "app/email/sent-emails.server.ts": "the stand-in of a local copy",
  "app/http/requests/counted-form.ts": "bytes that readAtMost returned",
  "app/orders/api/docs/code-samples.ts": "samples, which are not run",
  "app/routes/api/catalog-json.ts": "our own response in the cache",
  "app/uploads/stored-files.server.ts": "files that were checked before they were stored",
  "workers/page-cache.ts": "our own page",
};

test("reads bodies from outside only below a limit: with readAtMost, readForm or cappedFetch", () => {
  const readers = Object.entries(sourceFiles(join(import.meta.dirname, "..", "..")))
    .filter(([path]) => !/\.test\.tsx?$/.test(path) && /^(app|workers)\//.test(path))
    .filter(([, source]) => source.split("\n").some((line) => WHOLE.test(line) && !isColumn(line)))
    .map(([path]) => path);
  expect(readers.toSorted()).toEqual([...BROWSER, ...Object.keys(BOUNDED)].toSorted());
});

test("reads the stream of a request only where its bytes are counted", () => {
  const readers = Object.entries(sourceFiles(join(import.meta.dirname, "..", "..")))
    .filter(([path]) => !/\.test\.tsx?$/.test(path) && /^(app|workers)\//.test(path))
    .filter(([, source]) => /\brequest\.(body|clone)\b|\.getReader\(|\.pipe(To|Through)\(/.test(source))
    .map(([path]) => path);
  expect(readers.toSorted()).toEqual([
    // Compresses chunks of a backup.
    "app/backup/format/sealed-objects.server.ts",
    "app/http/requests/read-at-most.ts",
    "app/http/requests/short-body.ts",
    // Begins our own export before it answers.
    "app/http/responses/csv-attachment.ts",
    "app/routes/upload/part.ts",
    "app/uploads/check-part.server.ts",
  ]);
});

/** Returns whether the line defines a column of a table or a field of a schema. */
function isColumn(line: string): boolean {
  return /\b(text|json)\(\)\.(notNull|primaryKey|references|unique)|[:=] (text|caselessText)\(\),?$/.test(line);
}
