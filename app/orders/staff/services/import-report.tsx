import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Rate } from "#app/components/formats/money-amount.tsx";
import { Badge, type Tone } from "#app/components/ui/badge.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import { statedRefillDays } from "#app/orders/terms/refill-terms.ts";

export type ImportLine = {
  providerServiceId: string;
  kind: "added" | "price" | "limits" | "vanished" | "unreadable";
  before: string;
  after: string;
  name: string;
  /** Micro-units. */
  ourRate: number | null;
};

const KINDS: Record<ImportLine["kind"], { label: string; tone: Tone }> = {
  added: { label: "New, off sale", tone: "good" },
  price: { label: "Price", tone: "warn" },
  limits: { label: "Limits", tone: "active" },
  vanished: { label: "Removed, taken off sale", tone: "bad" },
  unreadable: { label: "Unreadable, unchanged", tone: "neutral" },
};

/** More lines than anybody reads. The counts above them cover all changes. */
export const LINES_SHOWN = 300;

export function ImportReport({ lines, counts }: { lines: ImportLine[]; counts: Record<string, number> }) {
  const { number } = useFormats();
  return (
    <>
      <p className="px-4 py-3 text-sm text-muted sm:px-5">
        {Object.entries(counts)
          .map(([kind, count]) => `${number(count)} × ${KINDS[kind as ImportLine["kind"]]?.label ?? kind}`)
          .join(" · ")}
        {lines.length >= LINES_SHOWN && ` · showing the first ${LINES_SHOWN}`}
      </p>
      <Table
        label="Changes"
        head={
          <>
            <Th>Change</Th>
            <Th numeric>Provider service ID</Th>
            <Th>Service</Th>
            <Th>Before</Th>
            <Th>After</Th>
            <Th numeric>Our rate</Th>
          </>
        }
      >
        {lines.map((line) => (
          <tr key={`${line.kind} ${line.providerServiceId}`}>
            <Td>
              <Badge tone={KINDS[line.kind].tone}>{KINDS[line.kind].label}</Badge>
            </Td>
            <Td numeric className="font-mono">
              {line.providerServiceId}
            </Td>
            <Td>
              <span className="block max-w-72 truncate" title={line.name}>
                {line.name || "—"}
              </span>
              {line.kind === "added" && <StatedRefill name={line.name} />}
            </Td>
            <Td className="whitespace-nowrap text-muted">{line.before || "—"}</Td>
            <Td className="whitespace-nowrap">{line.kind === "added" ? "—" : line.after || "—"}</Td>
            <Td numeric>{line.ourRate === null ? "—" : <Rate micro={line.ourRate} />}</Td>
          </tr>
        ))}
      </Table>
    </>
  );
}

/** A suggestion: staff set the days of a service on its page. */
function StatedRefill({ name }: { name: string }) {
  const days = statedRefillDays(name);
  return days && <span className="block pb-1 text-xs text-muted">Its name says {days} refill days</span>;
}
