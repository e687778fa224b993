declare global {
  var takeEarlyInput: (() => EventTarget[]) | undefined;
}

/**
 * A script for the head: keeps what somebody does to a page that is drawn and not alive yet. Links, and buttons that send
 * their form, work without scripts and are left alone.
 */
export const KEEP_EARLY_INPUT = `;{const kept=[],onClick=event=>{const button=event.target.closest?.("button");\
if(!button||button.form&&button.type!=="button")return;event.stopPropagation();kept.push(button)},\
onInput=({target})=>{kept.push(target)};\
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

/** React takes what it finds at its start for what it drew, and passes over an event after which that is still there. */
function checking(box: HTMLInputElement): () => void {
  const { checked } = box;
  return () => {
    // A choice that another one of the group has replaced.
    if (box.type === "radio" && !checked) return;
    box.checked = !checked;
    box.click();
  };
}

function filling(field: Field): () => void {
  const { value } = field;
  return () => {
    if (field.type !== "file") {
      field.value = `${value}0`;
      // The element's own setter is React's by now, which would note this value too.
      Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value")?.set?.call(field, value);
    }
    for (const type of ["input", "change"]) field.dispatchEvent(new Event(type, { bubbles: true }));
  };
}

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

function isField(target: EventTarget): target is Field {
  return [HTMLInputElement, HTMLSelectElement, HTMLTextAreaElement].some((type) => target instanceof type);
}
