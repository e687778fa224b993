import type { Formats } from "#app/components/formats/number-formats.ts";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import type { Column } from "#app/components/table/data-table.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import type { BatchCode } from "./batch-codes.server.ts";

/** The columns of one batch's codes. `isEnabled`: the batch itself is not disabled. */
export function codeColumns({ number }: Formats, isEnabled: boolean): Column<BatchCode>[] {
  return [
    { name: "ending", header: "Ends in", className: "font-mono", cell: ({ ending }) => `…${ending}` },
    { name: "status", header: "Status", inCard: "text", cell: (code) => <CodeState {...code} /> },
    { name: "uses", header: "Uses left", inCard: "figure", numeric: true, cell: ({ usesLeft }) => number(usesLeft) },
    {
      name: "disable",
      header: "Disable",
      inCard: "text",
      isAction: true,
      cell: (code) =>
        isEnabled &&
        code.disabledAt === null &&
        code.usesLeft > 0 && (
          <ActionForm
            intent="disable-code"
            result={null}
            hidden={{ code: code.id }}
            className="inline-flex max-md:-ml-3.5 md:-mr-3.5"
          >
            <SubmitButton variant="quiet" aria-label={`Disable the code ending in ${code.ending}`}>
              Disable
            </SubmitButton>
          </ActionForm>
        ),
    },
  ];
}

function CodeState({ disabledAt, usesLeft }: BatchCode) {
  if (disabledAt !== null) return <Badge tone="bad">Disabled</Badge>;
  return usesLeft === 0 ? <Badge>Redeemed</Badge> : <Badge tone="good">Valid</Badge>;
}
