import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from "react";
import { Input } from "#app/components/forms/field.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { ownValue } from "#app/own-value.ts";
import listUrl from "./emoji-list.txt?url";
import { type EmojiGroup, parseEmojiList, searchEmoji } from "./emoji-search.ts";

/** Keys that move between emoji, in a grid whose rows are known to the browser alone. */
const TWO_ROWS_MAX = 30;
const STEPS: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1 };

/** Finds an emoji and inserts it at the caret of `field`. `onClose` moves the focus there. */
export function EmojiPicker({
  field,
  onClose,
  onLeave,
}: {
  field: RefObject<HTMLTextAreaElement>;
  onClose: () => void;
  /** Called when the focus went elsewhere. */
  onLeave: () => void;
}) {
  const [groups, setGroups] = useState<EmojiGroup[] | "loading" | "failed">("loading");
  const [query, setQuery] = useState("");
  const search = useRef<HTMLInputElement>(null);
  const results = useRef<HTMLDivElement>(null);
  const load = () => {
    setGroups("loading");
    readList().then(setGroups, () => setGroups("failed"));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it opens
  useEffect(() => {
    search.current?.focus();
    load();
  }, []);
  const found = typeof groups === "string" ? [] : searchEmoji(groups, query);

  function pick(emoji: string): void {
    const text = field.current;
    if (text) {
      text.setRangeText(emoji, text.selectionStart, text.selectionEnd, "end");
      // React takes the new value from the event.
      text.dispatchEvent(new Event("input", { bubbles: true }));
    }
    onClose();
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    const { key } = event;
    const buttons = [...(results.current?.querySelectorAll<HTMLElement>("[data-emoji]") ?? [])];
    const isSearching = event.target === search.current;
    if (key === "Escape") onClose();
    else if (isSearching && key === "Enter" && !event.nativeEvent.isComposing) {
      const first = found[0]?.emoji[0];
      if (first) pick(first.emoji);
    } else if (isSearching && key === "ArrowDown") buttons[0]?.focus();
    else if (isSearching || !moveFocus(key, buttons, search.current)) return;
    event.preventDefault();
    // Escape would close the panel too, and Enter send the message.
    event.stopPropagation();
  }

  return (
    <section
      role="dialog"
      aria-label="Emoji"
      onKeyDown={onKeyDown}
      onBlur={({ currentTarget, relatedTarget }) => {
        // The button that opened it closes it.
        const stays =
          relatedTarget === null || relatedTarget.closest("[aria-haspopup]") || currentTarget.contains(relatedTarget);
        if (!stays) onLeave();
      }}
      className="absolute inset-x-3 bottom-full z-10 mb-2 flex h-72 max-h-[50dvh] flex-col gap-2 rounded-md border border-line bg-raised p-2 shadow-float sm:left-auto sm:w-84"
    >
      <Input
        ref={search}
        type="search"
        value={query}
        placeholder="Search emoji"
        aria-label="Search emoji"
        onChange={({ target }) => setQuery(target.value)}
        className="shrink-0"
      />
      <div ref={results} className="min-h-0 flex-1 overflow-y-auto overscroll-contain">
        {found.map(({ name, emoji }, at) => (
          <section
            key={name}
            aria-label={name}
            className="[content-visibility:auto] [contain-intrinsic-size:auto_20rem]"
          >
            <h3 className="px-1 py-1 text-xs font-medium text-muted">{name}</h3>
            <div className="grid grid-cols-[repeat(auto-fill,minmax(2.75rem,1fr))] sm:grid-cols-[repeat(auto-fill,minmax(2.25rem,1fr))]">
              {emoji.map((one, place) => (
                <button
                  key={one.emoji}
                  type="button"
                  data-emoji
                  tabIndex={at === 0 && place === 0 ? 0 : -1}
                  title={one.name}
                  aria-label={one.name}
                  onClick={() => pick(one.emoji)}
                  className="h-11 rounded-md text-xl -outline-offset-2 hover:bg-sunken sm:h-9"
                >
                  {one.emoji}
                </button>
              ))}
            </div>
          </section>
        ))}
      </div>
      <p role="status" className="text-sm text-muted empty:hidden">
        {groups === "loading" && "Loading…"}
        {groups === "failed" && "We couldn't load the emoji."}
        {typeof groups !== "string" && found.length === 0 && "No emoji found. Try another word."}
      </p>
      {groups === "failed" && (
        <Button variant="secondary" onClick={load}>
          Try again
        </Button>
      )}
    </section>
  );
}

let read: EmojiGroup[] | null = null;

/** Throws if the list can't be fetched. */
async function readList(): Promise<EmojiGroup[]> {
  if (read) return read;
  const response = await fetch(listUrl, { redirect: "error" });
  if (!response.ok) throw new Error(`the emoji could not be read: ${response.status}`);
  read = parseEmojiList(await response.text());
  return read;
}

/** Moves between emoji by arrow keys, Home and End, and from the first row to the search. Returns whether the key did. */
function moveFocus(key: string, buttons: HTMLElement[], search: HTMLElement | null): boolean {
  const from = document.activeElement as HTMLElement;
  const at = buttons.indexOf(from);
  if (at < 0) return false;
  const step = ownValue(STEPS, key);
  if (step !== undefined) buttons[at + step]?.focus();
  else if (key === "Home") buttons[0]?.focus();
  else if (key === "End") buttons.at(-1)?.focus();
  else if (key === "ArrowDown" || key === "ArrowUp") {
    const to = nearestInNextRow(from, key === "ArrowDown" ? buttons.slice(at + 1) : buttons.slice(0, at).reverse());
    if (to) to.focus();
    else if (key === "ArrowUp") search?.focus();
  } else return false;
  return true;
}

function at(button: HTMLElement): { top: number; left: number } {
  const { top, left } = button.getBoundingClientRect();
  return { top, left };
}

/** Returns the button of the next row, in the order of `others`, that is nearest to the same column. */
function nearestInNextRow(from: HTMLElement, others: HTMLElement[]): HTMLElement | undefined {
  const place = from.getBoundingClientRect();
  const near = others.slice(0, TWO_ROWS_MAX).map((button) => ({ button, ...at(button) }));
  const next = near.find(({ top }) => top !== place.top);
  const row = near.filter(({ top }) => top === next?.top);
  return row.sort((one, other) => Math.abs(one.left - place.left) - Math.abs(other.left - place.left))[0]?.button;
}
