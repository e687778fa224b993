import { Field, Input } from "#app/components/forms/field.tsx";
import { Select } from "#app/components/forms/select.tsx";
import { type Days, ListFilters } from "#app/components/table/list-filters.tsx";
import { SUBJECT_LABELS } from "./audit-subjects.ts";
import { actionName } from "./entry-sentence.ts";

/** The filters of the audit log. Any of them go together. */
export function AuditFilters({
  actors,
  actions,
  filter: { actorId, action, about, of },
  days,
  isFiltered,
}: {
  actors: { id: string; name: string }[];
  actions: string[];
  filter: { actorId: string | null; action: string | null; about: string | null; of: string };
  days: Days;
  isFiltered: boolean;
}) {
  const named = actions
    .map((each) => ({ action: each, name: actionName(each) }))
    .toSorted((a, b) => a.name.localeCompare(b.name));
  return (
    <ListFilters id="audit" days={days} clearTo={isFiltered ? "?" : null}>
      <Field id="audit-who" label="Staff member" className="max-sm:col-span-2 sm:w-30">
        {(control) => (
          <Select {...control} key={actorId} name="who" defaultValue={actorId ?? ""}>
            <option value="">Everyone</option>
            {actors.map(({ id, name }) => (
              <option key={id} value={id}>
                {name || "Deleted account"}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field id="audit-what" label="Action" className="max-sm:col-span-2 sm:w-36">
        {(control) => (
          <Select {...control} key={action} name="what" defaultValue={action ?? ""}>
            <option value="">All actions</option>
            {named.map((each) => (
              <option key={each.action} value={each.action}>
                {each.name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field id="audit-about" label="About" className="sm:w-32">
        {(control) => (
          <Select {...control} key={about} name="about" defaultValue={about ?? ""}>
            <option value="">Anything</option>
            {Object.entries(SUBJECT_LABELS).map(([type, name]) => (
              <option key={type} value={type}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field id="audit-of" label="Which" className="sm:w-32">
        {(control) => (
          <Input {...control} key={of} name="of" defaultValue={of} placeholder="Name or ID" autoComplete="off" />
        )}
      </Field>
    </ListFilters>
  );
}
