import { useFetcher, useFetchers } from "@remix-run/react";
import Pencil from "lucide-react/icons/pencil";
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { Input } from "#app/components/forms/field.tsx";
import { useIsHydrated } from "#app/components/hydration/use-is-hydrated.ts";
import { LossField } from "#app/console/loss-field.tsx";
import type { CellResult } from "./service-cell-form.server.ts";
import type { CellField } from "./service-filter-names.ts";
import type { ServiceRow } from "./service-list.server.ts";

/** The rows of the list as they were saved last: `versions` at once, for the next cell of a row that is being saved. */
export type SavedRows = { versions: Map<number, number>; onSaved: (row: ServiceRow) => void };

type Edited = { row: ServiceRow; field: CellField; label: string; saved: SavedRows };

/**
 * A cell that is changed in its place: Enter edits and saves, Esc leaves, Tab saves and goes on to the next one. Without
 * scripts it only shows its value: the service's page has the same fields.
 */
export function EditCell({
  children,
  link,
  value,
  numeric = false,
  ...edited
}: Edited & { children: ReactNode; link?: ReactNode; value: string; numeric?: boolean }) {
  const { row, field, label } = edited;
  const isHydrated = useIsHydrated();
  const [isEditing, setIsEditing] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  if (!isHydrated) return <>{link ?? children}</>;
  if (isEditing) {
    const close = (focus: boolean) => {
      setIsEditing(false);
      if (focus) requestAnimationFrame(() => button.current?.focus());
    };
    return <CellEditor {...edited} value={value} numeric={numeric} close={close} />;
  }
  const name = `${label} of service ${row.id}`;
  if (link !== undefined) {
    return (
      <span className="flex items-center gap-1">
        <span className="min-w-0 md:max-w-56">{link}</span>
        <button
          ref={button}
          type="button"
          data-edit-cell={field}
          aria-label={`Edit ${name}`}
          onClick={() => setIsEditing(true)}
          className="inline-flex size-11 shrink-0 items-center justify-center rounded-md text-muted hover:text-text sm:size-8"
        >
          <Pencil aria-hidden className="size-3.5" />
        </button>
      </span>
    );
  }
  return (
    <button
      ref={button}
      type="button"
      data-edit-cell={field}
      aria-label={`Edit ${name}: ${value}`}
      onClick={() => setIsEditing(true)}
      className={`-mx-2 inline-block max-w-40 truncate rounded-md px-2 align-middle leading-11 hover:bg-raised hover:outline hover:outline-line-strong sm:leading-8 ${numeric ? "text-right" : "text-left"}`}
    >
      {children}
    </button>
  );
}

function CellEditor({
  row,
  field,
  label,
  saved,
  value,
  numeric,
  close,
}: Edited & { value: string; numeric: boolean; close: (focus: boolean) => void }) {
  const fetcher = useFetcher<CellResult>();
  const form = useRef<HTMLFormElement>(null);
  const { send, error, asksLoss, isBusy, onSubmit } = useCellForm({
    fetcher,
    form,
    row,
    saved,
    onDone: () => close(hasFocus()),
  });
  const errorId = `cell-${row.id}-${field}-error`;

  function hasFocus(): boolean {
    return form.current?.contains(document.activeElement) ?? false;
  }

  function onKeyDown(event: KeyboardEvent<HTMLInputElement>) {
    const { key, shiftKey, currentTarget } = event;
    if (key === "Escape") {
      event.preventDefault();
      close(true);
    }
    if (key === "Enter" && currentTarget.value === value) {
      event.preventDefault();
      close(true);
    }
    if (key !== "Tab" || shiftKey) return;
    const next = nextCell(form.current, field);
    const isChanged = currentTarget.value !== value;
    if (isChanged) send();
    if (!next) return;
    event.preventDefault();
    if (!isChanged) close(false);
    next.focus();
    if (next.dataset.editCell !== "enabled") next.click();
  }

  return (
    <fetcher.Form
      ref={form}
      method="post"
      action="/admin/services"
      data-asks-identity
      data-cell-editor
      onSubmit={onSubmit}
      className="relative"
    >
      <CellFields row={row} field={field} />
      <Input
        name="value"
        defaultValue={value}
        autoFocus
        onFocus={({ currentTarget }) => currentTarget.select()}
        onKeyDown={onKeyDown}
        onBlur={({ currentTarget }) => {
          if (currentTarget.value === value && !isBusy && error === null) close(false);
        }}
        aria-label={`${label} of service ${row.id}`}
        aria-invalid={error === null ? undefined : true}
        aria-describedby={error === null ? undefined : errorId}
        readOnly={isBusy}
        inputMode={field === "rate" ? "decimal" : undefined}
        autoComplete="off"
        className={`min-w-24 px-2 sm:h-8 ${numeric ? "text-right" : ""} ${isBusy ? "opacity-60" : ""}`}
      />
      <CellError id={errorId} error={error} asksLoss={asksLoss} />
    </fetcher.Form>
  );
}

