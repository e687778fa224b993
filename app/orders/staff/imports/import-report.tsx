import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Badge, type Tone } from "#app/components/ui/badge.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import type { CATALOG_CHANGES } from "#app/db/schema.server.ts";
import { ownValue } from "#app/own-value.ts";
import { REASON_TITLES } from "./quarantine-reasons.ts";

export type ImportLine = {
  providerServiceId: string;
  kind: (typeof CATALOG_CHANGES)[number];
  before: string;
  after: string;
};

const KINDS: Record<ImportLine["kind"], { label: string; tone: Tone }> = {
  added: { label: "New, off sale", tone: "good" },
  price: { label: "Price", tone: "warn" },
  limits: { label: "Limits", tone: "active" },
  type: { label: "Type", tone: "active" },
  vanished: { label: "Removed, taken off sale", tone: "bad" },
  unreadable: { label: "Unreadable, unchanged", tone: "neutral" },
  quarantined: { label: "Waits for a decision", tone: "warn" },
  released: { label: "Taken back there", tone: "good" },
};

/** More lines than anybody reads. The counts above them cover all changes. */
export const LINES_SHOWN = 300;

export function ImportReport({ lines, counts }: { lines: ImportLine[]; counts: Record<string, number> }) {
  const { number } = useFormats();
  return (
    <>
      <p className="px-4 py-3 text-sm text-muted sm:px-5">
        {Object.entries(counts)
          .map(([kind, count]) => `${number(count)} × ${ownValue(KINDS, kind)?.label ?? kind}`)
          .join(" · ")}
        {lines.length >= LINES_SHOWN && ` · showing the first ${LINES_SHOWN}`}
      </p>
      <Table
        label="Changes"
        head={
          <>
            <Th>Change</Th>
            <Th numeric>Provider service ID</Th>
            <Th>Before</Th>
            <Th>After</Th>
          </>
        }
      >
        {lines.map((line) => (
          <tr key={`${line.kind} ${line.providerServiceId} ${line.after}`}>
            <Td>
              <Badge tone={KINDS[line.kind].tone}>{KINDS[line.kind].label}</Badge>
            </Td>
            <Td numeric className="font-mono">
              {line.providerServiceId}
            </Td>
            <Td className={`text-muted ${line.kind === "unreadable" ? "max-w-72" : "whitespace-nowrap"}`}>
              {reasonOf(line) ?? (line.before || "—")}
            </Td>
            <Td>
              <span className="block max-w-72 truncate" title={line.after}>
                {line.kind === "quarantined" && line.after ? "Paused" : line.after || "—"}
              </span>
            </Td>
          </tr>
        ))}
      </Table>
    </>
  );
}

/** Returns why a line waits or waited, or null. */
function reasonOf({ kind, before }: ImportLine): string | null {
  if (kind !== "quarantined" && kind !== "released") return null;
  return ownValue(REASON_TITLES, before) ?? null;
}
