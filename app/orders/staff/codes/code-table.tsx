import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import type { listCodes } from "#app/orders/top-up/code-batches.server.ts";

type Code = Awaited<ReturnType<typeof listCodes>>[number];

/** The codes of one batch. `isEnabled`: the batch itself is not disabled. */
export function CodeTable({ codes, isEnabled }: { codes: Code[]; isEnabled: boolean }) {
  const { number } = useFormats();
  return (
    <Table
      label="Codes"
      head={
        <>
          <Th>Ends in</Th>
          <Th>Status</Th>
          <Th numeric>Uses left</Th>
          <Th>
            <span className="sr-only">Disable</span>
          </Th>
        </>
      }
    >
      {codes.map((code) => (
        <tr key={code.id}>
          <Td className="font-mono">…{code.ending}</Td>
          <Td>
            {code.disabledAt !== null ? (
              <Badge tone="bad">Disabled</Badge>
            ) : code.usesLeft === 0 ? (
              <Badge>Redeemed</Badge>
            ) : (
              <Badge tone="good">Valid</Badge>
            )}
          </Td>
          <Td numeric>{number(code.usesLeft)}</Td>
          <Td className="text-right">
            {isEnabled && code.disabledAt === null && code.usesLeft > 0 && (
              <ActionForm intent="disable-code" result={null} hidden={{ code: code.id }}>
                <SubmitButton variant="quiet" aria-label={`Disable the code ending in ${code.ending}`}>
                  Disable
                </SubmitButton>
              </ActionForm>
            )}
          </Td>
        </tr>
      ))}
    </Table>
  );
}
