import Download from "lucide-react/icons/download";
import ListPlus from "lucide-react/icons/list-plus";
import Trash from "lucide-react/icons/trash-2";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { ButtonLink } from "#app/components/ui/button.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import { RemoveUploadButton } from "./remove-upload-button.tsx";
import type { listUploads } from "./stored-files.server.ts";
import { isTable, sizeText } from "./upload-limits.ts";

export function FileTable({ files }: { files: Awaited<ReturnType<typeof listUploads>> }) {
  return (
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
              <RemoveUploadButton
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
  );
}
