import { Table, Td, Th } from "#app/components/ui/table.tsx";

/** Values in words, each beside what it was or becomes. Null: it has no such side. */
export type ChangedValue = { key: string; label: string; before: string | null; after: string };

/** Shows values before and after a change; only one column of them if none of them has another side. */
export function BeforeAndAfter({
  label,
  heads: { what, before, after },
  values,
}: {
  label: string;
  heads: { what: string; before: string | null; after: string };
  values: ChangedValue[];
}) {
  return (
    <Table
      label={label}
      head={
        <>
          <Th>{what}</Th>
          {before !== null && <Th>{before}</Th>}
          <Th>{after}</Th>
        </>
      }
    >
      {values.map((value) => (
        <tr key={value.key}>
          <Td className="py-2 align-top first-letter:uppercase">{value.label}</Td>
          {before !== null && (
            <Td className="py-2 align-top break-words whitespace-pre-line text-muted">{value.before ?? ""}</Td>
          )}
          <Td className="py-2 align-top break-words whitespace-pre-line">{value.after}</Td>
        </tr>
      ))}
    </Table>
  );
}
