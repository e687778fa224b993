import type { listPendingUploads } from "./multipart-upload.server.ts";
import { RemoveUploadButton } from "./remove-upload-button.tsx";
import { sizeText } from "./upload-limits.ts";

/** Lists the uploads that were interrupted and can be resumed. */
export function UnfinishedUploads({ uploads }: { uploads: Awaited<ReturnType<typeof listPendingUploads>> }) {
  return (
    <ul className="divide-y divide-line text-sm">
      {uploads.map(({ id, name, size, received }) => (
        <li key={id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2 sm:px-5">
          <span className="min-w-0 flex-1 basis-56">
            <span className="block truncate font-medium" title={name}>
              {name}
            </span>
            <span className="text-muted">
              {sizeText(received)} of {sizeText(size)} uploaded. Choose the same file again to resume.
            </span>
          </span>
          <RemoveUploadButton
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
  );
}