/** Switches a service on or off in its cell. */
export function SwitchCell({ children, ...edited }: Edited & { children: ReactNode }) {
  const { row, field, saved } = edited;
  const isHydrated = useIsHydrated();
  const fetcher = useFetcher<CellResult>();
  const form = useRef<HTMLFormElement>(null);
  const { error, asksLoss, isBusy, onSubmit } = useCellForm({ fetcher, form, row, saved, onDone: () => {} });
  if (!isHydrated) return <>{children}</>;
  return (
    <fetcher.Form
      ref={form}
      method="post"
      action="/admin/services"
      data-asks-identity
      onSubmit={onSubmit}
      className="relative"
    >
      <CellFields row={row} field={field} />
      <input type="hidden" name="value" value={row.enabled ? "off" : "on"} />
      <button
        type="submit"
        data-edit-cell={field}
        // Begins with what is shown, for those who speak to the browser.
        aria-label={
          row.enabled ? `On sale: take service ${row.id} off sale` : `Off sale: put service ${row.id} on sale`
        }
        title={row.enabled ? "Take off sale" : "Put on sale"}
        disabled={isBusy}
        className="-mx-1 inline-flex min-h-11 items-center rounded-md px-1 hover:outline hover:outline-line-strong disabled:opacity-60 sm:min-h-8"
      >
        {children}
      </button>
      <CellError id={`cell-${row.id}-${field}-error`} error={error} asksLoss={asksLoss} />
    </fetcher.Form>
  );
}

function CellFields({ row, field }: Pick<Edited, "row" | "field">) {
  return (
    <>
      <input type="hidden" name="intent" value="cell" />
      <input type="hidden" name="id" value={row.id} />
      <input type="hidden" name="field" value={field} />
      <input type="hidden" name="version" defaultValue={row.version} />
    </>
  );
}

function CellError({ id, error, asksLoss }: { id: string; error: string | null; asksLoss: boolean }) {
  if (error === null) return null;
  return (
    <div className="absolute top-full left-0 z-10 mt-1 w-60 rounded-md border border-bad bg-raised px-2 py-1 text-left text-xs whitespace-normal shadow-lg">
      <p id={id} role="alert" className="text-bad">
        {error}
      </p>
      {asksLoss && <LossField />}
    </div>
  );
}

/** Sends a cell's form, after that of another cell of its row: each save begins from the version that the last one made. */
function useCellForm({
  fetcher: { state, data },
  form,
  row,
  saved,
  onDone,
}: {
  fetcher: { state: string; data: CellResult | undefined };
  form: React.RefObject<HTMLFormElement>;
  row: ServiceRow;
  saved: SavedRows;
  onDone: () => void;
}) {
  const [isWaiting, setIsWaiting] = useState(false);
  const isRowBusy = useFetchers().some(
    ({ state: other, formData }) => other === "submitting" && formData?.get("id") === String(row.id),
  );
  const seen = useRef(data);

  useEffect(() => {
    if (!data || data === seen.current || state !== "idle") return;
    seen.current = data;
    if (data.row) saved.versions.set(data.row.id, data.row.version);
    if (data.row) saved.onSaved(data.row);
    if (data.ok) onDone();
  });

  useEffect(() => {
    if (!isWaiting || isRowBusy) return;
    setIsWaiting(false);
    form.current?.requestSubmit();
  }, [isWaiting, isRowBusy, form]);

  function send() {
    if (isRowBusy) setIsWaiting(true);
    else form.current?.requestSubmit();
  }
  function onSubmit() {
    const version = form.current?.elements.namedItem("version");
    const current = saved.versions.get(row.id) ?? row.version;
    if (version instanceof HTMLInputElement) version.value = String(current);
  }
  const error = state === "idle" && data && !data.ok ? (data.message ?? "This value could not be saved") : null;
  const asksLoss = error !== null && data?.asksLoss === true;
  return { send, onSubmit, error, asksLoss, isBusy: state !== "idle" || isWaiting };
}

/** Returns the next cell of the list that can be edited. */
function nextCell(from: HTMLElement | null, field: CellField): HTMLElement | null {
  if (!from) return null;
  const list = from.closest("[data-table-box]");
  const cells = [...(list?.querySelectorAll<HTMLElement>("[data-edit-cell], [data-cell-editor]") ?? [])];
  const later = cells.slice(cells.indexOf(from) + 1);
  return later.find(({ dataset }) => dataset.editCell !== undefined && dataset.editCell !== field) ?? null;
}
