import { Link } from "@remix-run/react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { type Column, DataTable } from "#app/components/table/data-table.tsx";
import { CutText } from "#app/components/table/row-cells.tsx";
import { Badge, type Tone } from "#app/components/ui/badge.tsx";
import { ButtonLink } from "#app/components/ui/button.tsx";
import type { CATALOG_CHANGES } from "#app/db/schema.server.ts";
import { WAITING_REASONS } from "#app/orders/services/service-guard.ts";
import { ownValue } from "#app/own-value.ts";

export type ImportLine = {
  id: number;
  providerServiceId: string;
  kind: (typeof CATALOG_CHANGES)[number];
  before: string;
  after: string;
  createdAt: number;
  /** Our service, if the entry has one. */
  service: { id: number; name: string; enabled: boolean } | null;
};

const KINDS: Record<ImportLine["kind"], { label: string; tone: Tone }> = {
  added: { label: "New", tone: "good" },
  price: { label: "Price", tone: "warn" },
  limits: { label: "Limits", tone: "active" },
  type: { label: "Type", tone: "active" },
  vanished: { label: "Removed, taken off sale", tone: "bad" },
  unreadable: { label: "Unreadable, unchanged", tone: "neutral" },
  quarantined: { label: "Needs a decision", tone: "warn" },
  released: { label: "Change withdrawn", tone: "good" },
};

/** More lines than anybody reads. The counts above them cover all changes. */
export const LINES_SHOWN = 300;

const COLUMNS: Column<ImportLine>[] = [
  {
    name: "service",
    header: "Service",
    className: "py-2",
    cell: (line) => (
      <>
        <ServiceName line={line} />
        <span className="block font-mono text-xs text-muted">{line.providerServiceId}</span>
      </>
    ),
  },
  {
    name: "change",
    header: "Change",
    inCard: "line",
    cell: ({ kind }) => <Badge tone={KINDS[kind].tone}>{KINDS[kind].label}</Badge>,
  },
  { name: "detail", header: "Details", inCard: "line", className: "py-2", cell: (line) => <Detail line={line} /> },
];

/** Returns the services that an import added and that are off sale. */
export function unsoldIn(lines: ImportLine[]): number[] {
  return lines.flatMap(({ kind, service }) => (kind === "added" && service?.enabled === false ? service.id : []));
}

/** The changes of one import or nightly comparison. `lines` has one at least. */
export function ImportReport({
  providerId,
  lines,
  counts,
}: {
  providerId: number;
  lines: ImportLine[];
  counts: Record<string, number>;
}) {
  const { number } = useFormats();
  const unsold = unsoldIn(lines);
  const summary = (
    <div className="flex min-w-0 flex-1 flex-wrap items-center justify-between gap-x-4 gap-y-3 py-1 pr-2 text-sm">
      <p className="text-muted">
        <RelativeDate at={lines[0]?.createdAt ?? 0} />
        {Object.entries(KINDS).map(([kind, { label }]) => {
          const count = ownValue(counts, kind);
          return count === undefined ? "" : ` · ${label}: ${number(count)}`;
        })}
        {lines.length >= LINES_SHOWN && ` · showing the first ${LINES_SHOWN}`}
      </p>
      {unsold.length > 0 && (
        <ButtonLink to={putOnSale(providerId, lines.length < LINES_SHOWN ? unsold : null)} className="max-sm:w-full">
          {lines.length >= LINES_SHOWN
            ? "Put services on sale…"
            : `Put ${number(unsold.length)} new ${unsold.length === 1 ? "service" : "services"} on sale…`}
        </ButtonLink>
      )}
    </div>
  );
  return <DataTable label="Changes" columns={COLUMNS} rows={lines} rowKey={({ id }) => id} filters={summary} />;
}

/** Returns the page that previews putting these services on sale. Null: all of the provider's that are off sale. */
function putOnSale(providerId: number, ids: number[] | null): string {
  const selected = ids?.map((id): [string, string] => ["id", String(id)]) ?? [
    ["all", "1"],
    ["provider", String(providerId)],
    ["state", "disabled"],
  ];
  return `/admin/services/bulk?${new URLSearchParams([...selected, ["change", "on"]])}`;
}

function ServiceName({ line: { kind, after, service } }: { line: ImportLine }) {
  if (service === null) return kind === "added" ? <CutText className="max-w-96">{after}</CutText> : null;
  return (
    <Link
      to={`/admin/services/${service.id}`}
      title={service.name}
      className="block max-w-96 truncate underline underline-offset-4 max-md:max-w-full"
    >
      {service.name}
    </Link>
  );
}

function Detail({ line: { kind, before, after, service } }: { line: ImportLine }) {
  switch (kind) {
    case "added":
      return <span className="text-muted">{service?.enabled ? "On sale" : "Off sale"}</span>;
    case "price":
      return (
        <>
          Cost <span className="text-muted">{before || "—"} → </span>
          {after}
        </>
      );
    case "limits":
    case "type":
      return (
        <>
          {before && <span className="text-muted">{before} → </span>}
          {after}
        </>
      );
    case "quarantined":
      return (
        <>
          {ownValue(WAITING_REASONS, before)?.title ?? before}
          {after && ". Off sale until you decide"}
        </>
      );
    case "released":
      return <>{ownValue(WAITING_REASONS, before)?.title ?? before}</>;
    case "unreadable":
      return (
        <>
          <span className="block">{before}</span>
          <CutText className="max-w-96 font-mono text-xs text-muted">{after}</CutText>
        </>
      );
    case "vanished":
      return <>—</>;
    default:
      return kind satisfies never;
  }
}
