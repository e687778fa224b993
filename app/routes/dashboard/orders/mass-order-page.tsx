import {
  type ActionFunctionArgs,
  type AppLoadContext,
  data,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from "@remix-run/cloudflare";
import { Link, useLoaderData } from "@remix-run/react";
import { useEffect } from "react";
import { requireViewer } from "#app/accounts/session/viewer.server.ts";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { useActionResult } from "#app/components/forms/use-action-result.ts";
import { useIsHydrated } from "#app/components/hydration/use-is-hydrated.ts";
import { ButtonLink } from "#app/components/ui/button.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { withParams } from "#app/http/requests/query-params.ts";
import { parseForm, readForm } from "#app/http/requests/read-form.ts";
import type { TableEncoding } from "#app/http/table-text.ts";
import { wakeDispatchers } from "#app/orders/fulfillment/wake-dispatchers.server.ts";
import { type CheckedMass, checkMassOrder } from "#app/orders/mass/check-mass-order.server.ts";
import { forgetMassDraft, MASS_DRAFT } from "#app/orders/mass/mass-draft.ts";
import { MASS_FORM_LIMIT, MASS_MAX_BYTES } from "#app/orders/mass/mass-lines.server.ts";
import { MassOrderForm } from "#app/orders/mass/mass-order-form.tsx";
import { massOrderInput } from "#app/orders/mass/mass-order-input.server.ts";
import { MassOrderPreview } from "#app/orders/mass/mass-order-preview.tsx";
import { MassOrderSheet } from "#app/orders/mass/mass-order-sheet.tsx";
import { readAsText } from "#app/orders/mass/mass-read-as.ts";
import { placeMassOrder } from "#app/orders/mass/place-mass-order.server.ts";
import { findMassOrder, shownMassOrder } from "#app/orders/mass/read-mass-order.server.ts";
import { readWallet } from "#app/orders/wallet/wallet.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";
import { readUploadText } from "#app/uploads/stored-files.server.ts";

const PATH = "/dashboard/orders/mass";

export const meta: MetaFunction = () => [{ title: `Mass order · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { userId } = await requireViewer(request, context);
  const { searchParams } = new URL(request.url);
  const draft = searchParams.get("draft") ?? "";
  const uploadId = searchParams.get("upload");
  // In the URL, so that reloading or going back keeps the key that the lines are placed with.
  if (!MASS_DRAFT.test(draft))
    throw redirect(withParams(PATH, { upload: uploadId, draft: `mass-${crypto.randomUUID()}` }));
  const [placed, { balance }] = await Promise.all([
    findMassOrder(context.db, userId, draft),
    readWallet(context.db, userId),
  ]);
  const file = placed || uploadId === null ? null : await linesOfUpload(context, userId, uploadId);
  const checked = file?.ok ? await checkMassOrder(context.db, userId, file.text) : null;
  return {
    draft,
    placed: placed && shownMassOrder(placed),
    balance,
    checked,
    file: file && shownFile(uploadId ?? "", file),
  };
}

export async function action({ request, context }: ActionFunctionArgs) {
  // Before, because the form may be large, and after, because its sender decides how long it takes.
  await requireViewer(request, context);
  const draft = new URL(request.url).searchParams.get("draft") ?? "";
  const form = await readForm(request, MASS_FORM_LIMIT);
  const { userId } = await requireViewer(request, context);
  const parsed = parseForm(form, massOrderInput);
  if (!MASS_DRAFT.test(draft) || !parsed.ok) throw data(null, 400);
  const { intent, upload: uploadId, lines, which, charge, doubts } = parsed.input;
  const file = uploadId === "" ? null : await linesOfUpload(context, userId, uploadId);
  const refuse = (text: string, checked: CheckedMass | null, message: string) =>
    data({ text, checked, result: { intent, ok: false, message } as FormResult }, 400);
  if (file && !file.ok) return refuse("", null, file.error);
  // The lines of a file may have been changed on the page. A form sends lines with \r\n, however they were typed.
  const text = lines === "" && file ? file.text : lines;
  if (intent === "place") {
    const refused = await place(context, userId, {
      text,
      source: file?.name ?? "",
      idempotencyKey: draft,
      onlyValid: which === "valid",
      agreedCharge: charge,
      agreedDoubts: doubts,
    });
    return refuse(text, await checkMassOrder(context.db, userId, text), refused);
  }
  const checked = await checkMassOrder(context.db, userId, text);
  const fieldErrors = checked.ok ? undefined : { lines: checked.text };
  const result: FormResult = { intent, ok: checked.ok, fieldErrors, values: {} };
  return data({ text, checked, result }, checked.ok ? 200 : 400);
}

/** Throws the redirect to the placed orders, or returns why they were not placed. */
async function place(
  context: AppLoadContext,
  userId: string,
  input: Parameters<typeof placeMassOrder>[2],
): Promise<string> {
  const placed = await placeMassOrder(context.db, userId, input);
  if (!placed.ok) return placed.text;
  if (!placed.replayed) context.waitUntil(wakeDispatchers(context.db, context.env.PROVIDER_DISPATCHER));
  throw redirect(`${PATH}/${placed.massOrder.id}${placed.replayed ? "?again" : ""}`);
}

type FileLines =
  | { ok: true; name: string; text: string; encoding: TableEncoding | null }
  | { ok: false; name: string; error: string };

const FILE_ERRORS = {
  not_found: "This file was not found. It may have been deleted.",
  not_text: "This file is not text. Save the table as CSV and upload that.",
  too_large: `A mass order can read files up to ${MASS_MAX_BYTES / 1024 / 1024} MB. Split the file.`,
};

async function linesOfUpload({ db, env }: AppLoadContext, userId: string, id: string): Promise<FileLines> {
  const read = await readUploadText(db, env.UPLOADS, userId, id, MASS_MAX_BYTES);
  return read.ok ? read : { ok: false, name: read.name, error: FILE_ERRORS[read.reason] };
}

function shownFile(id: string, file: FileLines) {
  return { id, name: file.name, error: file.ok ? null : file.error, encoding: file.ok ? file.encoding : null };
}

export default function MassOrder() {
  const { number } = useFormats();
  const { draft, placed, balance, checked: ofFile, file } = useLoaderData<typeof loader>();
  const submitted = useActionResult<typeof action>();
  useEffect(() => {
    if (placed) forgetMassDraft(draft);
  }, [placed, draft]);
  const isHydrated = useIsHydrated();
  const unreadable = ofFile && !ofFile.ok ? ofFile.text : (file?.error ?? null);
  return (
    <>
      <h1 className="text-2xl">Mass order</h1>
      {placed ? (
        <div className="mt-6 flex flex-col items-start gap-4">
          <Notice tone="good">
            These lines are already placed: {number(placed.placed)} orders. Nothing is placed twice.
          </Notice>
          <div className="flex flex-wrap gap-2">
            <ButtonLink to={`${PATH}/${placed.id}`}>View orders</ButtonLink>
            <ButtonLink to={PATH} variant="secondary">
              New mass order
            </ButtonLink>
          </div>
        </div>
      ) : (
        <>
          <p className="mt-1 max-w-prose text-sm text-muted">
            Place many orders at once: they are charged together.{" "}
            {file ? (
              <>
                The lines of <span className="font-medium text-text">{file.name || "the file"}</span> are below.
              </>
            ) : (
              <>
                <span className="noscript:hidden">
                  Type lines, paste rows from a spreadsheet, or drop a CSV below, also your own orders.csv. Other fields
                  need a first row with column names.
                </span>
                <Link to="/upload" className="hidden underline underline-offset-4 hover:text-text noscript:inline">
                  Upload a CSV instead
                </Link>
              </>
            )}
          </p>
          {unreadable && (
            <div className="mt-4 flex flex-wrap items-center gap-3">
              <Notice tone="bad">{unreadable}</Notice>
              <ButtonLink to="/upload" variant="secondary">
                Choose another file
              </ButtonLink>
            </div>
          )}
          <MassOrderSheet
            key={draft}
            draft={draft}
            balance={balance}
            ofFile={ofFile}
            encoding={file?.encoding ?? null}
            uploadId={file?.id ?? null}
            submitted={submitted}
          />
          {!isHydrated && (
            <div className="hidden noscript:block">
              <WithoutScripts {...{ draft, balance, file, checked: submitted?.checked ?? ofFile, submitted }} />
            </div>
          )}
        </>
      )}
    </>
  );
}

/** The same in two steps: a form for the lines, then their preview. */
function WithoutScripts({
  draft,
  balance,
  file,
  checked,
  submitted,
}: {
  draft: string;
  balance: number;
  file: { id: string; encoding: TableEncoding | null } | null;
  checked: CheckedMass | null;
  submitted: { text: string; result: FormResult } | undefined;
}) {
  return (
    <>
      {submitted?.result.message && (
        <div className="mt-4 max-w-3xl">
          <Notice tone="bad">{submitted.result.message}</Notice>
        </div>
      )}
      {checked?.ok && (
        <MassOrderPreview
          checked={checked}
          balance={balance}
          draft={draft}
          lines={submitted?.text ?? ""}
          readAs={readAsText({ separator: checked.separator, encoding: file?.encoding })}
          uploadId={file?.id ?? null}
        />
      )}
      {file === null && (
        <MassOrderForm
          draft={draft}
          typed={submitted?.text ?? ""}
          result={submitted?.result}
          isFixing={checked?.ok === true && checked.invalid > 0}
        />
      )}
    </>
  );
}
