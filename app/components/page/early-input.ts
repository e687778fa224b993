declare global {
  var takeEarlyInput: (() => EventTarget[]) | undefined;
}

/**
 * A script for the head: keeps what somebody does to a page that is drawn and not alive yet. Links, and buttons that send
 * their form, work without scripts and are left alone, but for those with `data-waits`, which would do less: not ask first,
 * not remember. What is pressed again because nothing happened is kept once.
 */
export const KEEP_EARLY_INPUT = `;{const kept=[],keep=target=>kept.at(-1)===target||kept.push(target),\
onClick=event=>{const at=event.target.closest?.("button,[data-waits]");\
if(!at||at.form&&at.type!=="button"&&!("waits"in at.dataset))return;\
event.preventDefault();event.stopPropagation();keep(at)},onInput=({target})=>keep(target);\
addEventListener("click",onClick,true);addEventListener("input",onInput,true);\
globalThis.takeEarlyInput=()=>{removeEventListener("click",onClick,true);removeEventListener("input",onInput,true);\
return kept.splice(0)}}`;

/** Does once more what was kept, in its order, once the page's own listeners are there. */
export async function doEarlyInput(): Promise<void> {
  const kept = globalThis.takeEarlyInput?.() ?? [];
  // Read before anything is done: what React draws then has its own values in the fields.
  for (const act of kept.map(actOf)) {
    // React draws what the last one changed.
    await null;
    act();
  }
}

function actOf(target: EventTarget): () => void {
  if (target instanceof HTMLInputElement && ["radio", "checkbox"].includes(target.type)) return checking(target);
  if (isField(target)) return filling(target);
  return () => target instanceof HTMLElement && target.click();
}

function checking(box: HTMLInputElement): () => void {
  const { checked } = box;
  return () => {
    // A choice that another one of the group has replaced.
    if (box.type === "radio" && !checked) return;
    // React passes over an event after which it finds what it had noted, and it noted what it found.
    box.checked = !checked;
    box.click();
  };
}

function filling(field: Field): () => void {
  const { value } = field;
  const selection = field instanceof HTMLSelectElement ? null : ([field.selectionStart, field.selectionEnd] as const);
  return () => {
    // Not through the value itself: somebody may be writing in it just now, with a caret, a selection or an input method.
    field._valueTracker?.setValue(`${value}0`);
    // React has drawn over it for what was done before it.
    if (field.value !== value) {
      // The element's own setter is React's, which would note the value as known.
      Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value")?.set?.call(field, value);
      if (selection?.[0] != null) (field as HTMLInputElement).setSelectionRange(...selection);
    }
    for (const type of ["input", "change"]) field.dispatchEvent(new Event(type, { bubbles: true }));
  };
}

/** `_valueTracker`: where React 18 notes the value that it last saw, of all but selects. */
type Field = (HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement) & {
  _valueTracker?: { setValue(value: string): void };
};

function isField(target: EventTarget): target is Field {
  return [HTMLInputElement, HTMLSelectElement, HTMLTextAreaElement].some((type) => target instanceof type);
}
