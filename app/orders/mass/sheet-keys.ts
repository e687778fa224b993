import type { Dispatch, KeyboardEvent } from "react";
import type { SheetChange } from "./sheet-rows.ts";

type Cell = HTMLInputElement | HTMLTextAreaElement;

/** Returns the cell that an event of the sheet comes from. */
export function cellOf(target: EventTarget): { cell: Cell; id: number; column: string } | null {
  if (!(target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement)) return null;
  const { column } = target.dataset;
  const row = target.closest<HTMLElement>("[data-row]");
  return column && row ? { cell: target, id: Number(row.dataset.row), column } : null;
}

/** Moves between cells as a spreadsheet does, and undoes. Tab moves by itself. */
export function moveByKey(event: KeyboardEvent<HTMLElement>, ids: number[], dispatch: Dispatch<SheetChange>): void {
  if (event.nativeEvent.isComposing) return;
  if ((event.ctrlKey || event.metaKey) && !event.altKey) {
    const key = event.key.toLowerCase();
    if (key !== "z" && key !== "y") return;
    event.preventDefault();
    dispatch({ kind: key === "y" || event.shiftKey ? "redo" : "undo" });
    return;
  }
  const found = cellOf(event.target);
  if (!found || event.altKey) return;
  const { cell, id, column } = found;
  // A list is written on several lines.
  const isList = cell instanceof HTMLTextAreaElement;
  const at = ids.indexOf(id);
  const isStart = cell.selectionStart === 0 && cell.selectionEnd === 0;
  const isEnd = cell.selectionStart === cell.value.length && cell.selectionEnd === cell.value.length;
  const sheet = event.currentTarget;
  const go = (row: number | undefined, to: string) => {
    const next = sheet.querySelector<Cell>(`[data-row="${row}"] [data-column="${to}"]`);
    if (!next) return;
    event.preventDefault();
    next.focus();
    if (to === column) next.select();
  };
  if (event.key === "Enter" && !isList) {
    // Never submits the form around the sheet.
    event.preventDefault();
    const next = event.shiftKey ? ids[at - 1] : ids[at + 1];
    if (next !== undefined || event.shiftKey) go(next, column);
    else addLine(sheet, column, dispatch);
  } else if (event.key === "ArrowDown" && !isList) go(ids[at + 1], column);
  else if (event.key === "ArrowUp" && !isList) go(ids[at - 1], column);
  else if ((event.key === "ArrowLeft" && isStart) || (event.key === "ArrowRight" && isEnd)) {
    const columns = [...sheet.querySelectorAll<Cell>(`[data-row="${id}"] [data-column]`)];
    const beside = columns[columns.indexOf(cell) + (event.key === "ArrowLeft" ? -1 : 1)];
    go(id, beside?.dataset.column ?? "");
  }
}

function addLine(sheet: HTMLElement, column: string, dispatch: Dispatch<SheetChange>): void {
  dispatch({ kind: "add" });
  requestAnimationFrame(() => [...sheet.querySelectorAll<Cell>(`[data-column="${column}"]`)].at(-1)?.focus());
}
