import { Link } from "@remix-run/react";
import ScrollText from "lucide-react/icons/scroll-text";
import { ExactDate } from "#app/components/formats/exact-date.tsx";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import type { Column } from "#app/components/table/data-table.tsx";
import { RowLink } from "#app/components/table/row-cells.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import { cutText } from "#app/cut-text.ts";
import type { Part } from "../resource/entry-words.ts";
import { type AuditRow, entryPath } from "./audit-row.ts";
import { putInWords } from "./entry-sentence.ts";
import type { Fact } from "./telling.ts";

const FACT_CHARS = 80;

/** Shows what staff did to one subject. `opens`: the reader may open an entry's page. */
export function AuditList({ entries, opens }: { entries: AuditRow[]; opens: boolean }) {
  if (entries.length === 0) return <NoAuditEntries />;
  return (
    <Table
      label="Audit log"
      head={AUDIT_COLUMNS.map(({ name, header }) => (
        <Th key={name} className="max-sm:hidden">
          {header}
        </Th>
      ))}
    >
      {entries.map((entry) => (
        // On a phone, the sentence stands below its date.
        <tr key={entry.id} className="[--row-height:40px] max-sm:block max-sm:py-1 max-sm:[--row-height:44px]">
          {AUDIT_COLUMNS.map(({ name, cell, className = "" }) => (
            <Td key={name} className={`${className} max-sm:block max-sm:h-auto max-sm:px-4 max-sm:pt-0`}>
              {name === "created" && !opens ? (
                <span className="leading-[var(--row-height)]">
                  <ExactDate at={entry.createdAt} />
                </span>
              ) : (
                cell(entry)
              )}
            </Td>
          ))}
        </tr>
      ))}
    </Table>
  );
}

/** `hasMore`: the entries before those that were looked through are on the next page. */
export function NoAuditEntries({ hasMore = false, isFiltered = false }: { hasMore?: boolean; isFiltered?: boolean }) {
  if (hasMore) {
    return (
      <EmptyState icon={ScrollText} title="Nothing found yet">
        Such entries are rare. Look further back for those before the ones that were looked through.
      </EmptyState>
    );
  }
  if (isFiltered) {
    return (
      <EmptyState icon={ScrollText} title="No matching entries">
        Choose fewer filters, or other days.
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={ScrollText} title="No activity yet">
      Staff actions appear here with who, when and why.
    </EmptyState>
  );
}

export const AUDIT_COLUMNS: Column<AuditRow>[] = [
  {
    name: "created",
    header: "Date",
    sort: "created",
    className: "align-top text-muted",
    cell: ({ id, createdAt }) => (
      <RowLink to={entryPath(id)} title={`Entry ${id}`}>
        <ExactDate at={createdAt} />
      </RowLink>
    ),
  },
  {
    name: "sentence",
    header: "What happened",
    // The first line stands beside the date, whose link is as high as a row.
    className: "w-full align-top py-2.5 sm:min-w-64 max-md:col-span-2 max-md:before:hidden!",
    cell: (entry) => <EntrySentence entry={entry} />,
  },
];

function EntrySentence({ entry }: { entry: AuditRow }) {
  const { parts, facts, reason } = putInWords(entry, useFormats());
  return (
    <span className="block max-w-prose break-words">
      <Sentence parts={parts} />
      {facts.length > 0 && (
        <span className="block text-muted">
          {facts.map((fact, index) => (
            // A short one stays in one line.
            <span key={fact.name} className="mr-1 inline-block first:first-letter:uppercase">
              {factText(fact)}
              {index < facts.length - 1 && " ·"}
            </span>
          ))}
        </span>
      )}
      {reason !== "" && <span className="block text-muted">Reason: “{reason}”</span>}
    </span>
  );
}

/** A sentence with links to what it names. */
export function Sentence({ parts }: { parts: Part[] }) {
  return parts.map((part, index) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence keep their places
    if (typeof part === "string") return <span key={index}>{part}</span>;
    return part.to === null ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: as above
      <span key={index}>{part.text}</span>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: as above
      <Link key={index} to={part.to} className="underline underline-offset-4">
        {part.text}
      </Link>
    );
  });
}

function factText({ label, before, after }: Fact): string {
  return before === null ? `${label}: ${cut(after)}` : `${label}: ${cut(before)} → ${cut(after)}`;
}

function cut(text: string): string {
  return text.length > FACT_CHARS ? `${cutText(text, FACT_CHARS - 1)}…` : text;
}
