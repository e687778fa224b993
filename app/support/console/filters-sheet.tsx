import { useLocation, useNavigate } from "@remix-run/react";
import Pencil from "lucide-react/icons/pencil";
import Trash2 from "lucide-react/icons/trash-2";
import { type FormEvent, useId, useState } from "react";
import { Field, Input } from "#app/components/forms/field.tsx";
import { Select } from "#app/components/forms/select.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { ownValue } from "#app/own-value.ts";
import { FILTER_NAME_MAX_CHARS, FILTERS_MAX, INBOX_VIEWS, type SavedFilter } from "#app/support/inbox/inbox-view.ts";
import type { FilterChange, FilterRefusal } from "#app/support/inbox/saved-filters.server.ts";
import { type Agent, TAG_MAX_CHARS } from "#app/support/protocol/console-frames.ts";
import { Sheet, type SheetProps } from "./console-sheet.tsx";
import { VIEW_LABELS } from "./view-labels.ts";

type Props = {
  filters: SavedFilter[];
  onFilters: (filters: SavedFilter[]) => void;
  staff: Agent[];
  knownTags: string[];
};

const REFUSALS: Record<FilterRefusal | "invalid_filter", string> = {
  taken: "Another of your filters has this name.",
  full: `You can keep ${FILTERS_MAX} filters. Delete one first.`,
  invalid_filter: "Check the tag: start it with a letter or a digit. Spaces, - and _ can follow.",
};
const FAILED = "Couldn't save this. Check your connection and try again.";

/** The agent's own filters: to save another one, and to rename or delete those there are. */
export function FiltersSheet({ filters, onFilters, staff, knownTags, ...sheet }: SheetProps & Props) {
  const navigate = useNavigate();
  const { search } = useLocation();
  const [error, setError] = useState<string | null>(null);

  /** Returns the filters as they are then, or null if nothing was changed. */
  async function change(what: FilterChange): Promise<SavedFilter[] | null> {
    const result = await postChange(what);
    setError(typeof result === "string" ? (ownValue(REFUSALS, result) ?? FAILED) : null);
    if (typeof result === "string") return null;
    onFilters(result);
    const isShown = "id" in what && search === `?filter=${what.id}`;
    if (isShown && what.action === "delete") navigate({ search: "" });
    return result;
  }

  async function save(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? "").trim();
    const view = INBOX_VIEWS.find((one) => one === text("view")) ?? "open";
    const name = text("name");
    const fields = { view, tag: text("tag"), assigneeId: text("assigneeId"), words: text("words") };
    const saved = await change({ action: "save", name, ...fields });
    const added = saved?.find((one) => one.name === name);
    if (!added) return;
    sheet.onOpenChange(false);
    navigate({ search: `?filter=${added.id}` });
  }

  return (
    <Sheet
      {...sheet}
      title="Saved filters"
      description="Lists of your own, shown under the views. Nobody else sees them."
    >
      <div className="flex max-h-[65dvh] flex-col gap-5 overflow-y-auto overscroll-contain px-1 pb-1 text-sm">
        {filters.length > 0 && (
          <ul aria-label="Your filters" className="divide-y divide-line">
            {filters.map((filter) => (
              <FilterRow key={filter.id} filter={filter} onChange={change} />
            ))}
          </ul>
        )}
        <NewFilter key={filters.length} staff={staff} knownTags={knownTags} onSubmit={save} />
        {error && (
          <p role="alert" className="text-bad">
            {error}
          </p>
        )}
      </div>
    </Sheet>
  );
}

function FilterRow({
  filter: { id, name },
  onChange,
}: {
  filter: SavedFilter;
  onChange: (what: FilterChange) => unknown;
}) {
  const [isRenaming, setRenaming] = useState(false);
  async function rename(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const typed = String(new FormData(event.currentTarget).get("name") ?? "").trim();
    if (typed === "" || (await onChange({ action: "rename", id, name: typed }))) setRenaming(false);
  }
  return (
    <li className="flex min-h-11 items-center gap-1 py-1">
      {isRenaming ? (
        <form onSubmit={rename} className="flex min-w-0 flex-1 gap-2">
          <Input
            name="name"
            aria-label={`New name of ${name}`}
            defaultValue={name}
            maxLength={FILTER_NAME_MAX_CHARS}
            autoFocus
          />
          <Button type="submit" variant="secondary" className="shrink-0 sm:h-10">
            Rename
          </Button>
        </form>
      ) : (
        <>
          <span className="min-w-0 flex-1 truncate" title={name}>
            {name}
          </span>
          <Button
            variant="quiet"
            aria-label={`Rename ${name}`}
            onClick={() => setRenaming(true)}
            className="w-11 px-0 sm:w-9"
          >
            <Pencil aria-hidden className="size-4" />
          </Button>
          <Button
            variant="quiet"
            aria-label={`Delete ${name}`}
            onClick={() => onChange({ action: "delete", id })}
            className="w-11 px-0 sm:w-9"
          >
            <Trash2 aria-hidden className="size-4" />
          </Button>
        </>
      )}
    </li>
  );
}

function NewFilter({
  staff,
  knownTags,
  onSubmit,
}: Pick<Props, "staff" | "knownTags"> & { onSubmit: (event: FormEvent<HTMLFormElement>) => void }) {
  const prefix = useId();
  return (
    <form onSubmit={onSubmit} className="flex flex-col gap-4 border-t border-line pt-4">
      <Field id={`${prefix}-name`} label="Name">
        {(control) => <Input {...control} name="name" required maxLength={FILTER_NAME_MAX_CHARS} autoComplete="off" />}
      </Field>
      <Field id={`${prefix}-view`} label="Conversations">
        {(control) => (
          <Select {...control} name="view">
            {INBOX_VIEWS.map((view) => (
              <option key={view} value={view}>
                {VIEW_LABELS[view]}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field id={`${prefix}-tag`} label="Tag" optional help="Only the newest 2,000 conversations are searched.">
        {(control) => (
          <>
            <Input {...control} name="tag" list={`${prefix}-tags`} maxLength={TAG_MAX_CHARS} autoComplete="off" />
            <datalist id={`${prefix}-tags`}>
              {knownTags.map((tag) => (
                <option key={tag} value={tag} />
              ))}
            </datalist>
          </>
        )}
      </Field>
      <Field id={`${prefix}-assignee`} label="Assigned to">
        {(control) => (
          <Select {...control} name="assigneeId">
            <option value="">Anyone or no one</option>
            {staff.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field id={`${prefix}-words`} label="Words in messages" optional>
        {(control) => <Input {...control} name="words" maxLength={200} autoComplete="off" />}
      </Field>
      <Button type="submit" className="self-start">
        Save filter
      </Button>
    </form>
  );
}

/** Returns the filters as they are then, or why nothing was changed. */
async function postChange(change: FilterChange): Promise<SavedFilter[] | string> {
  try {
    const response = await fetch("/admin/filters", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(change),
    });
    const body = (await response.json()) as SavedFilter[] | { error: string };
    return "error" in body ? body.error : body;
  } catch {
    return "failed";
  }
}
