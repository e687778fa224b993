import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { ImportReport } from "./import-report.tsx";
import type { ImportPreview } from "./provider-admin-form.server.ts";

/** The changes that an import would make, with the button that makes exactly these. */
export function ImportPreviewCard({ preview }: { preview: ImportPreview }) {
  const { number } = useFormats();
  const changes = Object.values(preview.counts).reduce((sum, count) => sum + count, 0);
  const title = `${number(preview.offered)} services, ${number(changes)} changes`;
  return (
    <Card title={title} titleId="preview" flush={changes > 0}>
      {changes === 0 ? (
        <p className="text-sm text-muted">Your catalog is up to date. There is nothing to import.</p>
      ) : (
        <>
          <ImportReport lines={preview.lines} counts={preview.counts} />
          <div className="border-t border-line p-4 sm:px-5">
            <ActionForm
              asksIdentity
              intent="import"
              result={null}
              hidden={{ markup: preview.markup, digest: preview.digest }}
            >
              <SubmitButton>Import {number(changes)} changes</SubmitButton>
            </ActionForm>
          </div>
        </>
      )}
    </Card>
  );
}
