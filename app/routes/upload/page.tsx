import { type ActionFunctionArgs, data, type LoaderFunctionArgs, type MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData, useRevalidator } from "@remix-run/react";
import Files from "lucide-react/icons/files";
import { requireViewer } from "#app/accounts/session/viewer.server.ts";
import { useActionResult } from "#app/components/forms/use-action-result.ts";
import { Card } from "#app/components/ui/card.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { respondToForm } from "#app/form-response.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";
import { DropZone } from "#app/uploads/drop-zone.tsx";
import { FileTable } from "#app/uploads/file-table.tsx";
import { readFilesForm, submitFilesForm } from "#app/uploads/files-form.server.ts";
import { listPendingUploads } from "#app/uploads/multipart-upload.server.ts";
import { listUploads } from "#app/uploads/stored-files.server.ts";
import { TransferList } from "#app/uploads/transfer-list.tsx";
import { UnfinishedUploads } from "#app/uploads/unfinished-uploads.tsx";
import { addFiles, useTransfers } from "#app/uploads/upload-queue.ts";

export const meta: MetaFunction = () => [{ title: `Files · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { userId } = await requireViewer(request, context);
  const [files, pending] = await Promise.all([listUploads(context.db, userId), listPendingUploads(context.db, userId)]);
  return { files, pending };
}

export async function action({ request, context }: ActionFunctionArgs) {
  // Before, because the form may be large, and after, because its sender decides how long it takes.
  await requireViewer(request, context);
  const form = await readFilesForm(request);
  const { userId } = await requireViewer(request, context);
  const outcome = await submitFilesForm(context, userId, form);
  if (outcome === "unknown_form") throw data(null, 400);
  if (outcome === "not_found") throw data(null, 404);
  return respondToForm(request, outcome);
}

export default function Upload() {
  const { files, pending } = useLoaderData<typeof loader>();
  const result = useActionResult<typeof action>();
  const transfers = useTransfers();
  const { revalidate } = useRevalidator();
  const here = new Set(
    transfers.filter(({ state }) => state === "sending" || state === "waiting").map(({ fingerprint }) => fingerprint),
  );
  const unfinished = pending.filter(({ fingerprint }) => !here.has(fingerprint));
  return (
    <>
      <h1 className="text-2xl">Files</h1>
      <p className="mt-1 mb-6 max-w-prose text-sm text-muted">
        Only you can open your files. Use a CSV of orders to place a mass order.
      </p>
      {result && (
        <div className="mb-4 max-w-3xl">
          <Notice tone={result.ok ? "good" : "bad"}>{result.message}</Notice>
        </div>
      )}
      <DropZone onFiles={(chosen) => addFiles(chosen, revalidate)} />
      <TransferList transfers={transfers} />
      {unfinished.length > 0 && (
        <div className="mt-8">
          <Card title="Unfinished" titleId="unfinished" flush>
            <UnfinishedUploads uploads={unfinished} />
          </Card>
        </div>
      )}
      <div className="mt-8">
        <Card title="Your files" titleId="files" flush>
          {files.length === 0 ? (
            <EmptyState icon={Files} title="No files yet">
              Files you upload show up here.
            </EmptyState>
          ) : (
            <FileTable files={files} />
          )}
        </Card>
      </div>
    </>
  );
}
