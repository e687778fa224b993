import { useSearchParams } from "@remix-run/react";
import MessageSquareQuote from "lucide-react/icons/message-square-quote";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { type Column, DataTable, type TableState } from "#app/components/table/data-table.tsx";
import { ListFilters } from "#app/components/table/list-filters.tsx";
import { RowLink } from "#app/components/table/row-cells.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { effectTexts } from "#app/support/console/reply-effect-texts.ts";
import type { Agent } from "#app/support/protocol/console-frames.ts";
import type { Reply } from "#app/support/team/saved-replies.server.ts";
import { REPLY_WORDS } from "#app/words/reply-words.ts";

/** The saved replies. `canExport`: the reader is an admin, who can take the list along. */
export function SavedReplyList({
  replies,
  staff,
  state,
  search,
  canExport,
}: {
  replies: Reply[];
  staff: Agent[];
  state: TableState;
  search: string;
  canExport: boolean;
}) {
  const [params] = useSearchParams();
  const editing = (id: number) => {
    const changed = new URLSearchParams(params);
    changed.set("edit", String(id));
    return `?${changed}`;
  };
  const columns: Column<Reply>[] = [
    {
      name: "shortcut",
      header: REPLY_WORDS.shortcut,
      sort: "shortcut",
      className: "align-top font-mono text-xs",
      cell: ({ id, shortcut }) => <RowLink to={editing(id)}>/{shortcut}</RowLink>,
    },
    {
      name: "text",
      header: "Text and what it does",
      // The first line stands beside the shortcut, which is as high as a row.
      className: "min-w-56 py-2.5 align-top max-md:col-span-2 max-md:before:hidden!",
      cell: ({ body, effects }) => (
        <>
          <span className="line-clamp-3 break-words whitespace-pre-wrap text-muted empty:hidden">{body}</span>
          <span className="mt-1 line-clamp-2 block break-words text-xs empty:hidden">
            {effectTexts(effects, staff).join(" · ")}
          </span>
        </>
      ),
    },
    {
      name: "delete",
      header: "Delete",
      isAction: true,
      className: "py-0.5 align-top",
      cell: ({ id, shortcut, version }) => (
        <ActionForm
          intent="delete"
          result={null}
          hidden={{ id, version }}
          className="inline-flex max-md:-ml-3.5 md:-mr-3.5"
        >
          <SubmitButton variant="quiet" aria-label={`Delete /${shortcut}`}>
            Delete
          </SubmitButton>
        </ActionForm>
      ),
    },
  ];
  return (
    <DataTable
      label="Saved replies"
      columns={columns}
      rows={replies}
      rowKey={({ id }) => id}
      state={state}
      filters={
        <ListFilters
          id="replies"
          search={{ value: search, label: "Search", placeholder: "Shortcut, text, tag or note" }}
          clearTo={search === "" ? null : "?"}
        />
      }
      {...(canExport && { exportTo: "/admin/exports/replies" })}
      empty={
        <EmptyState icon={MessageSquareQuote} title={search === "" ? "No saved replies yet" : "No saved reply matches"}>
          {search === ""
            ? "Save a reply you write often, and your whole team can use it."
            : "Search for another word, or clear the search."}
        </EmptyState>
      }
    />
  );
}
