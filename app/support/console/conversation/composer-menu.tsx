import type { ReactNode } from "react";

export type MenuOption = { key: string | number; content: ReactNode; choose: () => void };

/** What the draft's last word may become. The field keeps the focus; `chosen` is its active option. */
export function ComposerMenu({
  id,
  label,
  options,
  chosen,
}: {
  id: string;
  label: string;
  options: MenuOption[];
  chosen: MenuOption | undefined;
}) {
  return (
    <>
      <div
        id={id}
        role="listbox"
        aria-label={label}
        className="absolute inset-x-3 bottom-full z-10 mb-1 max-h-72 overflow-y-auto rounded-md border border-line bg-raised py-1 shadow-float"
      >
        {options.map((option) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
          <div
            key={option.key}
            id={menuOptionId(id, option)}
            role="option"
            tabIndex={-1}
            aria-selected={option === chosen}
            onClick={option.choose}
            className="flex min-h-11 cursor-pointer items-center gap-3 px-3 py-2 text-sm aria-selected:bg-sunken sm:min-h-9"
          >
            {option.content}
          </div>
        ))}
      </div>
      <p role="status" className="sr-only">
        {label}: {options.length}. Choose one with the arrow keys and Enter.
      </p>
    </>
  );
}

export function menuOptionId(menuId: string, { key }: MenuOption): string {
  return `${menuId}-${key}`;
}
