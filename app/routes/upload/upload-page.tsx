import { type ActionFunctionArgs, data, type LoaderFunctionArgs, type MetaFunction } from "@remix-run/cloudflare";
import { useActionData, useFetcher, useLoaderData, useRevalidator } from "@remix-run/react";
import Download from "lucide-react/icons/download";
import Files from "lucide-react/icons/files";
import ListPlus from "lucide-react/icons/list-plus";
import Trash from "lucide-react/icons/trash-2";
import { requireViewer } from "#app/accounts/session/viewer.server.ts";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { ButtonLink } from "#app/components/ui/button.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { ConfirmButton, type ConfirmButtonProps } from "#app/components/ui/confirm-button.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import { formText, type LargeForm, readForm } from "#app/http/requests/read-form.ts";
import { PRODUCT_NAME } from "#app/product.ts";
import { DropZone } from "#app/uploads/drop-zone.tsx";
import { abortUpload, listPendingUploads } from "#app/uploads/multipart-upload.server.ts";
import { deleteUpload, listUploads, storeFile } from "#app/uploads/stored-files.server.ts";
import { TransferList } from "#app/uploads/transfer-list.tsx";
import { isTable, sizeText } from "#app/uploads/upload-limits.ts";
import { addFiles, useTransfers } from "#app/uploads/upload-queue.ts";

/** The limit of the form without JavaScript, which is read into memory. */
const FORM_LIMIT: LargeForm = {
  encoding: "multipart/form-data",
  maxBytes: 30 * 1024 * 1024,
  tooLarge: "Without JavaScript, files can be at most 30 MB. Turn it on to upload larger files.",
};

export const meta: MetaFunction = () => [{ title: `Files · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { userId } = await requireViewer(request, context);
  const [files, pending] = await Promise.all([listUploads(context.db, userId), listPendingUploads(context.db, userId)]);
  return { files, pending };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const { userId } = await requireViewer(request, context);
  const { db, env } = context;
  if (Number(request.headers.get("Content-Length") ?? 0) > FORM_LIMIT.maxBytes) {
    return data<FormResult>({ intent: "file", ok: false, message: FORM_LIMIT.tooLarge }, 413);
  }
  const form = await readForm(request, FORM_LIMIT);
  const id = formText(form, "id");
  switch (form.get("intent")) {
    case "file": {
      const file = form.get("file");
      if (!(file instanceof File) || file.size === 0)
        return data<FormResult>({ intent: "file", ok: false, message: "Choose a file first." }, 400);
      const stored = await storeFile(db, env.UPLOADS, userId, file);
      return stored.ok
        ? data<FormResult>({ intent: "file", ok: true, message: `${stored.upload.name} was uploaded.` })
        : data<FormResult>({ intent: "file", ok: false, message: stored.text }, stored.status);
    }
    case "delete":
      if (!(await deleteUpload(db, env.UPLOADS, userId, id))) throw data(null, 404);
      return data<FormResult>({ intent: "delete", ok: true, message: "File deleted." });
    case "abort":
      if (!(await abortUpload(db, env.UPLOADS, userId, id))) throw data(null, 404);
      return data<FormResult>({ intent: "abort", ok: true, message: "Unfinished upload removed." });
    default:
      throw data(null, 400);
  }
}

export default function Upload() {
  const { files, pending } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>();
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
            <ul className="divide-y divide-line text-sm">
              {unfinished.map(({ id, name, size, received }) => (
                <li key={id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2 sm:px-5">
                  <span className="min-w-0 flex-1 basis-56">
                    <span className="block truncate font-medium" title={name}>
                      {name}
                    </span>
                    <span className="text-muted">
                      {sizeText(received)} of {sizeText(size)} uploaded. Choose the same file again to resume.
                    </span>
                  </span>
                  <Ask
                    intent="abort"
                    id={id}
                    label={`Remove the unfinished upload ${name}`}
                    question="Remove this unfinished upload?"
                    description="The uploaded part is deleted."
                    button="Remove"
                    confirm="Remove"
                  />
                </li>
              ))}
            </ul>
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
            <Table
              label="Your files"
              head={
                <>
                  <Th>Name</Th>
                  <Th numeric className="max-sm:hidden">
                    Size
                  </Th>
                  <Th className="max-sm:hidden">Uploaded</Th>
                  <Th>
                    <span className="sr-only">Actions</span>
                  </Th>
                </>
              }
            >
              {files.map(({ id, name, size, contentType, createdAt }) => (
                <tr key={id}>
                  <Td>
                    <span className="block max-w-36 truncate sm:max-w-72" title={name}>
                      {name}
                    </span>
                    <span className="block pb-1 text-xs text-muted sm:hidden">
                      {sizeText(size)} · <RelativeDate at={createdAt} />
                    </span>
                  </Td>
                  <Td numeric className="max-sm:hidden">
                    {sizeText(size)}
                  </Td>
                  <Td className="text-muted max-sm:hidden">
                    <RelativeDate at={createdAt} />
                  </Td>
                  <Td>
                    <div className="flex justify-end gap-1">
                      {isTable(contentType) && (
                        <ButtonLink
                          to={`/dashboard/orders/mass?upload=${id}`}
                          variant="secondary"
                          aria-label={`Order from ${name}`}
                        >
                          <ListPlus aria-hidden className="size-4 sm:hidden" />
                          <span className="max-sm:sr-only">Order</span>
                        </ButtonLink>
                      )}
                      <ButtonLink
                        to={`/upload/files/${id}`}
                        variant="quiet"
                        reloadDocument
                        download={name}
                        aria-label={`Download ${name}`}
                      >
                        <Download aria-hidden className="size-4 sm:hidden" />
                        <span className="max-sm:sr-only">Download</span>
                      </ButtonLink>
                      <Ask
                        intent="delete"
                        id={id}
                        label={`Delete ${name}`}
                        question={`Delete “${name}”?`}
                        description="This can't be undone. Orders placed from it stay."
                        button={
                          <>
                            <Trash aria-hidden className="size-4 sm:hidden" />
                            <span className="max-sm:sr-only">Delete</span>
                          </>
                        }
                        confirm="Delete"
                      />
                    </div>
                  </Td>
                </tr>
              ))}
            </Table>
          )}
        </Card>
      </div>
    </>
  );
}

/** Has a fetcher of its own, so that only its own button is busy. */
function Ask({ intent, id, ...words }: { intent: string; id: string } & Omit<ConfirmButtonProps, "sender" | "fields">) {
  const sender = useFetcher();
  return <ConfirmButton {...words} sender={sender} fields={{ intent, id }} busy={sender.state !== "idle"} />;
}
