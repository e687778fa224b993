import { Link } from "@remix-run/react";
import { ExactDate } from "#app/components/formats/exact-date.tsx";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import { readKept } from "#app/db/undo-kept.ts";
import { ownValue } from "#app/own-value.ts";
import type { EntrySubject } from "./audit-entry.server.ts";
import { exactTime } from "./audit-fields.ts";
import type { AuditRow } from "./audit-row.ts";
import { subjectPart } from "./audit-subjects.ts";
import { BeforeAndAfter } from "./before-and-after.tsx";
import { actionName, keptInWords } from "./entry-sentence.ts";
import { factsOf } from "./telling.ts";

/** By action, fields that the sentence and the list of subjects tell better. */
const SHOWN_ELSEWHERE: Record<string, string[]> = { "services.change": ["kind", "field", "count", "services"] };

/** All that an entry says: who, when to the second, and every value. */
export function EntryDetails({ entry }: { entry: AuditRow }) {
  const formats = useFormats();
  const { reason } = entry.detail;
  const kept = readKept(entry.detail.kept);
  const facts = factsOf(entry, formats).filter(({ name }) => !ownValue(SHOWN_ELSEWHERE, entry.action)?.includes(name));
  const areChanges = facts.some(({ before }) => before !== null);
  return (
    <Card title="Details" titleId="details" flush>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-2 p-4 text-sm sm:p-5">
        <dt className="text-muted">When</dt>
        <dd>
          <ExactDate at={entry.createdAt} />
          <span className="block text-muted">{exactTime(entry.createdAt)}</span>
        </dd>
        <dt className="text-muted">Who</dt>
        <dd>{entry.actorName || "A deleted account"}</dd>
        <dt className="text-muted">Action</dt>
        <dd>{actionName(entry.action)}</dd>
        {kept && (
          <>
            <dt className="text-muted">Not undone</dt>
            <dd className="break-words">{keptInWords(kept, formats)}</dd>
          </>
        )}
        {typeof reason === "string" && reason !== "" && (
          <>
            <dt className="text-muted">Reason</dt>
            <dd className="break-words">{reason}</dd>
          </>
        )}
      </dl>
      {facts.length > 0 && (
        <div className="border-t border-line">
          <BeforeAndAfter
            label="Values"
            heads={{ what: "Detail", before: areChanges ? "Before" : null, after: areChanges ? "After" : "Value" }}
            values={facts.map(({ name, label, before, after }) => ({ key: name, label, before, after }))}
          />
        </div>
      )}
    </Card>
  );
}

/** The subjects of an entry about many. */
export function EntrySubjects({ subjects, count }: { subjects: EntrySubject[]; count: number }) {
  const { exactMoney, number } = useFormats();
  const haveRates = subjects.some(({ rate }) => rate);
  const areServices = subjects.every(({ type }) => type === "service");
  const [one, many] = areServices ? ["service", "services"] : ["order", "orders"];
  return (
    <Card title={`${number(count)} ${count === 1 ? one : many}`} titleId="subjects" flush>
      <Table
        label="Subjects"
        head={
          <>
            <Th>Name</Th>
            {haveRates && <Th numeric>Rate before</Th>}
            {haveRates && <Th numeric>Rate after</Th>}
          </>
        }
      >
        {subjects.map(({ type, id, name, rate }) => (
          <tr key={`${type} ${id}`}>
            <Td className="py-2">
              <SubjectLink type={type} id={id} name={name} />
            </Td>
            {haveRates && <Td numeric>{rate ? exactMoney(rate[0]) : ""}</Td>}
            {haveRates && <Td numeric>{rate ? exactMoney(rate[1]) : ""}</Td>}
          </tr>
        ))}
      </Table>
      {count > subjects.length && (
        <p className="border-t border-line p-4 text-sm text-muted sm:px-5">
          And {number(count - subjects.length)} more. Each one's own activity has this entry, too.
        </p>
      )}
    </Card>
  );
}

function SubjectLink({ type, id, name }: { type: string; id: string; name: string }) {
  const part = subjectPart({ subjectType: type, subjectId: id, detail: {}, names: { [`${type} ${id}`]: name } });
  if (typeof part === "string" || part.to === null) return <>{name}</>;
  return (
    <Link to={part.to} className="inline-flex min-h-11 items-center underline underline-offset-4 sm:min-h-0">
      {part.text}
    </Link>
  );
}
