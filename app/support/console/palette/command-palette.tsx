import { Dialog } from "@base-ui/react/dialog";
import { useLocation, useNavigate } from "@remix-run/react";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { Input } from "#app/components/forms/field.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { ownValue } from "#app/own-value.ts";
import { type Command, matchCommands } from "./palette-commands.ts";
import { usePaletteSearch } from "./use-palette-search.ts";

export type PaletteProps = {
  /** The pages of the console that the person may open. */
  pages: { to: string; label: string; group: string }[];
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** What can be done with what is open on the page. */
  actions: Command[];
};

/** Finds conversations, customers, orders, pages and actions by what is typed, and opens or does the chosen one. */
export function CommandPalette({ pages, open, onOpenChange, actions }: PaletteProps) {
  // An action may put the focus where the agent goes on, so that it does not return to where it was before.
  const isDone = useRef(false);
  if (open) isDone.current = false;
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-sunken/80" />
        <Dialog.Popup
          finalFocus={() => !isDone.current}
          className="fixed top-[max(16px,12dvh)] left-1/2 z-50 flex max-h-[min(520px,76dvh)] w-[calc(100%-32px)] max-w-140 -translate-x-1/2 flex-col overflow-hidden rounded-md border border-line bg-raised shadow-float"
        >
          <Dialog.Title className="sr-only">Command palette</Dialog.Title>
          <Choices
            pages={pages}
            actions={actions}
            onDone={() => {
              isDone.current = true;
              onOpenChange(false);
            }}
          />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Choices({
  pages,
  actions,
  onDone,
}: Pick<PaletteProps, "pages" | "actions"> & {
  onDone: () => void;
}) {
  const navigate = useNavigate();
  const { search: address, pathname } = useLocation();
  const [typed, setTyped] = useState("");
  const [activeId, setActiveId] = useState<string | null>(null);
  const listId = useId();
  const list = useRef<HTMLDivElement>(null);
  const search = usePaletteSearch(typed);
  const toPages = pages.map(({ to, label, group }): Command => {
    return { id: to, group: "Pages", label, detail: group === label ? "" : group, run: () => navigate(to) };
  });
  // The list's view and search belong to the conversations only.
  const inConsole = pathname === "/admin" || pathname.startsWith("/admin/support/") ? address : "";
  const results = search.results.map(({ to, ...result }): Command => {
    return { ...result, id: to, run: () => navigate(result.group === "Conversations" ? to + inConsole : to) };
  });
  // Results come last, so that those that arrive later move nothing that is already there.
  const shown = [...matchCommands([...actions, ...toPages], typed), ...results];
  const active = shown.find(({ id }) => id === activeId) ?? shown[0];
  const optionId = (command: Command) => `${listId}-${shown.indexOf(command)}`;

  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when the active option changes
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [active?.id]);

  function choose(command: Command): void {
    onDone();
    command.run();
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.nativeEvent.isComposing) return;
    const step = ownValue({ ArrowDown: 1, ArrowUp: -1 }, event.key);
    if (step !== undefined && active) {
      event.preventDefault();
      setActiveId(shown[(shown.indexOf(active) + step + shown.length) % shown.length]?.id ?? null);
    } else if (event.key === "Enter" && active) {
      event.preventDefault();
      choose(active);
    }
  }

  return (
    <>
      <div className="border-b border-line p-2">
        <Input
          role="combobox"
          aria-label="Find a conversation, customer, order, page or action"
          aria-expanded={shown.length > 0}
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={active && optionId(active)}
          placeholder="Find or do anything"
          autoComplete="off"
          spellCheck={false}
          maxLength={100}
          value={typed}
          onChange={({ target }) => {
            setTyped(target.value);
            setActiveId(null);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div
        ref={list}
        id={listId}
        role="listbox"
        aria-label="Results"
        className="min-h-0 overflow-y-auto overscroll-contain py-1 empty:hidden"
      >
        {groupsOf(shown).map(({ name, commands }) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset may not be in a listbox
          <div key={name} role="group" aria-label={name}>
            <div aria-hidden className="px-4 pt-2 pb-1 text-xs text-muted">
              {name}
            </div>
            {commands.map((command) => (
              <Option
                key={command.id}
                id={optionId(command)}
                command={command}
                isActive={command === active}
                onChoose={() => choose(command)}
                onPoint={() => setActiveId(command.id)}
              />
            ))}
          </div>
        ))}
      </div>
      <Footer typed={typed.trim()} count={shown.length} search={search} />
    </>
  );
}

function Option({
  id,
  command: { label, detail, keys },
  isActive,
  onChoose,
  onPoint,
}: {
  id: string;
  command: Command;
  isActive: boolean;
  onChoose: () => void;
  onPoint: () => void;
}) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isActive}
      onClick={onChoose}
      onPointerMove={onPoint}
      className="flex min-h-11 cursor-pointer items-center gap-3 px-4 py-1.5 text-sm aria-selected:bg-sunken sm:min-h-9"
    >
      <span className="max-w-[70%] shrink-0 truncate" title={label}>
        {label}
      </span>
      {detail && <span className="min-w-0 truncate text-xs text-muted">{detail}</span>}
      {keys && <kbd className="ml-auto rounded border border-line px-1.5 font-mono text-xs">{keys}</kbd>}
    </div>
  );
}

/** Says what the list does not: that the search runs, failed, or found nothing. */
function Footer({
  typed,
  count,
  search,
}: {
  typed: string;
  count: number;
  search: ReturnType<typeof usePaletteSearch>;
}) {
  if (search.state === "failed") {
    return (
      <div
        role="alert"
        className="flex items-center justify-between gap-3 border-t border-line px-4 py-2 text-sm text-muted"
      >
        Couldn't search. Check your connection and try again.
        <Button variant="secondary" onClick={search.retry}>
          Try again
        </Button>
      </div>
    );
  }
  const isEmpty = count === 0 && search.state === "idle";
  return (
    <p
      role="status"
      className={`px-4 text-sm text-muted ${isEmpty || search.state === "searching" ? "py-3" : "sr-only"}`}
    >
      {search.state === "searching"
        ? "Searching…"
        : isEmpty
          ? `No matches for “${typed}”. Try the start of a name or email, or a full order ID.`
          : `${count} results`}
    </p>
  );
}

function groupsOf(commands: Command[]): { name: Command["group"]; commands: Command[] }[] {
  const groups = new Map<Command["group"], Command[]>();
  for (const command of commands) groups.set(command.group, [...(groups.get(command.group) ?? []), command]);
  return [...groups].map(([name, members]) => ({ name, commands: members }));
}
