import { Money } from "#app/components/formats/money-amount.tsx";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { Detail, Details } from "#app/console/detail-list.tsx";
import type { StaffCustomer } from "./customer-admin.server.ts";
import { ROLE_NAMES } from "./customer-views.ts";

/** `logName`: the digest that names the customer in the worker's log. */
export function CustomerDetails({ person, logName }: { person: StaffCustomer["person"]; logName: string }) {
  return (
    <Details>
      <Detail name="Name">{person.fullName || "—"}</Detail>
      <Detail name="Balance">
        <b className="font-medium">
          <Money micro={person.balance} />
        </b>
      </Detail>
      {person.owed > 0 && (
        <Detail name="Owes">
          <b className="font-medium text-bad">
            <Money micro={person.owed} />
          </b>
          <span className="block text-muted">For reversed card payments. Orders are blocked.</span>
        </Detail>
      )}
      <Detail name="Role">{ROLE_NAMES[person.role]}</Detail>
      <Detail name="Joined">
        <RelativeDate at={person.createdAt} />
      </Detail>
      <Detail name="ID">
        <code className="font-mono text-xs break-all">{person.userId}</code>
      </Detail>
      <Detail name="In the request log">
        <code className="font-mono text-xs break-all">{logName}</code>
      </Detail>
    </Details>
  );
}
